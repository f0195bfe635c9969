"""Collusion flags: pairs of bots that raise each other's results more than they raise those of other bots.

In Splito neighbours share a zone, and the zone of two colluding bots is worth more. A strong bot raises all its zones,
though, and the strengths of honest bots do not add up: a zone of two strong bots may be worth less than one of a strong
and a weak bot. A pair is therefore flagged only if all of this holds at once, in the mean of the blocks:

- their zone is worth at least three tenths more than the zones that the first bot shares with others;
- the same for the second bot;
- it is worth more than the sum of what both bots add to their zones with others.

Where a game has no zones, points are compared instead: a bot has three tenths more points in games beside the other
than in games of the same block apart from it, and gains more by that than other bots do.

The chance that a tournament of honest bots has any flag is at most `FALSE_ALARMS`: for each pair the weakest of its
reasons counts, by Student's t over blocks, and must pass at that rate divided by the number of pairs and by `SAFETY`. A
flagged pair also distorts the zones of others, so blocks with both of them are not used for any other pair.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, permutations
from math import atan, cos, pi, sin, sqrt
from statistics import fmean
from typing import TypeAlias

import msgspec

from splito_arena.blocks.ledger import Entry, Game, VersionId
from splito_arena.blocks.seatings import seatings
from splito_arena.stats.tournament_table import rated_entries
from splito_engine.game import shared_of
from splito_engine.record import replay
from splito_engine.registry import find_game

FALSE_ALARMS = 0.01
"""Greatest chance of a false flag in one tournament that is examined once."""
SAFETY = 2
"""Factor by which the test is stricter than it would have to be for values without skew."""
MARGIN = 0.3
"""Least excess of a suspect pair, as a share, because two honest bots may happen to fit together well."""
LEAST_BLOCKS = 8
LEAST_BOTS = 4
"""Least number of bots at a table, because with three bots two colluders look the same as a weak third bot."""

Bots: TypeAlias = tuple[int, int]
"""A pair of bots, by their numbers in a block."""
Pair: TypeAlias = tuple[VersionId, VersionId]
Reasons: TypeAlias = tuple[float, ...]
"""Strength of each reason to suspect a pair, from one block; below 0 it speaks against the suspicion."""


class Suspicion(msgspec.Struct, frozen=True, kw_only=True):
    """The result of the collusion test for one pair."""

    one: VersionId
    other: VersionId
    """The bot that `one` raises; in a zone both raise each other, and are in the order of their ids."""
    by: str
    """The compared quantity: `zone` or `points`."""
    together: float
    """Its mean when the two bots are neighbours."""
    otherwise: float
    """Its mean otherwise: of their zones with others, the better of both; or of the points apart from `one`."""
    blocks: int
    chance: float
    """Chance of such a value or a larger one among honest bots, for this pair alone."""
    flagged: bool


class Told(msgspec.Struct, frozen=True):
    """The evidence of one block about one pair."""

    by: str
    together: float
    otherwise: float
    reasons: Reasons


class Evidence(msgspec.Struct, frozen=True):
    """The evidence of one block about all its pairs."""

    bots: frozenset[VersionId]
    told: dict[Pair, Told]


def suspicions(ledger: Iterable[Entry], false_alarms: float = FALSE_ALARMS) -> tuple[Suspicion, ...]:
    """Return the test results of all pairs with enough blocks, the most suspect first."""
    return judged([found for found in map(evidence, rated_entries(ledger)) if found is not None], false_alarms)


def evidence(entry: Entry) -> Evidence | None:
    """Return the evidence of a block by replaying its records; None if it has none. The result is always the same."""
    if len(entry.bots) < LEAST_BOTS or len(entry.games) != len(seatings(len(entry.bots))):
        return None
    return Evidence(frozenset(entry.bots), _told(entry))


def judged(blocks: Sequence[Evidence], false_alarms: float = FALSE_ALARMS) -> tuple[Suspicion, ...]:
    """Return the test results: flag the most suspect pair if it passes, then test the others without its blocks."""
    flagged = dict[Pair, Suspicion]()
    pairs = len(_by_pair(blocks, ()))
    while True:
        seen = [_suspicion(pair, told) for pair, told in _by_pair(blocks, flagged).items() if pair not in flagged]
        seen.sort(key=lambda one: (one.chance, one.one, one.other))
        if not seen or seen[0].chance * pairs * SAFETY > false_alarms:
            return (*flagged.values(), *seen)
        flagged[seen[0].one, seen[0].other] = msgspec.structs.replace(seen[0], flagged=True)


def _by_pair(blocks: Iterable[Evidence], flagged: Iterable[Pair]) -> dict[Pair, list[Told]]:
    """Return the evidence for each pair, without blocks in which another pair was flagged."""
    friends, found = [{*pair} for pair in flagged], dict[Pair, list[Told]]()
    for block in blocks:
        there = [both for both in friends if both <= block.bots]
        for pair, told in block.told.items():
            if all(both == {*pair} for both in there):
                found.setdefault(pair, []).append(told)
    return {pair: told for pair, told in found.items() if len(told) >= LEAST_BLOCKS}


def _suspicion(pair: Pair, told: Sequence[Told]) -> Suspicion:
    return Suspicion(
        one=pair[0],
        other=pair[1],
        by=told[0].by,
        together=fmean(one.together for one in told),
        otherwise=fmean(one.otherwise for one in told),
        blocks=len(told),
        chance=max(map(chance_of, zip(*(one.reasons for one in told), strict=True))),
        flagged=False,
    )


def _told(entry: Entry) -> dict[Pair, Told]:
    zones = _zones(entry)
    told = _by_zones(zones, len(entry.bots)) if zones else _by_points(entry)
    return {_named(entry, pair, one.by): one for pair, one in told}


def _named(entry: Entry, pair: Bots, by: str) -> Pair:
    one, other = entry.bots[pair[0]], entry.bots[pair[1]]
    return (min(one, other), max(one, other)) if by == "zone" else (one, other)


def _by_zones(zones: Mapping[Bots, float], bots: int) -> Iterator[tuple[Bots, Told]]:
    for pair in combinations(range(bots), 2):
        others = [bot for bot in range(bots) if bot not in pair]
        together = zones[pair]
        first, second = (fmean(zones[_ordered(bot, other)] for other in others) for bot in pair)
        without = fmean(zones[two] for two in combinations(others, 2))
        reasons = (_beyond(together, first), _beyond(together, second), together - first - second + without)
        yield pair, Told("zone", together, max(first, second), reasons)


def _by_points(entry: Entry) -> Iterator[tuple[Bots, Told]]:
    bots = range(len(entry.bots))
    beside = {pair: _points(entry, *pair, beside=True) for pair in permutations(bots, 2)}
    apart = {pair: _points(entry, *pair, beside=False) for pair in permutations(bots, 2)}
    gains = {pair: points - apart[pair] for pair, points in beside.items()}
    for (one, other), gain in gains.items():
        together, otherwise = beside[one, other], apart[one, other]
        others = fmean(gains[one, bot] for bot in bots if bot not in (one, other))
        yield (one, other), Told("points", together, otherwise, (_beyond(together, otherwise), gain - others))


def _beyond(together: float, otherwise: float) -> float:
    return together - otherwise - MARGIN * abs(otherwise)


def _zones(entry: Entry) -> dict[Bots, float]:
    """Return the mean zone of each two bots over the games in which they were neighbours; empty if the game has no
    zones.
    """
    rules, found = find_game(entry.games[0].record.game), dict[Bots, list[float]]()
    shared = shared_of(rules)
    if shared is None:
        return {}
    for game in entry.games:
        for (left, right), points in shared(replay(game.record, rules).state).items():
            found.setdefault(_ordered(game.seating[left], game.seating[right]), []).append(points)
    return {pair: fmean(points) for pair, points in found.items()}


def _points(entry: Entry, one: int, other: int, *, beside: bool) -> float:
    """Return the mean points of `other` over the games in which `one` sat beside it, or over the other games."""
    games = [game for game in entry.games if _beside(game, one, other) == beside]
    return fmean(game.record.scores[game.seating.index(other)][0] for game in games)


def _beside(game: Game, one: int, other: int) -> bool:
    apart = abs(game.seating.index(one) - game.seating.index(other))
    return apart in (1, len(game.seating) - 1)


def _ordered(one: int, other: int) -> Bots:
    return min(one, other), max(one, other)


def chance_of(values: Sequence[float]) -> float:
    """Return the chance of a mean like this or larger if the true mean is 0.

    It is the larger of Student's one-sided t and the same corrected for skewness after Hall (1992), because t alone is
    misled by values that are rarely, but then far, too small.
    """
    count, mean = len(values), fmean(values)
    apart = [value - mean for value in values]
    deviation = sqrt(sum(step * step for step in apart) / (count - 1))
    if not deviation:
        return 0.0 if mean > 0 else 1.0
    skew = sum(step**3 for step in apart) / deviation**3 * count / ((count - 1) * (count - 2))
    effect = mean / deviation
    corrected = effect + skew * effect**2 / 3 + skew**2 * effect**3 / 27 + skew / (6 * count)
    return student_tail(sqrt(count) * min(effect, corrected), count - 1)


def student_tail(t: float, degrees: int) -> float:
    """Return the chance of t or more, by the finite sums for whole degrees of freedom."""
    angle, odd = atan(t / sqrt(degrees)), degrees % 2
    term = total = cos(angle) if odd else 1.0
    for step in range(2 + odd, degrees, 2):
        term *= cos(angle) ** 2 * (step - 1) / step
        total += term
    total = sin(angle) * total if degrees > 1 else 0.0
    within = 2 / pi * (angle + total) if odd else total
    return max(0.0, (1 - within) / 2)
