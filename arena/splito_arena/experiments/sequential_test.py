"""Is NEW better than OLD, and may we stop? A test that may be looked at after every block.

NEW and OLD play pairs of games, in the same seat of the same deal among the same field. A block gives one number, the
*difference*: how much better NEW did than OLD, in whatever counts. The *effect* is the mean of the differences over
their standard deviation, so bounds on it mean the same in every game and unit: 0.2 is a lead in some 58 of 100 blocks.

`Experiment` is Wald's test between "the effect is at most `low`" and "it is at least `high`", generalised (GSPRT): how
much the differences scatter, and to which side, is learned from them on the way. Beside it, `anytime` is an interval
that holds at all times at once. What both are worth is measured in docs/experiments.md.
"""

from collections.abc import Iterable
from math import cbrt, hypot, isfinite, log, sqrt
from typing import Literal, TypeAlias

import msgspec

from splito_arena.stats.intervals import CONFIDENCE, Interval
from splito_engine.errors import BadOption

Verdict: TypeAlias = Literal["better", "not better", "undecided", "cap"]

TIGHTEST = 200
"""The number of blocks for which an anytime interval is made; from half to ten times that it is nearly as good."""


FLAT = 1e-6
"""Less skewness than this is none; to divide by it would only make noise."""
STEEPEST = 2.0
"""The largest skewness that is corrected for: beyond it, a clear case would take too long to be decided."""


class Design(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked, and fixed before the first block."""

    low: float = 0.0
    """The effect that is not worth having: at or below it, `better` is wrong."""
    high: float = 0.2
    """The effect that must not be missed: at or above it, `not better` is wrong."""
    alpha: float = 0.05
    """How often `better` may be wrong."""
    beta: float = 0.05
    """How often `not better` may be wrong."""
    least: int = 30
    """Before so many blocks nothing is decided: a rare large loss must have had its chance to be seen."""
    cap: int = 1000
    """After so many blocks it ends, decided or not."""

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which it is `not better`."""
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which it is `better`."""
        return log((1 - self.beta) / self.alpha)


class Tally(msgspec.Struct, frozen=True):
    """All that has to be known of the differences so far."""

    blocks: int = 0
    mean: float = 0.0
    scatter: float = 0.0
    """The sum of the squared distances from the mean; exactly zero if all differences were the same."""
    lean: float = 0.0
    """The sum of the cubed distances from the mean: to which side the long tail is."""


class Experiment(msgspec.Struct, frozen=True):
    """As far as it has come. It can be stored after any block and taken up again."""

    design: Design
    tally: Tally = Tally()
    verdict: Verdict = "undecided"


class Reading(msgspec.Struct, frozen=True):
    """What is shown while it runs, and at its end."""

    verdict: Verdict
    blocks: int
    llr: float
    lower: float
    upper: float
    estimate: Interval
    """Of the mean difference, in its own unit, and valid whenever one looks."""
    effect: float | None
    """The same in standard deviations; nothing while there are none."""


def begin(design: Design) -> Experiment:
    check_design(design)
    return Experiment(design)


def update(experiment: Experiment, difference: float) -> Experiment:
    """One block more. Blocks come in the order of their numbers, not of their ends: short games must not count first.

    What comes after the end changes nothing.
    """
    if experiment.verdict != "undecided":
        return experiment
    tally = add(experiment.tally, difference)
    return Experiment(experiment.design, tally, _verdict(experiment.design, tally))


def after(design: Design, differences: Iterable[float]) -> Experiment:
    """The experiment from its begin; it takes no more differences than it needs."""
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
    """Welford's way: nothing is lost where differences are large beside their scatter."""
    if not isfinite(difference):
        raise BadOption(f"a difference must be a finite number, not {difference}", field="difference")
    blocks = tally.blocks + 1
    step = difference - tally.mean
    mean = tally.mean + step / blocks
    spread = step * (difference - mean)
    lean = tally.lean + spread * step * (blocks - 2) / blocks - 3 * tally.scatter * step / blocks
    return Tally(blocks, mean, tally.scatter + spread, lean)


def llr(design: Design, tally: Tally) -> float:
    """How much better `high` explains the differences than `low` does: the log of the ratio of the likelihoods.

    Taken as if the differences were normal and as skewed as they look, whichever says less: the skewness of a heavy
    tail is mostly noise, and must not decide.
    """
    if not tally.blocks:
        return 0.0
    ratios = (_llr(design, tally, skewness) for skewness in (0.0, _skewness(tally)))
    return min(ratios, key=abs)


def anytime(tally: Tally, confidence: float = CONFIDENCE) -> Interval:
    """The mean, with a margin that holds after all numbers of blocks at once, so it may be watched and stopped at will.

    For normal differences this is exact: it excludes a mean as soon as a mixture over all effects, normal around zero,
    is 1 / (1 - confidence) times as likely (Wang and Ramdas, "Anytime-valid t-tests", 2023). Skewed differences make it
    wider. There is no margin while there are too few blocks for any, nor without scatter, by which alone it could be
    measured.
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
    """The mean over the root mean square, from -1 to 1; without any difference it is zero, as between equals."""
    return tally.mean / hypot(tally.mean, sqrt(tally.scatter / tally.blocks)) if tally.mean else 0.0


def _skewness(tally: Tally) -> float:
    if not tally.scatter:
        return 0.0
    return max(-STEEPEST, min(STEEPEST, tally.lean / tally.scatter * sqrt(tally.blocks / tally.scatter)))


def _distance(gap: float, skewness: float, blocks: int) -> float:
    """Between the effect seen and one supposed, as it would be if the differences were normal (Hall, 1992).

    Who mostly wins a little and seldom loses much looks too good whenever too few of the losses were seen: they are
    missing in the mean, and again in the scatter by which the mean is measured.
    """
    if abs(skewness) < FLAT:
        return gap
    return ((1 + skewness * gap / 3) ** 3 - 1) / skewness + skewness / (6 * blocks)


def _widened(distance: float, skewness: float) -> float:
    """The gap at this distance, to the side where it is larger: `_distance` backwards."""
    steep = abs(skewness)
    return 3 * (1 - cbrt(1 - steep * distance)) / steep if steep > FLAT else distance


def _mixed_variance(risk: float) -> float:
    """Of the effects in the mixture, such that the interval is tightest where it should be."""
    doubt = -2 * log(risk)
    return (doubt + log(1 + doubt)) / TIGHTEST
