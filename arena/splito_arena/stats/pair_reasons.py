"""Reasons to suspect a pair of bots of collusion, from one block: how far it is above what its bots do with others.

In Splito neighbours share a zone, and the zone of two colluding bots is worth more. An honest bot may prefer one of its
sides and raise all its zones there, so zones are compared by side: Z[a, b] is the mean of the zones with bot a at their
left end and bot b at their right end. The zones of both bots with others tell what to expect of Z[a, b] if both are
honest. If the effects of the bots add up, it is Z[a, x] + Z[x, b] - Z[x, y]; if they multiply, it is
Z[a, x] * Z[x, b] / Z[x, y]; each is a mean over the other bots x and y of the block.

Where a game has no zones, points are compared instead: those of b with a at its left, and those with a at its right,
each with those of b apart from a, and with what other bots gain beside a on the same side.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, permutations, product
from math import log
from statistics import fmean
from typing import NamedTuple, TypeAlias

import msgspec

from splito_arena.blocks.ledger import Entry, VersionId
from splito_engine.game import shared_of
from splito_engine.record import replay
from splito_engine.registry import find_game

MARGIN = 0.3
"""Least excess of a suspect pair, as a share, because two honest bots may happen to fit together well."""
LEAST_SHARE = 0.05
"""Least mean in a ratio, as a share of all means in it, because a mean may be 0."""

Pair: TypeAlias = tuple[VersionId, VersionId]
Means: TypeAlias = Mapping[Pair, float]
"""Mean of the compared quantity, by an ordered pair of bots."""
Reasons: TypeAlias = tuple[float, ...]
"""Strength of each reason to suspect a pair, from one block; below 0 it speaks against the suspicion."""


class Told(msgspec.Struct, frozen=True):
    """The evidence of one block about one pair."""

    by: str
    together: float
    otherwise: float
    reasons: Reasons


class Compared(NamedTuple):
    """The mean of a pair in one order, or on one side, and the means with which it is compared."""

    together: float
    first: float
    """Mean of the first bot with others in the place of the second."""
    second: float
    """Mean of the second bot with others in the place of the first; of points, apart from the first."""
    without: float
    """Mean of others with others; of points, of others apart from the first bot."""


def told_by_zones(zones: Means, bots: Sequence[VersionId]) -> dict[Pair, Told]:
    """Return the evidence about each pair of four or more bots, in the order of their ids."""
    found = dict[Pair, Told]()
    for one, other in combinations(sorted(bots), 2):
        there, back = _compared(zones, one, other, bots), _compared(zones, other, one, bots)
        together = fmean((there.together, back.together))
        usual = fmean((there.first, back.second)), fmean((there.second, back.first))
        reasons = (
            *(order.together - mean for order in (there, back) for mean in (order.first, order.second)),
            *(_beyond(together, mean) for mean in usual),
            *_interactions(there, back),
        )
        found[one, other] = Told("zone", together, max(usual), reasons)
    return found


def told_by_points(entry: Entry) -> dict[Pair, Told]:
    """Return the evidence about each ordered pair: the first bot helps the second one."""
    right, left, apart = _points(entry, 1), _points(entry, -1), _points(entry, *range(2, len(entry.bots) - 1))
    found = dict[Pair, Told]()
    for one, other in permutations(entry.bots, 2):
        others = [bot for bot in entry.bots if bot not in (one, other)]
        without = fmean(apart[one, bot] for bot in others)
        both = [
            Compared(side[one, other], fmean(side[one, bot] for bot in others), apart[one, other], without)
            for side in (right, left)
        ]
        together, usual = fmean(side.together for side in both), apart[one, other]
        reasons = (*(side.together - usual for side in both), _beyond(together, usual), *_interactions(*both))
        found[one, other] = Told("points", together, usual, reasons)
    return found


def _compared(means: Means, one: VersionId, other: VersionId, bots: Sequence[VersionId]) -> Compared:
    """Return the mean of an ordered pair beside the means of its bots with others."""
    others = [bot for bot in bots if bot not in (one, other)]
    return Compared(
        together=means[one, other],
        first=fmean(means[one, bot] for bot in others),
        second=fmean(means[bot, other] for bot in others),
        without=fmean(means[pair] for pair in permutations(others, 2)),
    )


def _beyond(together: float, usual: float) -> float:
    return together - usual - MARGIN * abs(usual)


def _interactions(one: Compared, other: Compared) -> Reasons:
    """Return the excess of both orders, or sides, over effects that add up, and over effects that multiply, as a
    logarithm.
    """
    together, first, second, without = map(fmean, zip(one, other, strict=True))
    least = LEAST_SHARE * fmean(map(abs, (together, first, second, without)))
    if not least:
        return 0.0, 0.0
    ratio = max(together, least) * max(without, least) / (max(first, least) * max(second, least))
    return together + without - first - second, log(ratio)


def zones_of(entry: Entry) -> Means:
    """Return the mean zone of each bot with each bot at its right, by replaying the records; empty if the game has no
    zones.
    """
    rules, found = find_game(entry.games[0].record.game), dict[Pair, list[float]]()
    shared = shared_of(rules)
    if shared is None:
        return {}
    for game in entry.games:
        bots = [entry.bots[number] for number in game.seating]
        for (left, right), points in shared(replay(game.record, rules).state).items():
            found.setdefault((bots[left], bots[right]), []).append(points)
    return _means(found)


def mean_zones(blocks: Iterable[Means]) -> Means:
    """Return the mean zones over several blocks with different bots."""
    found = dict[Pair, list[float]]()
    for zones in blocks:
        for pair, mean in zones.items():
            found.setdefault(pair, []).append(mean)
    return _means(found)


def _points(entry: Entry, *steps: int) -> Means:
    """Return the mean points of the second bot of each pair if it sits so many seats to the right of the first bot."""
    found = dict[Pair, list[float]]()
    for game in entry.games:
        bots = [entry.bots[number] for number in game.seating]
        for (seat, one), step in product(enumerate(bots), steps):
            there = (seat + step) % len(bots)
            found.setdefault((one, bots[there]), []).append(game.record.scores[there][0])
    return _means(found)


def _means(values: Mapping[Pair, Sequence[float]]) -> Means:
    return {pair: fmean(found) for pair, found in values.items()}
