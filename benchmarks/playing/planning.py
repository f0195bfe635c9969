"""Time to plan the tables of a round, in a field of a thousand bots.

Each figure is the least CPU time of several plans in a row, because the cost of a design is the same on every run.
"""

from collections.abc import Callable
from time import process_time

from msgspec import Struct

from benchmarks.report import Report, Row, at_most, plain
from splito_arena.formats import Elimination, Entrant, Format, Ladder, Past, RoundRobin, Swiss, TableResult, next_round
from splito_arena.formats.table_designs import design

PLAYERS = 4
GOAL_SECONDS = 2


class Scale(Struct, frozen=True):
    """Size of a run."""

    bots: int = 1000
    blocks: int = 10_000
    plans: int = 3


def measured(scale: Scale = Scale()) -> Report:  # noqa: B008 (immutable)
    entrants = [Entrant(f"bot{number:05}@1", owner=f"o{number // 3}", rating=number) for number in range(scale.bots)]
    rows = [_round_robin(scale, scale.blocks, entrants), _round_robin(scale, scale.blocks - 1, entrants)]
    return Report([*rows, *_rounds(scale, entrants)], f"Planning: tables of {PLAYERS}, CPU time of one core.")


def _round_robin(scale: Scale, blocks: int, entrants: list[Entrant]) -> Row:
    """Measure a design. One block more or less matters, because numbers that divide evenly need no filling up."""

    def plan() -> None:
        design.cache_clear()
        next_round(RoundRobin(tables=blocks), PLAYERS, entrants, Past(), "seed")

    what = f"round robin of {blocks:,} blocks for {scale.bots:,} bots, seconds"
    return at_most(what, _seconds(plan, scale.plans), GOAL_SECONDS)


def _rounds(scale: Scale, entrants: list[Entrant]) -> list[Row]:
    """Measure the second round of each format, because it has a past round to read."""
    kinds: dict[str, Format] = {
        "Swiss": Swiss(rounds=5),
        "double elimination": Elimination(double=True),
        "a ladder with a table for everybody": Ladder(tables=scale.bots // PLAYERS),
    }
    return [
        plain(f"a round of {name}, seconds", f"{_second_round(kind, scale, entrants):.3f}")
        for name, kind in kinds.items()
    ]


def _second_round(kind: Format, scale: Scale, entrants: list[Entrant]) -> float:
    first = next_round(kind, PLAYERS, entrants, Past(), "seed")
    tables = first.tables if first else ()
    past = Past((tuple(TableResult(table, (1.0, 2.0, 3.0, 4.0)) for table in tables),))
    return _seconds(lambda: next_round(kind, PLAYERS, entrants, past, "seed"), scale.plans)


def _seconds(plan: Callable[[], object], plans: int) -> float:
    return min(_once(plan) for _ in range(plans))


def _once(plan: Callable[[], object]) -> float:
    begin = process_time()
    plan()
    return process_time() - begin
