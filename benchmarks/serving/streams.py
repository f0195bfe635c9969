"""Many open matches and event streams on one process: correctness and delay.

Some matches have several streams each. Half of the streams lose their connection in the middle and reconnect with the
last id that they read. The matches are played to the end at a steady rate; then every stream must have read every turn
exactly once, in order, as it was played.
"""

import asyncio
from collections.abc import Iterator, Sequence
from random import Random
from time import perf_counter
from typing import TypeAlias

import msgspec
from msgspec import Struct

from benchmarks.serving.cases import usage
from benchmarks.serving.events import Watcher, told
from benchmarks.serving.load import Answer, Load, Run, Talk, Talker
from benchmarks.serving.tables import Place, Table

OPENED_AT_ONCE = 100
END_LIMIT = 30.0
"""Seconds for the last events to come, and for cut streams to reconnect."""
RNG = Random(3)


class Audience(Struct, frozen=True, kw_only=True):
    """Size of a run."""

    open: int = 10_000
    """Number of matches, with those that have streams."""
    watched: int = 200
    """Number of matches with streams."""
    streams: int = 2000
    seals: int = 600
    """Moves sealed per second, in all."""


class Watched(Struct, frozen=True):
    """The result of the streams."""

    events: int
    delays: list[float]
    """Seconds from the acknowledgement of the move that revealed a turn to the event, for streams that were not cut."""
    run: Run
    """The run of the load that sealed the moves."""
    cpu: float
    """Share of its core that the server used meanwhile."""
    memory: dict[str, float]
    """Bytes of the server process, by stage."""


Revealed: TypeAlias = dict[tuple[str, int], float]
"""Time of the acknowledgement of the last move, by match and turn."""


async def watch(port: int, load: Load, tables: Sequence[Table], audience: Audience) -> Watched:
    """Play the tables with streams, and return the result. Raise `RuntimeError` if any stream or match is wrong."""
    memory = {f"{audience.open:,} open matches": (await usage(load)).memory}
    watchers = [Watcher(port, *_watched(tables, number)) for number in range(audience.streams)]
    tasks = await _open(watchers)
    before = await usage(load)
    memory[f"{audience.streams:,} streams too"] = before.memory
    revealed: Revealed = {}
    run = await load.run(
        [Talker(_play(tables[n :: load.size], revealed)) for n in range(load.size)], rate=audience.seals
    )
    after = await usage(load)
    await _end(tasks)
    _check(watchers, run)
    return Watched(
        events=sum(len(watcher.heard) for watcher in watchers),
        delays=list(_delays(watchers, revealed)),
        run=run,
        cpu=(after.cpu - before.cpu) / run.seconds,
        memory=memory,
    )


def _watched(tables: Sequence[Table], number: int) -> tuple[Table, int | None]:
    """Return the match that the stream with this number watches, and the number of events after which it is cut."""
    row, place = divmod(number, len(tables))
    table = tables[place]
    return table, RNG.randint(2, len(table.turns)) if row % 2 else None


async def _open(watchers: Sequence[Watcher]) -> list[asyncio.Task[None]]:
    """Open the streams one after the other; return when each has read an event."""
    tasks: list[asyncio.Task[None]] = []
    for begin in range(0, len(watchers), OPENED_AT_ONCE):
        some = watchers[begin : begin + OPENED_AT_ONCE]
        tasks += [asyncio.create_task(watcher.watch()) for watcher in some]
        async with asyncio.timeout(END_LIMIT):
            await asyncio.gather(*(watcher.begun.wait() for watcher in some))
    return tasks


def _play(tables: Sequence[Table], revealed: Revealed) -> Talk:
    """Return the conversation that plays all these matches at the same time, turn by turn."""
    for turns in zip(*(table.turns for table in tables), strict=True):
        for table, turn in zip(tables, turns, strict=True):
            for decision in turn:
                yield table.seal(decision)
            revealed[table.id, turn[0].turn] = perf_counter()


async def _end(tasks: list[asyncio.Task[None]]) -> None:
    """End the streams; an event that a stream still waits for counts as lost."""
    done, late = await asyncio.wait(tasks, timeout=END_LIMIT)
    for task in late:
        task.cancel()
    await asyncio.gather(*late, return_exceptions=True)
    for task in done:
        task.result()


def _check(watchers: Sequence[Watcher], run: Run) -> None:
    if faults := sum(watcher.faults() for watcher in watchers):
        raise RuntimeError(f"{faults} events were missing, twice, out of order or not what was played")
    if run.statuses.keys() != {200}:
        raise RuntimeError(f"moves were refused: {dict(run.statuses)}")


def _delays(watchers: Sequence[Watcher], revealed: Revealed) -> Iterator[float]:
    """Yield the delays of streams that were not cut; 0 for an event before its acknowledgement."""
    for watcher in watchers:
        for event, at in watcher.heard:
            kind, news = told(event)
            if watcher.cut is None and kind == "turn" and news.turn is not None:
                yield max(0.0, at - revealed[watcher.table.id, news.turn])


class Look(Struct, frozen=True):
    """The part of a view that is compared."""

    id: str
    turn: int
    scores: tuple[tuple[int, ...], ...] | None


async def look_at_all(load: Load, places: Sequence[Place], turns: dict[str, int]) -> None:
    """Check that every match is as expected: over, or after this many turns. Raise `RuntimeError` if not."""
    wrong: list[str] = []
    await load.run([Talker(_look(places[n :: load.size], turns, wrong)) for n in range(load.size)])
    if wrong:
        raise RuntimeError(f"{len(wrong)} matches are not what they should be, such as {wrong[0]}")


def _look(places: Sequence[Place], turns: dict[str, int], wrong: list[str]) -> Talk:
    for place in places:
        answer = yield place.view()
        if not _is_right(answer, place, turns.get(place.id, 0)):
            wrong.append(f"{place.id}: {answer.status} {answer.body.decode()}")


def _is_right(answer: Answer, place: Place, turn: int) -> bool:
    if isinstance(place, Table):
        wanted = Look(place.id, len(place.turns), tuple(map(tuple, place.scores)))
    else:
        wanted = Look(place.id, turn, None)
    return answer.status == 200 and msgspec.json.decode(answer.body, type=Look) == wanted
