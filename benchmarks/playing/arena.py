"""Asks per second of the arena: complete asks, from the view to the record, signed, timed and judged.

The bot is a process on its own core and not the limit; its caller has the other core. All callers are compared in the
same rounds: wrk and a bare loop of aiohttp send the bytes of one ask over and over.
"""

import asyncio
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import uvloop
from msgspec import Struct
from rich.progress import track

from benchmarks.cores import CORES, on
from benchmarks.harness import Rates, ratio
from benchmarks.playing.rivals import aiohttp_loop, has_wrk, least_loop, wrk
from benchmarks.report import Report, Row, at_least, at_most, plain
from benchmarks.serving.server import HOST, await_port, free_port
from splito_arena.bots.direct import Bot, play_match
from splito_arena.bots.in_process import Plugin
from splito_arena.bots.push import Push
from splito_arena.bots.push_client import BotClient
from splito_arena.gc_freeze import spare_collector
from splito_arena.match.player import Player
from splito_arena.match.question import History, question
from splito_arena.match.referee import referee
from splito_arena.match.terms import Terms
from splito_arena.net.http_client import Caller
from splito_arena.net.signing import Key, new_secret
from splito_engine.game import Seat
from splito_engine.games import splito
from splito_engine.match import legal_moves, play, start
from splito_engine.player import Ask, Time

SALT = "00" * 16
NUMBERS = count()
BATCH = 64
PLAIN, TOGETHER, BARE = "asks through the referee", "asks in batches of 64", "a bare loop of aiohttp"
WRK, PLUGIN, LOOP = "wrk", "asks of plugins through the referee", "the bare loop of the engine"
LEAST = "a constant, signed, sent and parsed, and nothing else"
"""Names of the contenders."""


class Scale(Struct, frozen=True):
    """Size of a run."""

    connections: int = 64
    rounds: int = 9
    moment: float = 1.0
    """Seconds for each contender in each round."""
    at_once: int = 500
    """Number of matches for the measurement of memory."""


class Bots(Struct, frozen=True):
    """Ports of the two bots."""

    plain: int
    batch: int


def measured(scale: Scale = Scale()) -> Report:  # noqa: B008 (immutable)
    spare_collector()  # as our workers do
    with on(CORES[:1]), _bots() as bots, on(CORES[-1:]):
        rates = _run(bots, scale)
        memory = uvloop.run(_memory(bots.plain, scale.at_once))
    return Report([*_rows(rates), *memory], _note(scale))


@contextmanager
def _bots() -> Generator[Bots]:
    ports = [free_port(), free_port()]
    batches = ["0", str(BATCH)]
    root = Path(__file__).parents[2]
    running = [
        subprocess.Popen([sys.executable, "-m", "benchmarks.playing.bot", str(port), batch], cwd=root)
        for port, batch in zip(ports, batches, strict=True)
    ]
    try:
        for port in ports:
            await_port(port)
        yield Bots(*ports)
    finally:
        for process in running:
            process.kill()
            process.wait()


def _run(bots: Bots, scale: Scale) -> Rates:
    body = _ask_body()
    size, moment = scale.connections, scale.moment
    contenders: dict[str, Callable[[], float]] = {
        PLAIN: lambda: uvloop.run(_push(bots.plain, size // 4, 4, moment)),
        f"{PLAIN}, 3 players": lambda: uvloop.run(_push(bots.plain, size // 3, 3, moment)),
        f"{PLAIN}, 8 players": lambda: uvloop.run(_push(bots.plain, size // 8, 8, moment)),
        TOGETHER: lambda: uvloop.run(_push(bots.batch, 4 * BATCH, 4, moment)),
        BARE: lambda: uvloop.run(aiohttp_loop(bots.plain, body, size, moment)),
        LEAST: lambda: uvloop.run(least_loop(bots.plain, body, size, moment)),
        PLUGIN: lambda: uvloop.run(_plugins(moment)),
        LOOP: lambda: _loop(moment),
    }
    if has_wrk():
        contenders[WRK] = lambda: wrk(bots.plain, body, size, moment)
    rates: Rates = {name: [] for name in contenders}
    for _ in track(range(scale.rounds), description="arena"):
        for name, run in contenders.items():
            rates[name].append(run())
    return rates


def _first(ask: Ask) -> object:
    return ask.moves[0]


def _stand_in(_: Seat) -> Player:
    return Plugin("first", _first)


async def _push(port: int, tables: int, players: int, seconds: float) -> float:
    """Return the asks per second with this many matches at once."""
    async with Caller() as caller:
        at_table = await _pushed(caller, port, players)
        return await _play_for(seconds, tables, lambda: at_table)


async def _pushed(caller: Caller, port: int, players: int) -> list[Player]:
    key = Key(new_secret())
    client = BotClient(caller, f"http://{HOST}:{port}", key, allow_private=True)
    info = await client.info()
    return [Push(client, info, f"first {seat}") for seat in range(players)]


async def _plugins(seconds: float) -> float:
    at_table: list[Player] = [Plugin(f"first {seat}", _first) for seat in range(4)]
    return await _play_for(seconds, 1, lambda: at_table)


async def _play_for(seconds: float, tables: int, players: Callable[[], list[Player]]) -> float:
    begun = perf_counter()

    async def table() -> int:
        asks = 0
        while perf_counter() - begun < seconds:
            asks += await _match(players())
        return asks

    asks = sum(await asyncio.gather(*(table() for _ in range(tables))))
    return asks / (perf_counter() - begun)


async def _match(players: list[Player]) -> int:
    """Play a whole match and return its number of asks."""
    number = next(NUMBERS)
    played = await referee(Terms(game=splito, match=f"m{number}", seed=str(number), salt=SALT), players, _stand_in)
    if any(seat.faults for seat in played.seats):
        raise RuntimeError(f"the bot is the limit: {played.seats}")
    return sum(len(seat.elapsed_ms) for seat in played.seats)


def _loop(seconds: float) -> float:
    """Return the asks per second of a bare loop: views, legal moves, choices and steps, without messages."""
    asks, begun = 0, perf_counter()
    bots = [Bot("first", _first)] * 4
    while perf_counter() - begun < seconds:
        match = play_match(splito, bots, str(next(NUMBERS)))
        asks += 4 * len(match.turns)
    return asks / (perf_counter() - begun)


def _ask_body() -> bytes:
    """Return an ask from the middle of a match."""
    match = start(splito, 4, "middle")
    for _ in range(6):
        match = play(match, {seat: legal_moves(match, seat)[0] for seat in match.actors})
    return question(match, 0, "middle", History(), time=Time(6000, 1000, 5000)).encoded()


def _rows(rates: Rates) -> Iterator[Row]:
    if WRK in rates:
        yield at_least(f"{PLAIN} / {WRK}, the same bot", ratio(rates, PLAIN, WRK), 0.25)
    yield at_least(f"{PLAIN} / {BARE}", ratio(rates, PLAIN, BARE), 4)
    yield at_least(f"{TOGETHER} / {PLAIN}", ratio(rates, TOGETHER, PLAIN), 5)
    yield at_least(f"{PLUGIN} / {LOOP}", ratio(rates, PLUGIN, LOOP), 0.8)
    grown = ratio(rates, f"{PLAIN}, 3 players", f"{PLAIN}, 8 players")
    yield at_most("time of an ask with 8 players / with 3", grown, 1.0)
    for name, found in rates.items():
        yield plain(f"{name}, per second", f"{median(found):,.0f}")
    least, bare, loop = (1e6 / median(rates[name]) for name in (LEAST, BARE, LOOP))
    yield plain(
        "microseconds that 4 times aiohttp leave, when an ask is signed, sent and parsed", f"{bare / 4 - least:.1f}"
    )
    yield plain("microseconds of the bare loop of the engine for an ask", f"{loop:.1f}")


async def _memory(port: int, at_once: int) -> list[Row]:
    """Return the memory that this process needs for each running match, at a fifth of the matches and at all."""
    async with Caller() as caller:
        players = await _pushed(caller, port, 4)
        await asyncio.gather(*(_match(players) for _ in range(at_once)))  # so that all pools are filled
        few, many = [await _per_match(players, number) for number in (at_once // 5, at_once)]
        before = process_time()
        begun = perf_counter()
        asks = sum(await asyncio.gather(*(_match(players) for _ in range(at_once))))
        busy = (process_time() - before) / (perf_counter() - begun)
    return [
        plain(f"memory of a match that goes on, {at_once // 5} at once", f"{few / 1000:,.1f} kB"),
        plain(f"memory of a match that goes on, {at_once} at once", f"{many / 1000:,.1f} kB"),
        plain(f"{at_once} matches at once: {asks:,} asks without a fault, CPU of the arena", f"{busy:.0%}"),
    ]


async def _per_match(players: list[Player], number: int) -> float:
    """Return the bytes per running match that Python has allocated, in the middle of the matches."""
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    running = asyncio.gather(*(_match(players) for _ in range(number)))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    used, _ = tracemalloc.get_traced_memory()
    await running
    tracemalloc.stop()
    return (used - before) / number


def _note(scale: Scale) -> str:
    apart = f"The bot on core {CORES[0]}, whoever calls it on core {CORES[-1]}." if len(CORES) > 1 else ""
    missing = "" if has_wrk() else " wrk is not installed, so nothing is compared with it."
    return (
        f"{apart} {scale.connections} asks at a time; an ask of the middle of a match has {len(_ask_body()):,} bytes."
        f" Ratios are medians of {scale.rounds} rounds, by the clock.{missing}"
    )
