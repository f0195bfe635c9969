"""Sequential test of whether NEW is better than OLD, which may be evaluated after every block.

NEW and OLD play pairs of games, in the same seat of the same deal among the same field. A block gives one number, the
*difference*: how much better NEW did than OLD, in the chosen measure. The *effect* is the mean of the differences over
their standard deviation, so bounds on it mean the same in every game and unit: 0.2 is a lead in some 58 of 100 blocks.

`Experiment` is Wald's test between "the effect is at most `low`" and "it is at least `high`", generalised (GSPRT): the
scatter and the skewness of the differences are estimated on the way. Beside it, `anytime` is an interval that holds at
all times at once. docs/experiments.md has measurements of both.
"""

from collections.abc import Iterable
from math import cbrt, hypot, isfinite, log, sqrt
from typing import Literal, TypeAlias

import msgspec

from splito_arena.stats.intervals import CONFIDENCE, Interval
from splito_engine.errors import BadOption

Verdict: TypeAlias = Literal["better", "not better", "undecided", "cap"]

TIGHTEST = 200
"""Number of blocks for which the anytime interval is tightest; from half to ten times that it is nearly as good."""


FLAT = 1e-6
"""Skewness below this is treated as none, because dividing by it would only add noise."""
STEEPEST = 2.0
"""Largest skewness that is corrected for, because a clear case would take too long to decide beyond it."""


class Design(msgspec.Struct, frozen=True, kw_only=True):
    """The design of an experiment, fixed before the first block."""

    low: float = 0.0
    """Effect that is not worth having: at or below it, the verdict `better` is wrong."""
    high: float = 0.2
    """Effect that must not be missed: at or above it, the verdict `not better` is wrong."""
    alpha: float = 0.05
    """Greatest chance that the verdict `better` is wrong."""
    beta: float = 0.05
    """Greatest chance that the verdict `not better` is wrong."""
    least: int = 30
    """Number of blocks before any verdict, because rare large losses must have a chance to occur."""
    cap: int = 1000
    """Number of blocks after which the experiment ends, with or without a verdict."""

    @property
    def lower(self) -> float:
        """Return the log-likelihood ratio at which the verdict is `not better`."""
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """Return the log-likelihood ratio at which the verdict is `better`."""
        return log((1 - self.beta) / self.alpha)


class Tally(msgspec.Struct, frozen=True):
    """The sums over the differences so far that the test needs."""

    blocks: int = 0
    mean: float = 0.0
    scatter: float = 0.0
    """Sum of the squared distances from the mean; exactly zero if all differences were the same."""
    lean: float = 0.0
    """Sum of the cubed distances from the mean: its sign is the side of the long tail."""


class Experiment(msgspec.Struct, frozen=True):
    """The state of an experiment. It can be stored after any block and resumed."""

    design: Design
    tally: Tally = Tally()
    verdict: Verdict = "undecided"


class Reading(msgspec.Struct, frozen=True):
    """The report of an experiment, while it runs and at its end."""

    verdict: Verdict
    blocks: int
    llr: float
    lower: float
    upper: float
    estimate: Interval
    """Interval of the mean difference, in the unit of the measure, valid at any time."""
    effect: float | None
    """Mean difference in standard deviations; null while there is no scatter."""


def begin(design: Design) -> Experiment:
    check_design(design)
    return Experiment(design)


def update(experiment: Experiment, difference: float) -> Experiment:
    """Return the experiment after one more block. Blocks are given in the order of their numbers, not of their ends,
    because short games must not count first.

    A block after the end changes nothing.
    """
    if experiment.verdict != "undecided":
        return experiment
    tally = add(experiment.tally, difference)
    return Experiment(experiment.design, tally, _verdict(experiment.design, tally))


def after(design: Design, differences: Iterable[float]) -> Experiment:
    """Return the experiment after these differences; it takes no more of them than it needs."""
    experiment = begin(design)
    for difference in differences:
        experiment = update(experiment, difference)
        if experiment.verdict != "undecided":
            break
    return experiment


def reading(experiment: Experiment) -> Reading:
    design, tally = experiment.design, experiment.tally
    return Reading(
        verdict=experiment.verdict,
        blocks=tally.blocks,
        llr=llr(design, tally),
        lower=design.lower,
        upper=design.upper,
        estimate=anytime(tally),
        effect=tally.mean / sqrt(tally.scatter / tally.blocks) if tally.scatter else None,
    )


def check_design(design: Design) -> None:
    if not -1 <= design.low < design.high <= 1:
        raise BadOption(f"-1 <= low < high <= 1, but they are {design.low} and {design.high}", field="high")
    for name, risk in (("alpha", design.alpha), ("beta", design.beta)):
        if not 0 < risk < 0.5:
            raise BadOption(f"{name} must be between 0 and 0.5, not {risk}", field=name)
    if design.least < 2:
        raise BadOption(f"least must be at least 2, not {design.least}", field="least")
    if design.cap < design.least:
        raise BadOption(f"cap must be at least {design.least}, not {design.cap}", field="cap")


def add(tally: Tally, difference: float) -> Tally:
    """Return the tally with one more difference, by Welford's method, which loses no precision for large values."""
    if not isfinite(difference):
        raise BadOption(f"a difference must be a finite number, not {difference}", field="difference")
    blocks = tally.blocks + 1
    step = difference - tally.mean
    mean = tally.mean + step / blocks
    spread = step * (difference - mean)
    lean = tally.lean + spread * step * (blocks - 2) / blocks - 3 * tally.scatter * step / blocks
    return Tally(blocks, mean, tally.scatter + spread, lean)


def llr(design: Design, tally: Tally) -> float:
    """Return the log-likelihood ratio of `high` against `low`.

    It is the weaker of two values, for normal differences and for differences as skewed as they look, because the
    estimated skewness of a heavy tail is mostly noise and must not decide.
    """
    if not tally.blocks:
        return 0.0
    ratios = (_llr(design, tally, skewness) for skewness in (0.0, _skewness(tally)))
    return min(ratios, key=abs)


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
    gap = _widened(sqrt((odds - 1) / (1 - odds / spread)), _skewness(tally))
    return Interval(tally.mean, gap * sqrt(tally.scatter / tally.blocks))


def _verdict(design: Design, tally: Tally) -> Verdict:
    ratio = llr(design, tally)
    if tally.blocks >= design.least and ratio >= design.upper:
        return "better"
    if tally.blocks >= design.least and ratio <= design.lower:
        return "not better"
    return "cap" if tally.blocks >= design.cap else "undecided"


def _llr(design: Design, tally: Tally, skewness: float) -> float:
    effect = _ratio(tally)
    from_low = _distance(effect - design.low, skewness, tally.blocks)
    from_high = _distance(effect - design.high, skewness, tally.blocks)
    return tally.blocks * (from_low + from_high) * (from_low - from_high) / 2


def _ratio(tally: Tally) -> float:
    """Return the mean over the root mean square, from -1 to 1; 0 if all differences are 0."""
    return tally.mean / hypot(tally.mean, sqrt(tally.scatter / tally.blocks)) if tally.mean else 0.0


def _skewness(tally: Tally) -> float:
    if not tally.scatter:
        return 0.0
    return max(-STEEPEST, min(STEEPEST, tally.lean / tally.scatter * sqrt(tally.blocks / tally.scatter)))


def _distance(gap: float, skewness: float, blocks: int) -> float:
    """Return the distance between the observed and a supposed effect, corrected to normal differences (Hall, 1992).

    A bot that mostly wins a little and rarely loses much looks too good while too few losses were seen: they are
    missing in the mean, and again in the scatter by which the mean is measured.
    """
    if abs(skewness) < FLAT:
        return gap
    return ((1 + skewness * gap / 3) ** 3 - 1) / skewness + skewness / (6 * blocks)


def _widened(distance: float, skewness: float) -> float:
    """Return the gap at this distance, on the side where it is larger: the inverse of `_distance`."""
    steep = abs(skewness)
    return 3 * (1 - cbrt(1 - steep * distance)) / steep if steep > FLAT else distance


def _mixed_variance(risk: float) -> float:
    """Return the variance of the effects in the mixture for which the interval is tightest at `TIGHTEST` blocks."""
    doubt = -2 * log(risk)
    return (doubt + log(1 + doubt)) / TIGHTEST
