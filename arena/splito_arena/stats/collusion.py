"""Collusion flags: pairs of bots that raise each other's results more than they raise those of other bots.

`pair_reasons` compares the zones of a pair, or its points in games without zones, with those of its bots beside others,
side by side. A pair is flagged only if all of this holds at once, in the mean of the blocks:

- in each order of the two bots, their zone is worth more than the zones of each bot with others on the same side;
- in the mean of both orders, it is worth at least three tenths more than each of these;
- in the mean of both orders, it is worth more than if the effects of both bots added up, and than if they multiplied.

The chance that a tournament of honest bots has any flag is at most `FALSE_ALARMS`: for each pair the weakest of its
reasons counts, by Student's t over blocks, and must pass at that rate divided by the number of pairs and by `SAFETY`. A
flagged pair also distorts the zones of others, so blocks with both of them are not used for any other pair.

Three bots alone have no flags, because three effects fit the zones of three pairs exactly, whatever the bots do. Tables
of three are gathered until all pairs of four or more bots have met equally often, and then count as one block.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import atan, comb, cos, pi, sin, sqrt
from statistics import fmean

import msgspec

from splito_arena.blocks.ledger import Entry, VersionId
from splito_arena.blocks.seatings import seatings
from splito_arena.stats.pair_reasons import Means, Pair, Told, mean_zones, told_by_points, told_by_zones, zones_of
from splito_arena.stats.tournament_table import rated_entries

FALSE_ALARMS = 0.01
"""Greatest chance of a false flag in one tournament that is examined once."""
SAFETY = 2
"""Factor by which the test is stricter than it would have to be for values without skew."""
LEAST_BLOCKS = 8
LEAST_SEATS = 3
LEAST_BOTS = 4
"""Least number of bots that are compared with each other."""


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
    tournament_chance: float
    """Upper bound of the chance that a tournament of honest bots has any pair as suspect as this one. Times the number
    of tournaments, it is an upper bound for a season.
    """
    flagged: bool


class Evidence(msgspec.Struct, frozen=True):
    """The evidence of one block about all its pairs."""

    bots: frozenset[VersionId]
    told: dict[Pair, Told]
    """Empty if the block alone tells nothing, because it has only three bots."""
    zones: Means | None = None
    """Zones of a block of three bots, which are compared after other blocks were added."""


def suspicions(ledger: Iterable[Entry], false_alarms: float = FALSE_ALARMS) -> tuple[Suspicion, ...]:
    """Return the test results of all pairs with enough blocks, the most suspect first."""
    return judged([found for found in map(evidence, rated_entries(ledger)) if found is not None], false_alarms)


def evidence(entry: Entry) -> Evidence | None:
    """Return the evidence of a block by replaying its records; None if it has none. The result is always the same."""
    bots = frozenset(entry.bots)
    if not LEAST_SEATS <= len(bots) == len(entry.bots) or len(entry.games) != len(seatings(len(bots))):
        return None
    zones = zones_of(entry)
    if len(bots) < LEAST_BOTS:
        return Evidence(bots, {}, zones) if zones else None
    return Evidence(bots, told_by_zones(zones, entry.bots) if zones else told_by_points(entry))


def judged(blocks: Iterable[Evidence], false_alarms: float = FALSE_ALARMS) -> tuple[Suspicion, ...]:
    """Return the test results: flag the most suspect pair if it passes, then test the others without its blocks."""
    blocks, flagged = [*gathered(blocks)], dict[Pair, Suspicion]()
    pairs = len(_by_pair(blocks, ()))
    while True:
        left = {pair: told for pair, told in _by_pair(blocks, flagged).items() if pair not in flagged}
        seen = [_suspicion(pair, told, pairs) for pair, told in left.items()]
        seen.sort(key=lambda one: (one.chance, one.one, one.other))
        if not seen or seen[0].tournament_chance > false_alarms:
            return (*flagged.values(), *seen)
        flagged[seen[0].one, seen[0].other] = msgspec.structs.replace(seen[0], flagged=True)


def gathered(blocks: Iterable[Evidence]) -> Iterator[Evidence]:
    """Return blocks of four or more bots as they are; add up blocks of three until all pairs have met equally often.

    The third bot of a table changes the zone of the two others too. If all pairs meet equally often, this is a part of
    the effects of the other bots, because each bot is missing from its own zones.
    """
    parts, bots, met = list[Means](), set[VersionId](), Counter[Pair]()
    for block in blocks:
        if block.zones is None:
            yield block
            continue
        parts.append(block.zones)
        bots |= block.bots
        met.update(block.zones.keys())
        if len(bots) >= LEAST_BOTS and len(met) == 2 * comb(len(bots), 2) and len({*met.values()}) == 1:
            yield Evidence(frozenset(bots), told_by_zones(mean_zones(parts), [*bots]))
            parts, bots, met = list[Means](), set[VersionId](), Counter[Pair]()


def _by_pair(blocks: Iterable[Evidence], flagged: Iterable[Pair]) -> dict[Pair, list[Told]]:
    """Return the evidence for each pair, without blocks in which another pair was flagged."""
    friends, found = [{*pair} for pair in flagged], dict[Pair, list[Told]]()
    for block in blocks:
        there = [both for both in friends if both <= block.bots]
        for pair, told in block.told.items():
            if all(both == {*pair} for both in there):
                found.setdefault(pair, []).append(told)
    return {pair: told for pair, told in found.items() if len(told) >= LEAST_BLOCKS}


def _suspicion(pair: Pair, told: Sequence[Told], pairs: int) -> Suspicion:
    """Return the test result of one of so many pairs, not flagged."""
    chance = max(map(chance_of, zip(*(one.reasons for one in told), strict=True)))
    return Suspicion(
        one=pair[0],
        other=pair[1],
        by=told[0].by,
        together=fmean(one.together for one in told),
        otherwise=fmean(one.otherwise for one in told),
        blocks=len(told),
        chance=chance,
        tournament_chance=min(1.0, chance * pairs * SAFETY),
        flagged=False,
    )


def chance_of(values: Sequence[float]) -> float:
    """Return the chance of a mean like this or larger if the true mean is 0.

    It is the larger of Student's one-sided t and the same corrected for skewness after Hall (1992), because t alone is
    misled by values that are rarely, but then far, too small. Hall's cubic is level where mean / deviation is
    -3 / skewness. From there on it goes on as a straight line, because it would hide the largest effects otherwise.
    """
    count, mean = len(values), fmean(values)
    apart = [value - mean for value in values]
    deviation = sqrt(sum(step * step for step in apart) / (count - 1))
    if not deviation:
        return 0.0 if mean > 0 else 1.0
    skew = sum(step**3 for step in apart) / deviation**3 * count / ((count - 1) * (count - 2))
    effect = mean / deviation
    if skew * effect < -3:
        corrected = effect + 2 / skew + skew / (6 * count)
    else:
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
