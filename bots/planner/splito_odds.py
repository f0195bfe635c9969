"""How likely an Objective of Splito is met at the end, from what lies in its zone and what may still come.

Every card that is held will be played. `Zone.rates` says how many of a sign would come to the zone if all were played at
random; but people are not dice. What an Objective still needs comes more often than that, what would break it less
often, and the number that comes is taken as a Poisson variable. `WEIGHTS` says how much more and how much less.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from math import erf, exp, prod, sqrt
from typing import TypeAlias

import msgspec

from engine.games.splito.objectives import Cards, Different, Each, Exactly

LocalNeed: TypeAlias = Exactly | Each | Different | Cards
"""All that a zone can meet by itself: all but `Most`."""


class Weights(msgspec.Struct, frozen=True):
    """Factors on the rates of random play: `need` for what is still missing, `harm` for what would break it.

    Fitted by maximum likelihood to 600 matches of 2 to 8 players, planners and greedies mixed, in which each Objective on
    the table was noted after every move of a planner, with what became of it: 150,000 notes. Nothing else was fitted so;
    the match results are nearly flat around these values.
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


class Zone(msgspec.Struct):
    counts: dict[str, int]
    """How many of each sign lie here."""
    rates: dict[str, float]
    """How many of each sign would still come if all cards were played at random."""
    cards: int
    plays: int
    """How many cards may still come, each of them with an even chance."""

    def with_one(self, sign: str, spent: float) -> "Zone":
        """With one more of the sign, which a hand played that would else have brought `spent` of it."""
        counts = {**self.counts, sign: self.counts[sign] + 1}
        return Zone(counts, {**self.rates, sign: max(0.0, self.rates[sign] - spent)}, self.cards, self.plays)

    def fuller(self) -> "Zone":
        """With one more card, whatever it is."""
        return Zone(self.counts, self.rates, self.cards + 1, self.plays)


def chance(need: LocalNeed, zone: Zone) -> float:
    match need:
        case Exactly():
            return _exactly(zone.counts[need.of], need.count, zone.rates[need.of])
        case Each():
            return prod([_comes(WEIGHTS.each_need * zone.rates[sign]) for sign in need.of if not zone.counts[sign]])
        case Different():
            return _different(need, zone)
        case Cards():
            return _quantity(need, zone)


def majority(counts: Sequence[int], rates: Sequence[float], wanted: Sequence[object]) -> list[float]:
    """For each zone the chance to end with strictly more of a sign than every other; `wanted` where that pays."""
    chances = [0.0] * len(counts)
    factors = [WEIGHTS.most_wanted if pays else WEIGHTS.most_other for pays in wanted]
    coming = [poisson(factor * rate) for factor, rate in zip(factors, rates, strict=True)]
    first = max(1, *counts)
    for total in range(first, first + 9):
        below = [coming[zone][1][total - 1 - count] if total > count else 0.0 for zone, count in enumerate(counts)]
        for zone, (count, (exactly, _)) in enumerate(zip(counts, coming, strict=True)):
            if total >= count:
                chances[zone] += exactly[total - count] * _product_without(below, zone)
        if min(below) > 0.995:
            break
    return chances


def poisson(rate: float) -> tuple[Sequence[float], Sequence[float]]:
    """The chances of exactly 0, 1, 2, ... and of at most so many."""
    return _poisson(int(rate * STEPS + 0.5))


STEPS = 20
"""Rates are rounded to one part in so many, to be looked up."""
LONGEST = 130
"""No zone holds more cards than the largest deck has different ones."""


@cache
def _poisson(steps: int) -> tuple[Sequence[float], Sequence[float]]:
    exactly = [exp(-steps / STEPS)]
    at_most = exactly[:]
    while len(exactly) < LONGEST:
        exactly.append(exactly[-1] * steps / STEPS / len(exactly))
        at_most.append(at_most[-1] + exactly[-1])
    return exactly, at_most


def _product_without(factors: list[float], place: int) -> float:
    return prod(factors[:place]) * prod(factors[place + 1 :])


def _comes(rate: float) -> float:
    """That at least one does."""
    return 1 - exp(-rate)


def _exactly(count: int, wanted: int, rate: float) -> float:
    if count > wanted:
        return 0.0
    stays = exp(-WEIGHTS.exactly_harm * rate)
    if count == wanted:
        return stays
    return stays * max(0.0, 1 - poisson(WEIGHTS.exactly_need * rate)[1][wanted - count - 1])


def _different(need: Different, zone: Zone) -> float:
    held, new = 0, list[float]()
    for sign, count in zone.counts.items():
        if sign.isalpha() == (need.of == "colours"):
            if count:
                held += 1
            else:
                new.append(zone.rates[sign])
    missing = need.count - held
    if not 0 <= missing <= len(new):
        return 0.0
    surplus = (len(new) - missing) / len(new) if new else 0
    stays = exp(-WEIGHTS.different_harm * sum(new) * surplus)
    return stays * _at_least(missing, [_comes(WEIGHTS.different_need * rate) for rate in new])


def _at_least(wanted: int, chances: Iterable[float]) -> float:
    """That so many of these independent things happen."""
    if not wanted:
        return 1.0
    fewer = [1.0] + [0.0] * (wanted - 1)
    for happens in chances:
        for number in range(wanted - 1, 0, -1):
            fewer[number] += (fewer[number - 1] - fewer[number]) * happens
        fewer[0] *= 1 - happens
    return 1 - sum(fewer)


def _quantity(need: Cards, zone: Zone) -> float:
    """The cards to come are coins, thrown by people who would rather have them fall into the bounds."""
    mean = zone.cards + zone.plays / 2
    spread = sqrt(zone.plays / 4 + 0.05)
    low = (mean - need.at_least + 0.5) / spread
    high = (need.at_most + 0.5 - mean) / spread
    return _normal(low + WEIGHTS.quantity_steer) * _normal(high + WEIGHTS.quantity_steer)


def _normal(deviations: float) -> float:
    return (1 + erf(deviations / sqrt(2))) / 2
