"""How likely an Objective of Splito is met at the end, from what lies in its zone and what may still come.

Every card that is held will be played. `Zone.rates` says how many of a sign would come to the zone if all were played
at random; but people are not dice. What an Objective still needs comes more often than that, what would break it less
often, and the number that comes is taken as a Poisson variable. `WEIGHTS` says how much more and how much less.
"""

from collections.abc import Sequence
from functools import cache
from math import erf, exp, prod, sqrt
from typing import TypeAlias

import msgspec

from engine.games.splito.objectives import Cards, Different, Each, Exactly, Most, Need


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
    match need:
        case Most():
            return most
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


def _exactly(count: int, wanted: int, rate: float) -> float:
    if count > wanted:
        return 0.0
    stays = exp(-WEIGHTS.exactly_harm * rate)
    if count == wanted:
        return stays
    return stays * max(0.0, 1 - poisson(WEIGHTS.exactly_need * rate)[1][wanted - count - 1])


def _different(need: Different, zone: Zone) -> float:
    signs = zone.signs[need.of]
    new = [zone.rates[sign] for sign in signs if not zone.counts[sign]]
    missing = need.count - len(signs) + len(new)
    if not 0 <= missing <= len(new):
        return 0.0
    surplus = (len(new) - missing) / len(new) if new else 0
    stays = exp(-WEIGHTS.different_harm * sum(new) * surplus)
    return stays * _at_least(missing, [_comes(WEIGHTS.different_need * rate) for rate in new])


def _at_least(wanted: int, chances: Sequence[float]) -> float:
    """That so many of these independent things happen."""
    if not wanted:
        return 1.0
    if wanted == len(chances):
        return prod(chances)
    fewer = [1.0] + [0.0] * (wanted - 1)
    for happens in chances:
        for number in range(wanted - 1, 0, -1):
            fewer[number] += (fewer[number - 1] - fewer[number]) * happens
        fewer[0] *= 1 - happens
    return 1 - sum(fewer)


def _quantity(need: Cards, zone: Zone) -> float:
    """The cards to come are coins, thrown by people who would rather have them fall into the bounds."""
    mean = zone.cards + zone.plays / 2
    spread = sqrt(zone.plays / 4 + 0.02)
    low = (mean - need.at_least + 0.5) / spread
    high = (need.at_most + 0.5 - mean) / spread
    return _normal(low + WEIGHTS.quantity_steer) * _normal(high + WEIGHTS.quantity_steer)


def _normal(deviations: float) -> float:
    return (1 + erf(deviations / sqrt(2))) / 2
