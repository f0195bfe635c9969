"""RQ: the cost of an empty job with each class of worker, and the time until a tournament goes on after a kill.

    python -m benchmarks.playing.queue

The only goal is the minute within which abandoned work must be taken up. docs/adr/0015-shifts-and-leases.md draws the
conclusions.
"""

import asyncio
import logging
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, perf_counter, sleep
from typing import Any

import redis
from rq import Queue, SimpleWorker, SpawnWorker, Worker

from benchmarks.report import Report, Row, at_most, plain, show
from splito_arena.formats import RoundRobin
from splito_service.bots.store import Bots
from splito_service.ids import new_id
from splito_service.processes.embedded_redis import open_server
from splito_service.settings import variable
from splito_service.storage.client import Link
from splito_service.tournaments.installed_versions import house_version
from splito_service.tournaments.ledger_store import Ledger
from splito_service.tournaments.model import StoredEntrant, StoredTournament
from splito_service.tournaments.organiser import Organiser

CLASSES: dict[type[Any], int] = {SimpleWorker: 200, Worker: 100, SpawnWorker: 10}
"""Number of empty jobs for each class."""
KILLED = {"its shift": 2, "its worker, and so its shift": 1}
"""Generation of the process, counted from `splito worker`."""
LIMIT = 120.0
MINUTE = 60.0


def measured() -> Report:
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as folder, open_server(Path(folder)) as server:
        jobs = [_empty_jobs(server.url, kind, count) for kind, count in CLASSES.items()]
        kills = [asyncio.run(_recovery(server.url, what, generation)) for what, generation in KILLED.items()]
    return Report([*jobs, *kills], "The tournament is played by one worker, which is replaced when it is killed.")


def _empty_jobs(url: str, kind: type[Any], count: int) -> Row:
    """Measure empty jobs. SpawnWorker supports no Unix sockets or Sentinels: its jobs fail after their full cost."""
    clients: Any = redis
    connection = clients.Redis.from_url(url)
    queue: Any = Queue(kind.__name__, connection=connection, serializer="json")
    for _ in range(count):
        queue.enqueue("time.time", job_timeout=-1, result_ttl=0)
    commands, begun = _commands(connection), perf_counter()
    kind([queue], connection=connection, serializer="json").work(burst=True, logging_level="CRITICAL")
    spent, sent = perf_counter() - begun, _commands(connection) - commands
    connection.close()
    return plain(f"an empty job, {kind.__name__}", f"{1000 * spent / count:.1f} ms, {sent / count:.0f} commands")


def _commands(connection: Any) -> int:
    return connection.info("stats")["total_commands_processed"]


async def _recovery(url: str, what: str, generation: int) -> Row:
    async with Link(url) as link:
        organiser, ledger = Organiser(link, Bots(link)), Ledger(link)
        kept = await organiser.hold(_tournament())
        with _worker(url) as worker:
            await _progress(ledger, kept.id, 5)
            os.kill(_generation(worker, generation), signal.SIGKILL)
            killed = monotonic()
            await _progress(ledger, kept.id, 1)
            seconds = monotonic() - killed
        await organiser.set_state(kept.id, "cancelled")
    return at_most(f"seconds until it goes on, killed: {what}", seconds, MINUTE)


async def _progress(ledger: Ledger, tournament_id: str, blocks: int) -> None:
    goal = (await ledger.counts(tournament_id)).done + blocks
    async with asyncio.timeout(LIMIT):
        while (await ledger.counts(tournament_id)).done < goal:  # noqa: ASYNC110 (it happens in Redis)
            await asyncio.sleep(0.01)


def _tournament() -> StoredTournament:
    entrants = [StoredEntrant(bot=name, name=name, version=house_version(name)) for name in ("random", "planner")]
    return StoredTournament(
        id=new_id(),
        owner="",
        name="Kills",
        game="splito",
        players=2,
        format=RoundRobin(blocks=10_000),
        entrants=tuple(entrants),
        secret="00" * 32,
        ranked=False,
    )


@contextmanager
def _worker(url: str) -> Generator[int]:
    command = [sys.executable, "-m", "splito_cli", "worker", "--json"]
    environ = {**os.environ, variable("redis_url"): url}
    with subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield process.pid
        finally:
            process.terminate()


def _generation(process: int, number: int) -> int:
    """Return the process that many forks below, which may take a moment to start."""
    limit = monotonic() + LIMIT
    while monotonic() < limit:
        found = process
        for _ in range(number):
            born = Path(f"/proc/{found}/task/{found}/children").read_text("ascii").split()
            found = int(born[0]) if born else 0
            if not found:
                break
        if found:
            return found
        sleep(0.01)
    raise TimeoutError("there is no such process")


if __name__ == "__main__":
    show(measured(), "Splito Arena benchmarks: queue")
