"""The next round and the expected number of rounds of a tournament, for every format."""

from collections.abc import Iterator, Sequence
from itertools import repeat
from math import comb

from splito_arena.blocks.seatings import seatings
from splito_arena.experiments.blocks import duels
from splito_arena.formats.elimination import elimination
from splito_arena.formats.experiment import experiment
from splito_arena.formats.ladder import ladder
from splito_arena.formats.past import active, at_start
from splito_arena.formats.round_robin import gauntlet, late_tables, round_robin
from splito_arena.formats.swiss import rounds_of, swiss
from splito_arena.formats.types import (
    Elimination,
    Entrant,
    Expected,
    Experiment,
    Format,
    Gauntlet,
    Ladder,
    Past,
    Round,
    RoundRobin,
    Swiss,
    TableResult,
)

LATE_ROUND = 2
"""The round of a round robin in which bots play that entered during the first one."""
SOMEHOW = "expected"
"""Seed of a dry run, because the number of tables does not depend on luck."""


def next_round(kind: Format, players: int, entrants: Sequence[Entrant], past: Past, seed: str) -> Round | None:
    """Return the next round; None when the tournament is over. A ladder never ends: with too few bots its round has no
    tables.

    An experiment goes on to its cap here; splito_arena.experiments.sequential_test decides whether it ends earlier.
    """
    match kind:
        case RoundRobin():
            return round_robin(kind, players, entrants, past, seed)
        case Gauntlet():
            return gauntlet(kind, players, entrants, past, seed)
        case Swiss():
            return swiss(kind, players, entrants, past, seed)
        case Elimination():
            return elimination(kind, players, entrants, past, seed)
        case Ladder():
            return ladder(kind, players, entrants, past, seed)
        case Experiment():
            return experiment(kind, entrants, past)


def expected(kind: Format, players: int, entrants: Sequence[Entrant]) -> Expected:
    """Return the size of the tournament if all active bots stay to the end; see `Expected`."""
    rounds = [*_rounds(kind, players, entrants)]
    tables = sum(tables for tables, _ in rounds)
    blocks = sum(tables * each for tables, each in rounds)
    return Expected(len(rounds), tables, blocks, blocks * games_of_a_block(kind, players))


def late_until(kind: Format, players: int, entrants: Sequence[Entrant]) -> int:
    """Return the number of the round with whose plan late entry ends; 0 for a format without late entry.

    A ladder always takes bots, and is not asked.
    """
    match kind:
        case Swiss():
            return rounds_of(kind, players, at_start(entrants))
        case RoundRobin():
            return LATE_ROUND
        case _:
            return 0


def games_of_a_block(kind: Format, players: int) -> int:
    return len(duels(players, len(kind.field)) if isinstance(kind, Experiment) else seatings(players))


def _rounds(kind: Format, players: int, entrants: Sequence[Entrant]) -> Iterator[tuple[int, int]]:
    """Yield the number of tables of each round and of blocks per table.

    Large formats are counted without planning them.
    """
    bots = len(active(entrants))
    match kind:
        case RoundRobin() if bots >= players:
            early = sum(entrant.active and entrant.since == 0 for entrant in entrants)
            yield min(kind.tables, comb(early, players)), kind.blocks
            if bots > early:
                yield sum(late_tables(kind, players, others) for others in range(early, bots)), kind.blocks
        case Gauntlet() if bots >= players and kind.bot in active(entrants):
            yield min(kind.tables, comb(bots - 1, players - 1)), kind.blocks
        case Swiss() if bots >= players:
            yield from repeat((bots // players, kind.blocks), rounds_of(kind, players, at_start(entrants)))
        case _:
            yield from ((len(planned.tables), planned.blocks) for planned in _dry_run(kind, players, entrants))


def _dry_run(kind: Format, players: int, entrants: Sequence[Entrant]) -> Iterator[Round]:
    """Yield all rounds as if every table ended in the order of its seats; the first round for a ladder."""
    played: list[tuple[TableResult, ...]] = []
    while planned := next_round(kind, players, entrants, Past(tuple(played)), SOMEHOW):
        yield planned
        if isinstance(kind, Ladder):
            return
        played.append(tuple(TableResult(table, _in_order(table)) for table in planned.tables))


def _in_order(table: Sequence[str]) -> tuple[float, ...]:
    return tuple(float(place) for place in range(1, len(table) + 1))
