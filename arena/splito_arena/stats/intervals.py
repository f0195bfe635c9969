"""Confidence intervals of means: 95 %, by Student's t, with the standard library alone."""

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist, fmean, stdev

import msgspec

CONFIDENCE = 0.95
Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
T_FEW = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281)
"""Student's t for 1 to 10 degrees of freedom, two-sided, where the series below is not accurate enough."""


class Interval(msgspec.Struct, frozen=True):
    """An interval of `mean` plus or minus `margin`; a single value has no margin."""

    mean: float
    margin: float | None


def interval(values: Sequence[float]) -> Interval:
    """Return the interval of the mean. The values must be independent: block means, not single matches of a block."""
    mean = fmean(values)
    if len(values) == 1:
        return Interval(mean, None)
    return Interval(mean, student_t(len(values) - 1) * stdev(values) / sqrt(len(values)))


def student_t(degrees: int) -> float:
    """Return the 97.5 % point of Student's t; beyond the table by its series around the normal one, to four digits."""
    if degrees <= len(T_FEW):
        return T_FEW[degrees - 1]
    z, z3, z5, z7 = Z, Z**3, Z**5, Z**7
    first = (z3 + z) / 4
    second = (5 * z5 + 16 * z3 + 3 * z) / 96
    third = (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384
    return z + first / degrees + second / degrees**2 + third / degrees**3
