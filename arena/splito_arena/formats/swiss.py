"""Swiss pods: in each round, bots that have done equally well so far sit at one table.

A table gives 1 point to the first, 0 to the last and equal steps between. If the bots do not fill all tables, some sit
out: those that have done so least often, and among them the lowest in the standing. A bot that sits out, or whose table
was not played, gets half a point, the average of a table. A bot that enters late has no points for the rounds before,
so late entry never pays.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from splito_arena.formats.avoid_rematches import parted
from splito_arena.formats.past import DIGITS, EVEN, active, at_start, meetings, points, seeded
from splito_arena.formats.types import Entrant, Past, Round, Swiss, TableResult


def swiss(kind: Swiss, players: int, entrants: Sequence[Entrant], past: Past, seed: str) -> Round | None:
    bots = active(entrants)
    if len(past.rounds) >= rounds_of(kind, players, at_start(entrants)) or len(bots) < players:
        return None
    standing = _standing(bots, entrants, past, seed)
    resting = _resting(standing, len(bots) % players, past)
    playing = [bot for bot in standing if bot not in resting]
    pods = [playing[first : first + players] for first in range(0, len(playing), players)]
    return Round(parted(pods, meetings(past), playing), kind.blocks)


def rounds_of(kind: Swiss, players: int, bots: int) -> int:
    """Return the number of rounds; by default so many that at most one bot can have won all its tables."""
    rounds = 1
    while players**rounds < bots:
        rounds += 1
    return kind.rounds or rounds


class SwissScore(NamedTuple):
    """The score of a bot; the greater one is better, compared field by field."""

    points: float
    opponents: float
    """Points of the bots that the bot has met, counted once per meeting."""
    tables_won: float
    """Number of tables won; 1/k of a table for each of k bots that share its first place."""


def swiss_scores(entrants: Sequence[Entrant], past: Past) -> dict[str, SwissScore]:
    """Return the score of each bot: its points, and the tie-breaks."""
    scores = _scores(entrants, past)
    strength, won = dict.fromkeys(scores, 0.0), dict.fromkeys(scores, 0.0)
    for (one, other), times in meetings(past).items():
        strength[one] += times * scores[other]
        strength[other] += times * scores[one]
    for bot, share in (one for tables in past.rounds for table in tables for one in _won(table)):
        won[bot] += share
    return {
        bot: SwissScore(score, round(strength[bot], DIGITS), round(won[bot], DIGITS)) for bot, score in scores.items()
    }


def _won(table: TableResult) -> Iterator[tuple[str, float]]:
    """Yield the bots that share the first place of a table, each with its share."""
    places = [round(place, DIGITS) for place in table.places or ()]
    first = [number for number, place in enumerate(places) if place == min(places)]
    yield from ((table.bots[number], 1 / len(first)) for number in first)


def _scores(entrants: Sequence[Entrant], past: Past) -> dict[str, float]:
    """Return the points of each bot, with half a point for a round without a table, also after dropping out, and none
    for a round before it entered.
    """
    scores = dict.fromkeys((entrant.bot for entrant in entrants), 0.0)
    since = {entrant.bot: entrant.since for entrant in entrants}
    for number, tables in enumerate(past.rounds):
        won = {bot: share for table in tables for bot, share in points(table).items()}
        for bot in scores:
            scores[bot] += won.get(bot, EVEN if number >= since[bot] else 0.0)
    return {bot: round(score, DIGITS) for bot, score in scores.items()}


def _standing(bots: Collection[str], entrants: Sequence[Entrant], past: Past, seed: str) -> list[str]:
    scores = _scores(entrants, past)
    here = {*bots}
    return sorted((bot for bot in seeded(entrants, seed) if bot in here), key=lambda bot: -scores[bot])


def _resting(standing: Sequence[str], number: int, past: Past) -> set[str]:
    played = Counter(bot for tables in past.rounds for table in tables for bot in table.bots)
    from_below = standing[::-1]
    return {*sorted(from_below, key=lambda bot: -played[bot])[:number]}
