"""Speed and memory of the service, and its correctness under many open matches and event streams."""

from collections.abc import Iterator, Sequence
from statistics import mean, median

import uvloop
from msgspec import Struct
from rich.console import Console

from benchmarks.harness import ratio
from benchmarks.report import SPREAD, Report, Row, at_least, at_most, mark, plain, spread
from benchmarks.serving import memory
from benchmarks.serving.cases import (
    OWN,
    SEAL,
    SPECTATOR,
    TOGETHER,
    Case,
    Findings,
    prepare,
    run_rounds,
    tables_needed,
    usage,
)
from benchmarks.serving.load import Load, connected
from benchmarks.serving.memory import PerMatch
from benchmarks.serving.server import HOST, Running, cores_told, serving
from benchmarks.serving.streams import Audience, Watched, look_at_all, watch
from benchmarks.serving.tables import Place, Table, advance, make, plan
from splito_service.matches.store import Matches
from splito_service.storage.client import Link

GOALS = {SPECTATOR: 0.6, OWN: 0.5, SEAL: 0.4}
"""Goals: answers per second, as a share of those of a constant of the same size."""
CALLS = 1.05
"""Script calls in Redis per move. The end of each match has one more."""
MEMORY = 1500
"""Bytes of Redis for a finished match."""
MIDDLE = 6
"""Number of turns played in matches with spectators: half of a match."""


class Scale(Struct, frozen=True, kw_only=True):
    """Size of a run."""

    connections: int = 32
    rounds: int = 15
    moment: float = 0.4
    """Seconds for each case in each round."""
    looked_at: int = 4600
    """Number of matches: more than the service keeps encoded views of."""
    finished: int = 2000
    """Number of matches for the measurement of memory."""
    audience: Audience = Audience()


class Measured(Struct, frozen=True):
    cases: list[Case]
    findings: Findings
    memory: float
    """Bytes of the server process before the first request."""
    watched: Watched


def measured(scale: Scale = Scale()) -> Report:  # noqa: B008 (immutable)
    console = Console()
    with console.status("matches that are over: memory"):
        per_match = memory.per_match(scale.finished)
    with serving() as running:
        found = uvloop.run(_measure(running, scale, console))
    rows = [
        *_ratio_rows(found),
        *_store_rows(found.findings, per_match),
        *_stream_rows(found.watched, scale.audience),
        *_memory_rows(found),
        *_rate_rows(found.findings),
    ]
    return Report(rows, _note(found.findings, scale))


async def _measure(running: Running, scale: Scale, console: Console) -> Measured:
    async with Link(running.redis_url) as link:
        matches = Matches(link)
        async with connected(HOST, running.port, 1) as load:
            memory_before = (await usage(load)).memory
        with console.status("matches to look at and to play"):
            places, some, others = await _make(running, scale, matches)
        async with connected(HOST, running.port, scale.connections) as load:
            contenders = await prepare(load, places, some, others)
            findings = await run_rounds(load, link, contenders, scale.rounds, scale.moment)
            with console.status("open matches and event streams"):
                watched = await _watch(running, scale.audience, load, matches, places)
    return Measured(contenders, findings, memory_before, watched)


async def _make(running: Running, scale: Scale, matches: Matches) -> tuple[list[Place], list[Table], list[Table]]:
    """Create matches to read, and two lots to play, just before use, because idle connections are closed."""
    count = tables_needed(scale.rounds, scale.moment, scale.connections)
    async with connected(HOST, running.port, scale.connections) as load:
        places, some, others = [await make(load, number) for number in (scale.looked_at, count, count)]
    await advance(matches, places, MIDDLE)
    return places, await plan(matches, some), await plan(matches, others)


async def _watch(
    running: Running, audience: Audience, load: Load, matches: Matches, places: Sequence[Place]
) -> Watched:
    more = await make(load, audience.open - len(places))
    tables = await plan(matches, more[: audience.watched])
    watched = await watch(running.port, load, tables, audience)
    everything = [*places, *tables, *more[len(tables) :]]
    await look_at_all(load, everything, {place.id: MIDDLE for place in places})
    return watched


def _ratio_rows(found: Measured) -> Iterator[Row]:
    compared = [case for case in found.cases if case.beside != case.name]
    for case in compared:
        what = f"{case.name} / {case.beside}, answers per second"
        share = ratio(found.findings.rates, case.name, case.beside)
        yield at_least(what, share, GOALS[case.name]) if case.name in GOALS else plain(what, f"{share:.2f}")
    for case in compared:
        share = ratio(found.findings.by_cpu, case.name, case.beside)
        yield plain(f"the same by CPU time of the server, {case.name}", f"{share:.2f}")


def _store_rows(findings: Findings, per_match: PerMatch) -> Iterator[Row]:
    yield at_most(f"calls of Redis, {SEAL} (one more when a match ends)", mean(findings.calls[SEAL]), CALLS)
    for name in (TOGETHER, SPECTATOR, OWN):
        yield plain(f"calls of Redis, {name}", f"{mean(findings.calls[name]):.2f}")
    wrong = findings.unexpected.total()
    yield "answers of another status than they should have", f"{wrong:,}", "0", mark(not wrong)
    what = "memory of Redis for a 4-player Splito match that is over and listed"
    yield what, f"{per_match.total:,.0f} bytes", f"<= {MEMORY:,}", mark(per_match.total <= MEMORY)
    shares = f"{per_match.record:,.0f} / {per_match.listed:,.0f} / {per_match.rest:,.0f} bytes"
    yield plain("of that: its record with its key / its place in the list / the table of keys", shares)


def _stream_rows(watched: Watched, audience: Audience) -> Iterator[Row]:
    """Return the report; the benchmark raises if an answer was wrong."""
    what = f"{audience.open:,} open matches, {audience.streams:,} event streams, half of them cut once"
    yield f"{what}: events missing, twice or wrong", f"0 of {watched.events:,}", "0", mark(True)
    delayed = f"events after the acknowledgement of the move that revealed the turn, {SPREAD}"
    yield plain(delayed, spread(watched.delays))
    sealed = f"sealing a move meanwhile, {watched.run.rate:,.0f} a second, {SPREAD}"
    yield plain(sealed, spread(watched.run.latencies))
    yield plain("CPU of the server meanwhile", f"{watched.cpu:.0%}")


def _memory_rows(found: Measured) -> Iterator[Row]:
    for state, used in {"started": found.memory, **found.watched.memory}.items():
        yield plain(f"memory of the service process, {state}", f"{used / 1e6:,.0f} MB")


def _rate_rows(findings: Findings) -> Iterator[Row]:
    for name, rates in findings.rates.items():
        shown = f"{median(rates):,.0f}; {spread(findings.latencies[name])}"
        yield plain(f"{name}: per second; latency {SPREAD}", shown)


def _note(findings: Findings, scale: Scale) -> str:
    busy = max(median(shares) for shares in findings.busy.values())
    return (
        f"{cores_told()} The constant is a plain route of the same server, without limits. {scale.connections}"
        " connections ask without a pause, so rates are what one core can do, and latencies are those of a queue. Of"
        f" its core the load used {busy:.0%} at most. Ratios are medians of {scale.rounds} rounds, by the clock."
    )
