"""Interval of a mean difference that holds at any time and needs no question: for dumps that lack the design.

The interval that belongs to the verdict is `splito_arena.experiments.sequential_test.mean_interval`.
"""

from math import cbrt, log, sqrt

from splito_arena.experiments.tally import Tally
from splito_arena.stats.intervals import CONFIDENCE, Interval

TIGHTEST = 200
"""Number of blocks for which the interval is tightest; from half to ten times that it is nearly as good."""
FLAT = 1e-6
"""Skewness below this is treated as none, because dividing by it would only add noise."""


def anytime(tally: Tally, confidence: float = CONFIDENCE) -> Interval:
    """Return the mean with a margin that holds for all numbers of blocks at once, so that it may be watched and stopped
    at will.

    For normal differences this is exact: it excludes a mean as soon as a mixture over all effects, normal around zero,
    is 1 / (1 - confidence) times as likely (Wang and Ramdas, "Anytime-valid t-tests", 2023). Skewed differences make it
    wider. There is no margin with too few blocks, nor without scatter.
    """
    risk = 1 - confidence
    spread = 1 + tally.blocks * _mixed_variance(risk)
    odds = (spread / risk**2) ** (1 / max(tally.blocks, 1))
    if odds >= spread or not tally.scatter:
        return Interval(tally.mean, None)
    gap = _widened(sqrt((odds - 1) / (1 - odds / spread)), tally.skewness)
    return Interval(tally.mean, gap * tally.deviation)


def _widened(distance: float, skewness: float) -> float:
    """Return the gap between means at this distance after Hall (1992), on the side where it is larger."""
    steep = abs(skewness)
    return 3 * (1 - cbrt(1 - steep * distance)) / steep if steep > FLAT else distance


def _mixed_variance(risk: float) -> float:
    """Return the variance of the effects in the mixture for which the interval is tightest at `TIGHTEST` blocks."""
    doubt = -2 * log(risk)
    return (doubt + log(1 + doubt)) / TIGHTEST
