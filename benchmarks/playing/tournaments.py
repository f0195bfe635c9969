"""Tournaments through service, Redis and RQ: beside `splito match` with the same bots, and with one and two workers.

The rate of a tournament is measured between two readings, after it has begun and before it ends, so it does not contain
the start of the workers.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import ExitStack, aclosing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit

import uvloop
from msgspec import Struct
from msgspec.structs import replace
from rich.progress import track

from benchmarks.cores import CORES, on
from benchmarks.playing.ledger import bytes_per_block
from benchmarks.report import Report, Row, at_least, plain
from benchmarks.serving.server import HOST, await_port, free_port
from splito_arena.blocks.series import Series, opening, play_series
from splito_arena.bots.lineup import seated
from splito_arena.match.messages import BotInfo
from splito_service.bots.store import Bots
from splito_service.processes.embedded_redis import open_server
from splito_service.storage.client import Link

GAME, PLAYERS, TURNS = "splito", 4, 13
AT_ONCE = 96
"""Number of games that a shift, and here also `splito match`, plays at a time."""
HOUSE = ("planner", "greedy", "random")
POLL = 0.1
PATIENCE = 120.0
ROOT = Path(__file__).parents[2]
SPLITO = (sys.executable, "-m", "splito_cli")
INFO = BotInfo(name="first", author="bench", version="1", games=[GAME], concurrency=256)


class Scale(Struct, frozen=True):
    """Size of a run."""

    rounds: int = 5
    moment: float = 6.0
    """Seconds for each contender in each round."""
    stored: int = 100
    """Number of blocks for the measurement of memory."""


class Arena(Struct, frozen=True):
    """A running service."""

    url: str
    redis_url: str
    key: str

    def ask(self, method: str, path: str, body: object = None) -> Any:
        place = urlsplit(self.url)
        connection = HTTPConnection(place.hostname or "", place.port, timeout=PATIENCE)
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self.key}"} if self.key else {})
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            found = json.loads(answer.read())
        finally:
            connection.close()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {found}")
        return found


def measured(scale: Scale = Scale()) -> Report:  # noqa: B008 (immutable)
    with on(CORES[:1]), _bot() as port, on(CORES[-1:]), _arena() as arena:
        beside = _beside(arena, port, scale)
    with on(CORES), _arena() as arena:
        workers = _scaling(arena, scale)
    with on(CORES):
        memory = bytes_per_block(scale.stored)
    rows = [*beside, *workers, plain("Redis memory per stored block of 12 games", f"{memory.total:,.0f} bytes")]
    return Report(rows, _note(scale))


def _beside(arena: Arena, port: int, scale: Scale) -> list[Row]:
    """Give the bot one core; `splito match`, or worker, Redis and service together, get the other."""
    url = f"http://{HOST}:{port}"
    bots = asyncio.run(_registered(arena, url, PLAYERS))
    match, tournament = list[float](), list[float]()
    for _ in track(range(scale.rounds), description="tournaments"):
        with on(CORES[-1:]):
            match.append(uvloop.run(_match(url, scale.moment)))
        tournament.append(PLAYERS * TURNS * _held(arena, bots, 1, CORES[-1:], scale.moment))
    ratios = [one / other for one, other in zip(tournament, match, strict=True)]
    return [
        at_least("asks of a tournament / of `splito match`, push bots", median(ratios), 0.8),
        plain("asks of `splito match`, per second", f"{median(match):,.0f}"),
        plain("asks of a tournament, per second", f"{median(tournament):,.0f}"),
    ]


def _scaling(arena: Arena, scale: Scale) -> list[Row]:
    one, two = list[float](), list[float]()
    for _ in track(range(scale.rounds), description="workers"):
        one.append(_held(arena, HOUSE, 1, CORES, scale.moment))
        two.append(_held(arena, HOUSE, 2, CORES, scale.moment))
    ratios = [more / less for more, less in zip(two, one, strict=True)]
    return [
        at_least("games with two workers / with one, bots of the house", median(ratios), 1.7),
        plain("games with one worker, per second", f"{median(one):,.1f}"),
        plain("games with two workers, per second", f"{median(two):,.1f}"),
    ]


async def _match(url: str, seconds: float) -> float:
    """Return the asks per second."""
    series = Series(game=GAME, bots=(url,) * PLAYERS, seed="bench", deals=10**6, at_once=AT_ONCE)
    asks, begun = 0, 0.0
    async with (
        seated(series.bots, opening(series), {}) as company,
        aclosing(play_series(series, company)) as blocks,
    ):
        async for block in blocks:
            begun = begun or perf_counter()
            if (spent := perf_counter() - begun) > seconds:
                return asks / spent
            asks += sum(len(times) for result in block.results for times in result.seconds)
    raise RuntimeError("there were not enough deals")


def _held(arena: Arena, bots: Sequence[str], workers: int, cores: list[int], seconds: float) -> float:
    """Return the games per second of a long tournament, which is then cancelled."""
    body = {
        "game": GAME,
        "name": "bench",
        "players": len(bots),
        "bots": list(bots),
        "format": {"kind": "round-robin", "blocks": 9999},
    }
    with on(cores), _started("worker", "--processes", str(workers), "--json", redis_url=arena.redis_url):
        path = f"/v1/tournaments/{arena.ask('POST', '/v1/tournaments', body)['id']}"
        try:
            begun, first = _look(arena, path, 1)
            time.sleep(1)  # until all workers play
            begun, first = _look(arena, path, first + 1)
            time.sleep(seconds)
            ended, last = _look(arena, path, first + 1)
        finally:
            arena.ask("PUT", f"{path}/state", {"state": "cancelled"})
    return (last - first) / (ended - begun)


def _look(arena: Arena, path: str, least: int) -> tuple[float, int]:
    """Return the time and the number of games when there are at least this many."""
    until = perf_counter() + PATIENCE
    while perf_counter() < until:
        games: int = arena.ask("GET", path)["progress"]["games"]
        if games >= least:
            return perf_counter(), games
        time.sleep(POLL)
    raise RuntimeError("nobody plays")


async def _registered(arena: Arena, url: str, count: int) -> list[str]:
    """Register bots by writing them into Redis, because their proof is not measured; return their ids."""
    async with Link(arena.redis_url) as link:
        bots = Bots(link)
        made = [await bots.create("0" * 24, "push", f"first {number}", url) for number in range(count)]
        for bot in made:
            await bots.change(bot.id, lambda kept: replace(kept, info=INFO, state="ready", passed=INFO.version))
        return [bot.id for bot in made]


@contextmanager
def _arena() -> Generator[Arena]:
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory())
        redis = stack.enter_context(open_server(Path(folder)))
        ready = stack.enter_context(_started("serve", "--port", "0", "--json", redis_url=redis.url))
        arena = Arena(ready["url"], redis.url, "")
        yield replace(arena, key=arena.ask("POST", "/v1/owners", {"name": "bench"})["key"])


@contextmanager
def _started(*words: str, redis_url: str) -> Generator[dict[str, Any]]:
    """Run a `splito` command in the background; yield the line that it prints when it is ready."""
    settings = {
        "REDIS_URL": redis_url,
        "DEV": "1",
        "RATE": "0",
        "CREATE_RATE": "0",
        "HEALTH_SECONDS": "0",
    }
    environ = {**os.environ, **{f"SPLITO_{name}": value for name, value in settings.items()}}
    process = subprocess.Popen([*SPLITO, *words], env=environ, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        yield json.loads(process.stdout.readline() if process.stdout else "")
    finally:
        process.terminate()
        process.wait(PATIENCE)
        if process.stdout:
            process.stdout.close()


@contextmanager
def _bot() -> Generator[int]:
    port = free_port()
    process = subprocess.Popen([sys.executable, "-m", "benchmarks.playing.bot", str(port), "0"], cwd=ROOT)
    try:
        await_port(port)
        yield port
    finally:
        process.kill()
        process.wait()


def _note(scale: Scale) -> str:
    return (
        f"Tournaments of {GAME}: a bot that answers at once (registered four times) on core {CORES[0]}; `splito match`,"
        f" or else the worker, Redis and the service together, on core {CORES[-1]}, {AT_ONCE} games at once."
        f" One and two workers with {', '.join(HOUSE)} on all cores."
        f" Medians of {scale.rounds} rounds of {scale.moment:g} s."
    )
