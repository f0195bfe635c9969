"""Tally of an experiment: the sums over the differences of its blocks that the test and its intervals need."""

from math import hypot, isfinite, sqrt

import msgspec

from splito_engine.errors import BadOption

STEEPEST = 2.0
"""Largest skewness that is corrected for, because a clear case would take too long to decide beyond it."""


class Tally(msgspec.Struct, frozen=True):
    """The sums over the differences so far."""

    blocks: int = 0
    mean: float = 0.0
    scatter: float = 0.0
    """Sum of the squared distances from the mean; exactly zero if all differences were the same."""
    lean: float = 0.0
    """Sum of the cubed distances from the mean: its sign is the side of the long tail."""

    @property
    def deviation(self) -> float:
        """Return the standard deviation of the differences; 0 before the first block."""
        return sqrt(self.scatter / self.blocks) if self.blocks else 0.0

    @property
    def ratio(self) -> float:
        """Return the mean over the root mean square, from -1 to 1; 0 if all differences are 0."""
        return self.mean / hypot(self.mean, self.deviation) if self.mean else 0.0

    @property
    def skewness(self) -> float:
        """Return the skewness of the differences, limited to `STEEPEST` either way; 0 without scatter."""
        if not self.scatter:
            return 0.0
        return max(-STEEPEST, min(STEEPEST, self.lean / self.scatter * sqrt(self.blocks / self.scatter)))


def add(tally: Tally, difference: float) -> Tally:
    """Return the tally with one more difference, by Welford's method, which loses no precision for large values.

    Raise `BadOption` if the difference is not a finite number.
    """
    if not isfinite(difference):
        raise BadOption(f"a difference must be a finite number, not {difference}", field="difference")
    blocks = tally.blocks + 1
    step = difference - tally.mean
    mean = tally.mean + step / blocks
    spread = step * (difference - mean)
    lean = tally.lean + spread * step * (blocks - 2) / blocks - 3 * tally.scatter * step / blocks
    return Tally(blocks, mean, tally.scatter + spread, lean)
