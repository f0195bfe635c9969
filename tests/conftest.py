"""Settings of all tests: examples of Hypothesis, which processes run which tests, marks that follow from fixtures."""

import os
import signal
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

SERVERS = {"outside", "page", "process", "redis_url", "server_url", "service", "swept_url", "url"}
"""Fixtures that start a server or a program. A test that needs one of them, also through another, is `outside`."""
OPENERS = {
    "http.client",
    "httpx",
    "socket",
    "splito_arena.bots.push_client",
    "splito_arena.bots.serve",
    "splito_arena.bots.subprocess",
    "splito_arena.net.http_client",
    "splito_bot.serve",
    "splito_service.processes.embedded_redis",
    "splito_service.results.calculator",
    "subprocess",
    "tests.arena.checks.check_bots",
    "tests.arena.net.servers",
    "tests.cli.bot.starters",
    "tests.cli.serving",
    "tests.contract.tools",
    "tests.listening",
    "tests.name_server",
    "tests.sdk.desk",
    "tests.service.process",
    "tests.service.pushed",
}
"""Modules that open sockets or start processes. All tests of a module that imports from one of them are `outside`."""
LONG = ("tests/fuzz/", "tests/journeys/", "tests/benchmarks/", "tests/examples/", "tests/deploy/")
"""Folders of tests that take many seconds each, most of which they wait for processes that they have started."""
LONGEST = ("tests/fuzz/", "tests/journeys/")
"""Folders of `LONG` whose tests go to different processes. Other modules stay whole, because they share fixtures."""
PROCESSES_PER_CORE = 2
"""Test processes per core, because tests of the service often wait for their servers."""

LONG_RUNS = os.environ.get("SPLITO_JOURNEYS") == "long"
"""True in `make journeys`, which tries more than `make test`."""
QUICK = "QUICK_TESTS" in os.environ
"""True in `make quick`, which tries fewer examples, random games and event loops than `make test`."""

settings.register_profile("splito", deadline=None, derandomize=True, max_examples=15 if QUICK else 60)
settings.load_profile("splito")

os.environ.pop("SSL_CERT_FILE", None)
os.environ["SSL_CERT_DIR"] = str(Path(__file__).parent)
"""A folder without certificates, also for the processes of tests, because no test calls a server of the internet and
every new client of httpx would read all certificates of the machine (25 to 90 ms of processor time).
"""

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a shell's background: what tests start would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def _no_profile(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test, and no process that it starts, reads or changes the profiles and keys of the person who runs it."""
    os.environ["XDG_CONFIG_HOME"] = str(tmp_path_factory.mktemp("config"))
    for name in ("SPLITO_URL", "SPLITO_KEY", "SPLITO_BOT_KEY", "SPLITO_PROFILE"):
        os.environ.pop(name, None)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return the number of test processes of `pytest -n auto`, and of `-n logical`, where no test waits."""
    cores = os.cpu_count() or 1
    return cores if config.option.numprocesses == "logical" else PROCESSES_PER_CORE * cores


@pytest.fixture
def outside() -> None:
    """Mark a test whose code under test opens sockets or starts processes, though nothing in its module shows it."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by their fixtures, and let every test process begin with its share of the long ones."""
    for item in items:
        if is_outside(item):
            item.add_marker("outside")
    items[:] = spread(items, getattr(config, "workerinput", {}).get("workercount", 1))


def is_outside(item: pytest.Item) -> bool:
    """Return True if a test needs a server or a program."""
    if item.nodeid.startswith(LONG):
        return True
    return isinstance(item, pytest.Function) and (not SERVERS.isdisjoint(item.fixturenames) or opens(item.module))


@cache
def opens(module: ModuleType) -> bool:
    """Return True if a test module imports anything that opens sockets or starts processes."""
    for one in vars(module).values():
        name = one.__name__ if isinstance(one, ModuleType) else getattr(one, "__module__", None)
        if isinstance(name, str) and name in OPENERS:
            return True
    return False


def spread(items: Sequence[pytest.Item], processes: int) -> list[pytest.Item]:
    """Return the tests in an order in which each process of `--dist worksteal` begins with a share of the long ones."""
    long = [item for item in items if item.nodeid.startswith(LONG)]
    rest = [item for item in items if not item.nodeid.startswith(LONG)]
    shares = [[*group] for _, group in groupby(long, _share)]
    ordered: list[pytest.Item] = []
    for number in range(processes):
        for share in shares[number::processes]:
            ordered += share
        short = len(items) * (number + 1) // processes - len(ordered)
        ordered += rest[: max(0, short)]
        rest = rest[max(0, short) :]
    return ordered


def _share(item: pytest.Item) -> str:
    """Return the name of the long tests that one process runs: a single test, or all tests of a module."""
    return item.nodeid if item.nodeid.startswith(LONGEST) else item.nodeid.partition("::")[0]
