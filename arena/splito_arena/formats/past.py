"""Results of past rounds as formats use them: points, meetings, waits and seeding order."""

from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from statistics import fmean
from typing import TypeAlias

from splito_arena.formats.types import Entrant, Past, TableResult
from splito_engine.chance import shuffled

Pair: TypeAlias = tuple[str, str]
"""Two bots in alphabetical order."""

DIGITS = 9
"""Decimal digits to which points and places are rounded, because thirds must add up in any order."""
EVEN = 0.5
"""Points of a bot that did not play, or whose table was not played: the average of a table."""


def active(entrants: Iterable[Entrant]) -> list[str]:
    return [entrant.bot for entrant in entrants if entrant.active]


def at_start(entrants: Iterable[Entrant]) -> int:
    """Return the number of bots that entered before the first round, with those that dropped out since."""
    return sum(entrant.since == 0 for entrant in entrants)


def seeded(entrants: Iterable[Entrant], seed: str) -> list[str]:
    """Return all bots, the best rated first; bots with the same rating or none are in random order by the seed."""
    drawn = shuffled(sorted(entrants, key=lambda entrant: entrant.bot), seed, "formats/seeds")
    return [entrant.bot for entrant in sorted(drawn, key=_strength, reverse=True)]


def points(result: TableResult) -> dict[str, float]:
    """Return the points of a table: from 1 for the first down to 0 for the last."""
    if result.places is None or len(result.bots) < 2:
        return dict.fromkeys(result.bots, EVEN)
    last = len(result.bots)
    return {bot: (last - place) / (last - 1) for bot, place in zip(result.bots, result.places, strict=True)}


def meetings(past: Past) -> Counter[Pair]:
    """Return the number of tables at which two bots have sat together."""
    return Counter(pair for tables in past.rounds for table in tables for pair in combinations(sorted(table.bots), 2))


def waits(bots: Iterable[str], past: Past) -> dict[str, int]:
    """Return for how many rounds each bot has had no table; all known rounds for a bot that never had one."""
    last = {bot: number for number, tables in enumerate(past.rounds) for table in tables for bot in table.bots}
    return {bot: len(past.rounds) - 1 - last.get(bot, -1) for bot in bots}


def pair(one: str, other: str) -> Pair:
    return (one, other) if one < other else (other, one)


def mean_places(past: Past) -> dict[str, tuple[float, int]]:
    """Return the mean place over its played tables, and their number, for each bot that has played."""
    found: dict[str, list[float]] = {}
    for table in (table for tables in past.rounds for table in tables if table.places is not None):
        for bot, place in zip(table.bots, table.places or (), strict=True):
            found.setdefault(bot, []).append(place)
    return {bot: (fmean(places), len(places)) for bot, places in found.items()}


def ranked(scores: dict[str, tuple[float, ...]]) -> tuple[tuple[str, ...], ...]:
    """Return the bots by score, the highest first; bots with the same score are together, in alphabetical order."""
    groups: dict[tuple[float, ...], list[str]] = {}
    for bot in sorted(scores):
        groups.setdefault(scores[bot], []).append(bot)
    return tuple(tuple(groups[score]) for score in sorted(groups, reverse=True))


def _strength(entrant: Entrant) -> float:
    return float("-inf") if entrant.rating is None else entrant.rating
