"""Confidence intervals of means, shares and ratings: 95 %, with the standard library alone.

The games of a block may depend on each other, so every interval is taken over blocks. After fewer than `LEAST_BLOCKS`
blocks there is no interval.
"""

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist, fmean, stdev

import msgspec

CONFIDENCE = 0.95
Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
T_FEW = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281)
"""Student's t for 1 to 10 degrees of freedom, two-sided, where the series below is not accurate enough."""

LEAST_BLOCKS = 5
"""Number of blocks below which no interval is given."""


class RatingInterval(msgspec.Struct, frozen=True):
    """A rating with its 95 % interval.

    `high` is null for a bot that was never beaten: its rating is at least `low`. `low` is null for a bot that never
    beat another: its rating is at most `high`. Both are null if there are too few blocks for an interval.
    """

    mean: float | None
    """Rating; the known end of the interval if the other end is null. Null if the games do not limit it at all."""
    low: float | None
    high: float | None


class Interval(msgspec.Struct, frozen=True):
    """An interval of `mean` plus or minus `margin`; null after too few blocks."""

    mean: float
    margin: float | None


class Share(msgspec.Struct, frozen=True):
    """A share of games, with a 95 % interval that lies within 0 and 1; its ends are null after too few blocks."""

    mean: float
    low: float | None
    high: float | None


def interval(values: Sequence[float]) -> Interval:
    """Return the interval of the mean. The values must be independent: block means, not single matches of a block."""
    mean = fmean(values)
    if len(values) < LEAST_BLOCKS:
        return Interval(mean, None)
    return Interval(mean, student_t(len(values) - 1) * stdev(values) / sqrt(len(values)))


def share(blocks: Sequence[Sequence[float]]) -> Share:
    """Return the share of games, given block by block: 1 for each game that counts, 0 for each other, a part for a tie.

    It is Wilson's score interval on the effective number of games: if the blocks scatter more than independent games
    would, as many games as would scatter like them.
    """
    games = sum(map(len, blocks))
    mean = sum(map(sum, blocks)) / games
    if len(blocks) < LEAST_BLOCKS:
        return Share(mean, None, None)
    independent = mean * (1 - mean) * games
    seen = sum((sum(block) - mean * len(block)) ** 2 for block in blocks) * len(blocks) / (len(blocks) - 1)
    effective = games / max(1.0, seen / independent if independent else 1.0)
    doubt = student_t(len(blocks) - 1) ** 2 / effective
    middle = (mean + doubt / 2) / (1 + doubt)
    reach = sqrt(doubt * (mean * (1 - mean) + doubt / 4)) / (1 + doubt)
    low, high = max(0.0, middle - reach), min(1.0, middle + reach)
    return Share(mean, low if mean else 0.0, high if mean < 1 else 1.0)


def mirrored(value: Share) -> Share:
    """Return the share of the other side."""
    low, high = (None if end is None else 1 - end for end in (value.high, value.low))
    return Share(1 - value.mean, low, high)


def student_t(degrees: int) -> float:
    """Return the 97.5 % point of Student's t; beyond the table by its series around the normal one, to four digits."""
    if degrees <= len(T_FEW):
        return T_FEW[degrees - 1]
    z, z3, z5, z7 = Z, Z**3, Z**5, Z**7
    first = (z3 + z) / 4
    second = (5 * z5 + 16 * z3 + 3 * z) / 96
    third = (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384
    return z + first / degrees + second / degrees**2 + third / degrees**3
