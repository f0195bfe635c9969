"""Round robin and gauntlet: all tables are known from the start, so they are one round.

If a bot drops out, its remaining tables cannot be played. The others go on as planned, and stay balanced: of all tables
of N bots, the tables without one of them are all tables of N - 1.

Bots that enter late play a further round of tables, each with one of them at least. If all tables are played, these are
the tables that are missing from a round robin of all bots; otherwise a late bot plays about as many as each other.
"""

from collections.abc import Sequence
from math import comb

from splito_arena.formats.past import active
from splito_arena.formats.table_designs import design
from splito_arena.formats.types import Entrant, Gauntlet, Past, Round, RoundRobin
from splito_engine.chance import shuffled


def round_robin(kind: RoundRobin, players: int, entrants: Sequence[Entrant], past: Past, seed: str) -> Round | None:
    bots = active(entrants)
    if len(bots) < players:
        return None
    if not past.rounds:
        return Round(tuple(_tables(bots, players, kind.tables, seed)), kind.blocks)
    late = _late_round(kind, players, entrants, past, seed)
    return Round(tuple(late), kind.blocks) if late else None


def late_tables(kind: RoundRobin, players: int, others: int) -> int:
    """Return the number of tables of a bot that joins so many others late."""
    if comb(others + 1, players) <= kind.tables:
        return comb(others, players - 1)
    return round(min(kind.tables, comb(others, players)) * players / max(1, others))


def _late_round(
    kind: RoundRobin, players: int, entrants: Sequence[Entrant], past: Past, seed: str
) -> list[tuple[str, ...]]:
    """Return the tables of the bots that have entered late and had none yet; none if there is no such bot."""
    seated = {bot for tables in past.rounds for table in tables for bot in table.bots}
    others = [bot for bot in active(entrants) if bot in seated]
    tables = list[tuple[str, ...]]()
    for bot in (one.bot for one in entrants if one.active and one.since and one.bot not in seated):
        number = late_tables(kind, players, len(others)) if len(others) >= players - 1 else 0
        tables += ((bot, *field) for field in _tables(others, players - 1, number, f"{seed}/{bot}") if number)
        others.append(bot)
    return tables


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
