"""The chance that an Objective of Splito is met at the end, from the cards in its zone and the cards still to come.

Every card in a hand will be played. `Zone.rates` holds the number of cards of a sign that would come to the zone if all
players played at random. Players do not: cards that an Objective needs come more often, cards that would break it less
often. `WEIGHTS` has these factors; the number of cards that come is taken as a Poisson variable.
"""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate
from math import erf, exp, prod, sqrt
from typing import Any, TypeAlias

import msgspec

from splito_engine.games.splito.objectives import Cards, Different, Each, Exactly, Most, Need


class Weights(msgspec.Struct, frozen=True):
    """Factors on the rates of random play: `need` for cards that are still missing, `harm` for cards that break a need.

    Fitted by maximum likelihood, family by family, to about 500 matches of 3 to 8 players, `planner` and `greedy`
    mixed. In half of a planner's rounds each Objective in its zones and each majority at stake was noted after the
    move, together with its later result; each fit used up to 4,000 notes.
    """

    exactly_need: float = 2.3
    exactly_harm: float = 0.38
    each_need: float = 1.6
    different_need: float = 2.0
    different_harm: float = 0.32
    most_wanted: float = 1.8
    most_other: float = 0.88
    quantity_steer: float = 0.86
    """Standard deviations by which the two players of a zone move its number of cards towards their need."""


WEIGHTS = Weights()

Spread: TypeAlias = tuple[Sequence[float], Sequence[float]]
"""The chances of exactly 0, 1, 2, ... and of at most 0, 1, 2, ... cards."""


class Arrivals(msgspec.Struct, frozen=True):
    """The colours or values that a zone holds, and the chances that more of them come."""

    held: int
    """Number of different signs in the zone."""
    rate: float
    at_least: Sequence[float]
    """The chances that at least 0, 1, 2, ... new signs come."""


class Zone(msgspec.Struct):
    """A zone as the planner sees it: its cards, and the cards that may still come."""

    signs: dict[str, str]
    """The signs of the deck: its `colours` and its `values`."""
    counts: dict[str, int]
    """Cards of each sign in the zone."""
    rates: dict[str, float]
    """Cards of each sign that would still come if all players played at random."""
    cards: int
    plays: int
    """Cards that may still come, each with a chance of one half."""
    arrivals: dict[str, Arrivals] = msgspec.field(default_factory=dict[str, Arrivals])
    """Cache of `_arrivals`."""

    def with_one(self, sign: str, spent: float) -> "Zone":
        """Return the zone with one more card of the sign, from a hand that would otherwise bring `spent` of it."""
        counts = {**self.counts, sign: self.counts[sign] + 1}
        return Zone(
            self.signs, counts, {**self.rates, sign: max(0.0, self.rates[sign] - spent)}, self.cards, self.plays
        )

    def fuller(self) -> "Zone":
        """Return the zone with one more card of any kind."""
        return Zone(self.signs, self.counts, self.rates, self.cards + 1, self.plays)


def chance(need: Need, zone: Zone, most: float = 0.0) -> float:
    """Return the chance that the zone meets the need; for a majority it is `most`, the zone's result of `majority`."""
    return most if isinstance(need, Most) else _CHANCES[type(need)](need, zone)


def majority(counts: Sequence[int], rates: Sequence[float], wanted: Sequence[object]) -> list[float]:
    """Return each zone's chance to end with strictly most cards of a sign; `wanted` is true where that pays."""
    factors = [WEIGHTS.most_wanted if pays else WEIGHTS.most_other for pays in wanted]
    coming = [poisson(factor * rate) for factor, rate in zip(factors, rates, strict=True)]
    lead = max(1, *counts)
    chances = _alone(counts, coming, lead)
    first = lead + (lead in counts)
    exactly = [exact[first - count : first - count + 8] for (exact, _), count in zip(coming, counts, strict=True)]
    fewer = [at_most[first - count - 1 : first - count + 7] for (_, at_most), count in zip(coming, counts, strict=True)]
    for wins, below in zip(zip(*exactly, strict=True), zip(*fewer, strict=True), strict=True):
        all_below = prod(below)
        chances = [chance + win * all_below / own for chance, win, own in zip(chances, wins, below, strict=True)]
        if all_below > 0.9:
            break
    return chances


def poisson(rate: float) -> Spread:
    """Return the Poisson distribution of a rate, rounded to 1/`STEPS`."""
    return _poisson(int(rate * STEPS + 0.5))


STEPS = 20
"""Rates are rounded to 1/20, because distributions are cached by rate."""
LONGEST = 130
"""Length of a distribution: more cards than an Objective can ask for (120) or a zone can hold."""


@cache
def _poisson(steps: int) -> Spread:
    exactly = [exp(-steps / STEPS)]
    at_most = exactly[:]
    while len(exactly) < LONGEST:
        exactly.append(exactly[-1] * steps / STEPS / len(exactly))
        at_most.append(at_most[-1] + exactly[-1])
    return exactly, at_most


def _alone(counts: Sequence[int], coming: Sequence[Spread], lead: int) -> list[float]:
    """Return each zone's chance to win with the leader's present number of cards; only a single leader has one."""
    chances = [0.0] * len(counts)
    if counts.count(lead) == 1:
        leader = counts.index(lead)
        below = [at_most[lead - 1 - count] for (_, at_most), count in zip(coming, counts, strict=True) if count < lead]
        chances[leader] = coming[leader][0][0] * prod(below)
    return chances


def _comes(rate: float) -> float:
    """Return the chance that at least one card comes."""
    return 1 - exp(-rate)


def _each(need: Each, zone: Zone) -> float:
    return prod([_comes(WEIGHTS.each_need * zone.rates[sign]) for sign in need.of if not zone.counts[sign]])


def _exactly(need: Exactly, zone: Zone) -> float:
    count, wanted, rate = zone.counts[need.of], need.count, zone.rates[need.of]
    if count > wanted:
        return 0.0
    stays = exp(-WEIGHTS.exactly_harm * rate)
    if count == wanted:
        return stays
    return stays * max(0.0, 1 - poisson(WEIGHTS.exactly_need * rate)[1][wanted - count - 1])


def _different(need: Different, zone: Zone) -> float:
    arrivals = zone.arrivals.get(need.of)
    if arrivals is None:
        arrivals = zone.arrivals[need.of] = _arrivals(zone, need.of)
    missing = need.count - arrivals.held
    if not 0 <= missing < len(arrivals.at_least):
        return 0.0
    new = len(arrivals.at_least) - 1
    surplus = (new - missing) / new if new else 0
    return exp(-WEIGHTS.different_harm * arrivals.rate * surplus) * arrivals.at_least[missing]


def _arrivals(zone: Zone, of: str) -> Arrivals:
    signs = zone.signs[of]
    new = [zone.rates[sign] for sign in signs if not zone.counts[sign]]
    exactly = [1.0]
    for rate in new:
        comes = _comes(WEIGHTS.different_need * rate)
        exactly = [
            stay * (1 - comes) + come * comes for stay, come in zip([*exactly, 0.0], [0.0, *exactly], strict=True)
        ]
    at_least = list(accumulate(reversed(exactly)))[::-1]
    return Arrivals(len(signs) - len(new), sum(new), at_least)


def _quantity(need: Cards, zone: Zone) -> float:
    """Return the chance that the number of cards ends within the bounds.

    Each card to come is a coin toss; the players of the zone shift the result towards the bounds.
    """
    mean = zone.cards + zone.plays / 2
    spread = sqrt(zone.plays / 4 + 0.02)
    low = (mean - need.at_least + 0.5) / spread
    high = (need.at_most + 0.5 - mean) / spread
    return _normal(low + WEIGHTS.quantity_steer) * _normal(high + WEIGHTS.quantity_steer)


def _normal(deviations: float) -> float:
    return (1 + erf(deviations / sqrt(2))) / 2


_CHANCES: dict[type[Need], Callable[[Any, Zone], float]] = {
    Exactly: _exactly,
    Each: _each,
    Different: _different,
    Cards: _quantity,
}
