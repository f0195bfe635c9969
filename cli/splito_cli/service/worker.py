"""`splito worker`: plays the tournaments of a service, on any machine that reaches its Redis."""

import os
import sys

import msgspec
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from splito_cli.arguments import Json
from splito_cli.terminal.screen import headline, screen
from splito_service.settings import Settings, read_settings

EXAMPLES = (
    "splito worker",
    "splito worker --processes 4",
    "SPLITO_REDIS_URL=redis://10.0.0.5:6379 splito worker --json",
)


class Ready(msgspec.Struct, frozen=True):
    """The JSON that `--json` prints."""

    processes: int
    redis: str


def work(*, processes: int = 1, json: Json = False) -> None:
    """Play the tournaments of a service until Ctrl-C or SIGTERM.

    A worker needs only the Redis of the service: `SPLITO_REDIS_URL`, or without it the folder `SPLITO_DATA` of the
    service. Any number of workers may run, on any machines. If a worker is killed, others play its blocks again, with
    the same result. Warnings, and the begin and end of each shift, go to stderr.

    Parameters
    ----------
    processes
        The number of processes that play at the same time: one for each free core. A process that dies is replaced.
    """
    from splito_service.processes.group import log_to_stderr  # noqa: PLC0415 (as below)
    from splito_service.workers.pool import open_workers  # noqa: PLC0415 (other commands do without POSIX)

    settings = read_settings(os.environ)
    log_to_stderr()
    with open_workers(settings, processes) as workers:
        if json:
            sys.stdout.write(msgspec.json.encode(Ready(processes, workers.redis_url)).decode() + "\n")
            sys.stdout.flush()
        else:
            screen().print(_page(processes, _redis(settings, workers.redis_url)))
        workers.run()
    if not json:
        screen().print("Stopped.")


def _redis(settings: Settings, url: str) -> str:
    own = f"its own, data in {settings.data}, durability {settings.durability}"
    return own if settings.redis_url is None else url


def _page(processes: int, redis: str) -> RenderableType:
    facts = Table.grid(padding=(0, 2, 0, 0))
    for name, value in (("processes", str(processes)), ("Redis", redis), ("stop", "Ctrl-C")):
        facts.add_row(Text(name, "dim"), Text(value, overflow="fold"))
    return Group(headline("Splito Arena", "workers"), Padding(facts, (0, 0, 0, 2), expand=False))
