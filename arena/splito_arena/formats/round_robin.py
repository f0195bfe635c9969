"""Round robin and gauntlet: all tables are known from the start, so they are one round.

If a bot drops out, its remaining tables cannot be played. The others go on as planned, and stay balanced: of all tables
of N bots, the tables without one of them are all tables of N - 1.
"""

from collections.abc import Sequence

from splito_arena.formats.past import active
from splito_arena.formats.table_designs import design
from splito_arena.formats.types import Entrant, Gauntlet, Past, Round, RoundRobin
from splito_engine.chance import shuffled


def round_robin(kind: RoundRobin, players: int, entrants: Sequence[Entrant], past: Past, seed: str) -> Round | None:
    bots = active(entrants)
    if past.rounds or len(bots) < players:
        return None
    return Round(tuple(_tables(bots, players, kind.tables, seed)), kind.blocks)


def gauntlet(kind: Gauntlet, players: int, entrants: Sequence[Entrant], past: Past, seed: str) -> Round | None:
    bots = active(entrants)
    others = [bot for bot in bots if bot != kind.bot]
    if past.rounds or kind.bot not in bots or len(bots) < players:
        return None
    return Round(tuple((kind.bot, *field) for field in _tables(others, players - 1, kind.tables, seed)), kind.blocks)


def _tables(bots: Sequence[str], size: int, tables: int, seed: str) -> list[tuple[str, ...]]:
    """Return the tables; the seed decides the number of each bot in the design and the order of the tables."""
    named = shuffled(sorted(bots), seed, "formats/numbers")
    planned = design(len(bots), size, tables)
    return [tuple(named[number] for number in table) for table in shuffled(planned, seed, "formats/tables")]
