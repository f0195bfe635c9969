"""Sequential test of whether NEW is better than OLD, which may be evaluated after every block.

NEW and OLD play pairs of games, in the same seat of the same deal among the same field, with the same dice. A block
gives one number, the *difference*: how much better NEW did than OLD, in the chosen measure. The *effect* is the mean of
the differences over their standard deviation, so bounds on it mean the same in every game and unit: 0.2 is a lead in
some 58 of 100 blocks.

`Experiment` is Wald's test between "the effect is at most `low`" and "it is at least `high`", generalised (GSPRT): the
scatter and the skewness of the differences are estimated on the way. `mean_interval` is the same test, asked about
other means than 0: it leaves out the means that the test rejects, so it cannot contradict the verdict.
docs/experiments.md has the formulas and measurements of both.
"""

from collections.abc import Callable, Iterable
from math import cbrt, log, sqrt
from typing import Literal, TypeAlias

import msgspec

from splito_arena.experiments.anytime import FLAT, anytime
from splito_arena.experiments.tally import Tally, add
from splito_arena.experiments.variance import variance_ratio
from splito_arena.stats.intervals import Interval
from splito_engine.errors import BadOption

Verdict: TypeAlias = Literal["better", "not better", "undecided", "cap"]

STEADY = 3 * (1 - cbrt(0.4))
"""Largest product of skewness and effect up to which the ratio for skewed differences grows with the effect."""
NO_SUMS = Tally()
HALVINGS = 40
"""Number of halvings in the search for an end of the interval: it is found to 12 digits."""


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


class Experiment(msgspec.Struct, frozen=True):
    """The state of an experiment. It can be stored after any block and resumed."""

    design: Design
    tally: Tally = Tally()
    verdict: Verdict = "undecided"


class MeanInterval(msgspec.Struct, frozen=True):
    """Means of the difference that the test does not reject, in the unit of the measure."""

    low: float | None
    """Lower end; null if there are too few blocks to reject any lower mean."""
    high: float | None
    """Upper end; null if there are too few blocks to reject any higher mean."""


class Reading(msgspec.Struct, frozen=True):
    """The report of an experiment, while it runs and at its end."""

    verdict: Verdict
    blocks: int
    llr: float
    lower: float
    upper: float
    estimate: Interval
    """Mean difference, in the unit of the measure, with a 95 % margin that is valid at any time but does not depend on
    the question. `interval` is the one that agrees with the verdict.
    """
    effect: float | None
    """Mean difference in standard deviations; null while there is no scatter."""
    interval: MeanInterval | None = None
    """Interval of the mean difference, from the test that decides and valid at any time: with `low` 0 the verdict is
    `better` exactly when the whole interval is above 0. Null before `least` blocks, and while there is no scatter.
    """
    variance_ratio: float | None = None
    """Variance of the difference if the games of NEW and OLD were not paired, over the variance of the paired
    difference: without pairing the experiment would take that many times as many blocks. Null while there is no
    scatter.
    """


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


def reading(experiment: Experiment, sums: Tally = NO_SUMS) -> Reading:
    """Return the report of the experiment.

    `sums` is the tally of the results of NEW plus those of OLD in the same blocks, for the variance ratio.
    """
    design, tally = experiment.design, experiment.tally
    return Reading(
        verdict=experiment.verdict,
        blocks=tally.blocks,
        llr=llr(design, tally),
        lower=design.lower,
        upper=design.upper,
        estimate=anytime(tally),
        effect=tally.mean / tally.deviation if tally.scatter else None,
        interval=mean_interval(design, tally),
        variance_ratio=variance_ratio(tally, sums),
    )


def check_design(design: Design) -> None:
    """Raise `BadOption` if the bounds, risks or numbers of blocks are not possible."""
    if not -1 <= design.low < design.high <= 1:
        raise BadOption(f"-1 <= low < high <= 1, but they are {design.low} and {design.high}", field="high")
    for name, risk in (("alpha", design.alpha), ("beta", design.beta)):
        if not 0 < risk < 0.5:
            raise BadOption(f"{name} must be between 0 and 0.5, not {risk}", field=name)
    if design.least < 2:
        raise BadOption(f"least must be at least 2, not {design.least}", field="least")
    if design.cap < design.least:
        raise BadOption(f"cap must be at least {design.least}, not {design.cap}", field="cap")


def llr(design: Design, tally: Tally) -> float:
    """Return the log-likelihood ratio of `high` against `low`; 0 before the first block."""
    return llr_at(design, tally, tally.ratio) if tally.blocks else 0.0


def llr_at(design: Design, tally: Tally, ratio: float) -> float:
    """Return the log-likelihood ratio for differences with this mean over their root mean square.

    It is the weaker of two values, for normal differences and for differences as skewed as they look, because the
    estimated skewness of a heavy tail is mostly noise and must not decide; 0 if they have opposite signs. It never
    falls when `ratio` grows.
    """
    normal, skewed = (_llr(design, tally.blocks, ratio, skewness) for skewness in (0.0, tally.skewness))
    return sorted((0.0, normal, skewed))[1]


def mean_interval(design: Design, tally: Tally) -> MeanInterval | None:
    """Return the means of the difference that the test does not reject; None before `least` blocks or without scatter.

    The lower end is the largest lead that could be taken from NEW in every block before the verdict would no longer be
    `better` (than an effect of `low`); the upper end is found in the same way from `not better` (than `high`).
    """
    if tally.blocks < design.least or not tally.scatter:
        return None
    least = _last_undecided(lambda ratio: llr_at(design, tally, ratio) < design.upper, 1.0)
    most = _last_undecided(lambda ratio: llr_at(design, tally, ratio) > design.lower, -1.0)
    return MeanInterval(_end(tally, least, design.low), _end(tally, most, design.high))


def _verdict(design: Design, tally: Tally) -> Verdict:
    ratio = llr(design, tally)
    if tally.blocks >= design.least and ratio >= design.upper:
        return "better"
    if tally.blocks >= design.least and ratio <= design.lower:
        return "not better"
    return "cap" if tally.blocks >= design.cap else "undecided"


def _llr(design: Design, blocks: int, ratio: float, skewness: float) -> float:
    """Return the log-likelihood ratio for this skewness.

    A large effect counts as the largest one up to which the ratio grows, because with a long tail on the other side the
    ratio would fall again.
    """
    from_low, width = ratio - design.low, design.high - design.low
    if skewness < -FLAT:
        from_low = min(from_low, STEADY / -skewness)
    elif skewness > FLAT:
        from_low = max(from_low, width - STEADY / skewness)
    one, other = (_distance(gap, skewness, blocks) for gap in (from_low, from_low - width))
    return blocks * (one + other) * (one - other) / 2


def _distance(gap: float, skewness: float, blocks: int) -> float:
    """Return the distance between the observed and a supposed effect, corrected to normal differences (Hall, 1992).

    A bot that mostly wins a little and rarely loses much looks too good while too few losses were seen: they are
    missing in the mean, and again in the scatter by which the mean is measured.
    """
    if abs(skewness) < FLAT:
        return gap
    return ((1 + skewness * gap / 3) ** 3 - 1) / skewness + skewness / (6 * blocks)


def _last_undecided(undecided: Callable[[float], bool], end: float) -> float | None:
    """Return the ratio nearest to `end`, which is 1 or -1, that is still undecided; None if `end` itself is."""
    if undecided(end):
        return None
    inside, outside = -end, end
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if undecided(middle) else (inside, middle)
    return inside


def _end(tally: Tally, ratio: float | None, supposed: float) -> float | None:
    """Return the mean that is as far from the observed mean as `supposed` is from `ratio`."""
    if ratio is None or abs(supposed) == 1:
        return None
    return tally.mean - tally.deviation * (_effect(ratio) - _effect(supposed))


def _effect(ratio: float) -> float:
    """Return the mean over the standard deviation for a mean over the root mean square."""
    return ratio / sqrt(1 - ratio**2)
