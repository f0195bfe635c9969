"""How likely an Objective of Splito is met at the end, from what lies in its zone and what may still come.

Every card that is held will be played. `Zone.rates` says how many of a sign would come to the zone if all were played
at random; but people are not dice. What an Objective still needs comes more often than that, what would break it less
often, and the number that comes is taken as a Poisson variable. `WEIGHTS` says how much more and how much less.
"""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate
from math import erf, exp, prod, sqrt
from typing import Any, TypeAlias

import msgspec

from splito_engine.games.splito.objectives import Cards, Different, Each, Exactly, Most, Need


class Weights(msgspec.Struct, frozen=True):
    """Factors on the rates of random play: `need` for what is still missing, `harm` for what would break it.

    Fitted by maximum likelihood, family by family, to some 500 matches of 3 to 8 players, planners and greedies mixed.
    In half of a planner's rounds each Objective in its zones, and each majority at stake, was noted after its move, and
    later what became of it; each fit took up to 4,000 notes.
    """

    exactly_need: float = 2.3
    exactly_harm: float = 0.38
    each_need: float = 1.6
    different_need: float = 2.0
    different_harm: float = 0.32
    most_wanted: float = 1.8
    most_other: float = 0.88
    quantity_steer: float = 0.86
    """Standard deviations by which two players move the number of cards towards what they need."""


WEIGHTS = Weights()

Spread: TypeAlias = tuple[Sequence[float], Sequence[float]]
"""The chances of exactly 0, 1, 2, ... and of at most so many."""


class Arrivals(msgspec.Struct, frozen=True):
    """The signs of one kind that are not in a zone yet."""

    held: int
    """How many are there."""
    rate: float
    at_least: Sequence[float]
    """The chance that at least 0, 1, 2, ... of the others come."""


class Zone(msgspec.Struct):
    signs: dict[str, str]
    """Of the deck: its `colours` and its `values`."""
    counts: dict[str, int]
    """How many of each sign lie here."""
    rates: dict[str, float]
    """How many of each sign would still come if all cards were played at random."""
    cards: int
    plays: int
    """How many cards may still come, each of them with an even chance."""
    arrivals: dict[str, Arrivals] = msgspec.field(default_factory=dict[str, Arrivals])
    """Worked out when first asked for."""

    def with_one(self, sign: str, spent: float) -> "Zone":
        """With one more of the sign, which a hand played that would else have brought `spent` of it."""
        counts = {**self.counts, sign: self.counts[sign] + 1}
        return Zone(
            self.signs, counts, {**self.rates, sign: max(0.0, self.rates[sign] - spent)}, self.cards, self.plays
        )

    def fuller(self) -> "Zone":
        """With one more card, whatever it is."""
        return Zone(self.signs, self.counts, self.rates, self.cards + 1, self.plays)


def chance(need: Need, zone: Zone, most: float = 0.0) -> float:
    """That the zone meets it; `most` is what `majority` says of the zone, which is the answer if the need is that."""
    return most if isinstance(need, Most) else _CHANCES[type(need)](need, zone)


def majority(counts: Sequence[int], rates: Sequence[float], wanted: Sequence[object]) -> list[float]:
    """For each zone the chance to end with strictly more of a sign than every other; `wanted` where that pays."""
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
    return _poisson(int(rate * STEPS + 0.5))


STEPS = 20
"""Rates are rounded to one part in so many, to be looked up."""
LONGEST = 130
"""More than an Objective can ask for (120), or a zone can hold."""


@cache
def _poisson(steps: int) -> Spread:
    exactly = [exp(-steps / STEPS)]
    at_most = exactly[:]
    while len(exactly) < LONGEST:
        exactly.append(exactly[-1] * steps / STEPS / len(exactly))
        at_most.append(at_most[-1] + exactly[-1])
    return exactly, at_most


def _alone(counts: Sequence[int], coming: Sequence[Spread], lead: int) -> list[float]:
    """For each zone the chance to win with the number that the leader has now: only a single leader can."""
    chances = [0.0] * len(counts)
    if counts.count(lead) == 1:
        leader = counts.index(lead)
        below = [at_most[lead - 1 - count] for (_, at_most), count in zip(coming, counts, strict=True) if count < lead]
        chances[leader] = coming[leader][0][0] * prod(below)
    return chances


def _comes(rate: float) -> float:
    """That at least one does."""
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
    """The cards to come are coins, thrown by people who would rather have them fall into the bounds."""
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
