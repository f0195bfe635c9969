"""`splito worker`: it plays what there is to play, stops when told to, and leaves nothing behind."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from splito_arena.formats import RoundRobin
from splito_service.processes.embedded_redis import open_server
from splito_service.storage.client import Link
from tests.cli.conftest import Splito
from tests.service.playing import LIMIT, Playing, children, house, tournament, until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="workers are for POSIX systems")
T = TypeVar("T")


@contextmanager
def working(folder: Path, *words: str, **environ: str) -> Generator["subprocess.Popen[str]"]:
    """Killed if it is not stopped in time."""
    with subprocess.Popen(
        [sys.executable, "-m", "splito_cli", "worker", *words],
        env={**os.environ, "SPLITO_DATA": str(folder), "COLUMNS": "300", **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        alarm = threading.Timer(LIMIT, process.kill)
        alarm.start()
        try:
            yield process
        finally:
            alarm.cancel()
            process.kill()


def with_redis(folder: Path, act: Callable[[Playing], Awaitable[T]]) -> T:
    """In the Redis of that folder."""

    async def run(url: str) -> T:
        async with Link(url) as link:
            return await act(Playing(link, url))

    with open_server(folder) as server:
        return asyncio.run(run(server.url))


async def played(playing: Playing) -> int:
    """Play a tournament with the workers that run there; return the number of its blocks."""
    kept = await playing.organiser.hold(tournament(RoundRobin(blocks=4), *house("random", "planner"), ranked=True))

    async def over() -> bool:
        return (await playing.tournaments.get(kept.id)).state == "finished"

    await until(over)
    return (await playing.ledger.counts(kept.id)).done


def test_a_worker_plays_open_blocks_and_stops_at_sigterm(tmp_path: Path) -> None:
    with working(tmp_path) as process:
        assert process.stdout is not None
        told = [" ".join(process.stdout.readline().split()) for _ in range(4)]
        assert with_redis(tmp_path, played) == 4
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate()
    assert told[0] == "Splito Arena · workers"
    assert told[1:] == ["processes 1", f"Redis its own, data in {tmp_path}, durability everysec", "stop Ctrl-C"]
    assert (process.returncode, rest) == (0, "Stopped.\n")
    logged = [line.partition(" splito.shift: ")[2].rsplit(" ", 1)[0] for line in errors.splitlines()]
    assert logged == ["shift 0 begins in process", "shift 0 ends in process"]


@pytest.mark.skipif(sys.platform != "linux", reason="children are looked up in /proc")
def test_no_process_is_left_after_the_worker_is_killed(tmp_path: Path) -> None:
    with working(tmp_path, "--json", "--processes", "2") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == f'{{"processes":2,"redis":"{masked_address(tmp_path)}"}}\n'
        assert with_redis(tmp_path, played) == 4
        family = descendants(process.pid)
        process.kill()
        process.wait()
    limit = time.monotonic() + LIMIT
    while alive := [one for one in family if Path(f"/proc/{one}").exists()]:
        assert time.monotonic() < limit, alive
        time.sleep(0.02)
    assert len(family) >= 2


def masked_address(folder: Path) -> str:
    with open_server(folder) as server:
        return server.url


def descendants(process: int) -> list[int]:
    found = children(process)
    return [*found, *(one for child in found for one in descendants(child))]


def test_a_worker_waits_for_redis_to_start(tmp_path: Path) -> None:
    with working(tmp_path, "--json", SPLITO_REDIS_URL="redis://me:secret@127.0.0.1:1/0") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == '{"processes":1,"redis":"redis://me:***@127.0.0.1:1/0"}\n'
        line = next(line for line in process.stderr if "splito.worker" in line)
        process.terminate()
        _, errors = process.communicate()
    assert "splito.worker: not ready yet: Redis cannot be reached: " in line
    assert process.returncode == 0
    assert "secret" not in line + errors


@pytest.mark.parametrize(
    ("words", "environ", "code"),
    [
        ("--processes 0", {}, "bad-option"),
        ("--processes many", {}, "usage"),
        ("", {"SPLITO_COLOUR": "red"}, "bad-setting"),
        ("", {"SPLITO_DATA": "/dev/null/data"}, "no-server"),
    ],
)
def test_an_error_is_printed_in_one_line(words: str, environ: dict[str, str], code: str, process: Splito) -> None:
    run = process("worker", *words.split(), **environ)
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
    assert run.err.startswith(f"splito: {code}: ")


def test_the_command_ends_if_one_of_its_processes_cannot_start(process: Splito, tmp_path: Path) -> None:
    (tmp_path / "uvloop.py").write_text("raise ImportError('not today')\n")
    environ = {"SPLITO_DATA": str(tmp_path / "data"), "PYTHONPATH": str(tmp_path)}
    run = process("worker", "--json", **environ)
    assert run.code == 2
    assert "ImportError: not today" in run.err
    assert run.err.splitlines()[-1].startswith("splito: no-worker: ")


def test_help_has_examples(splito: Splito) -> None:
    assert "splito worker" in splito("worker", "--help").out.partition("Examples:")[2]
