"""An experiment ends by itself, rightly as often as it promises, and says the same whichever way it is looked at."""

from itertools import repeat
from math import inf, nan, sqrt
from random import Random
from statistics import fmean, pvariance

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.studies.sequential import SHAPES, differences, fixed_blocks, missed, most_by_chance, outcome
from splito_arena.experiments.anytime import anytime
from splito_arena.experiments.sequential_test import Design, Experiment, after, begin, llr, reading, update
from splito_arena.experiments.tally import Tally, add
from splito_engine.errors import BadOption
from tests.conftest import QUICK

DESIGN = Design()
SHORT = Design(low=-0.1, high=0.5, alpha=0.1, beta=0.02, least=5, cap=60)
FEW = 200 if QUICK else 300
"""Runs, where docs/experiments.md has 2,000."""

real = st.lists(st.integers(-80, 80).map(lambda eighths: eighths / 8), min_size=1, max_size=80)


def tally(values: list[float]) -> Tally:
    so_far = Tally()
    for value in values:
        so_far = add(so_far, value)
    return so_far


def mirrored(design: Design) -> Design:
    return msgspec.structs.replace(design, low=-design.high, high=-design.low, alpha=design.beta, beta=design.alpha)


# How it ends


def test_equal_bots_end_as_not_better() -> None:
    """All differences are zero: n * 0.2² / 2 reaches log(0.95 / 0.05) = 2.944 at 148."""
    end = after(DESIGN, repeat(0.0))
    assert (end.verdict, end.tally.blocks) == ("not better", 148)


def test_equal_bots_between_mirrored_bounds_end_at_the_cap() -> None:
    end = after(Design(low=-0.1, high=0.1, cap=500), repeat(0.0))
    assert (end.verdict, end.tally.blocks, reading(end).llr) == ("cap", 500, 0)


@pytest.mark.parametrize(("difference", "verdict"), [(0.1, "better"), (-0.1, "not better"), (1e-9, "better")])
def test_a_difference_without_scatter_is_decided_after_the_fewest_blocks(difference: float, verdict: str) -> None:
    end = after(DESIGN, repeat(difference))
    assert (end.verdict, end.tally.blocks) == (verdict, DESIGN.least)


@pytest.mark.parametrize("size", [5e-324, 1e-150, 1e-110, 1e150, 1e300])
def test_differences_of_any_size_are_accepted(size: float) -> None:
    assert after(DESIGN, (size * Random(block).choice((-1, 0, 0, 1)) for block in range(1000))).verdict != "undecided"


def test_before_the_fewest_blocks_nothing_is_decided() -> None:
    early = after(Design(least=2), repeat(1.0)).tally.blocks
    assert early < DESIGN.least
    assert after(DESIGN, [1.0] * (DESIGN.least - 1)).verdict == "undecided"


def test_the_verdict_comes_exactly_when_the_ratio_leaves_its_bounds() -> None:
    chance = Random(5)
    before = experiment = begin(DESIGN)
    while experiment.verdict == "undecided":
        before, experiment = experiment, update(experiment, chance.gauss(0.3, 1))
    assert DESIGN.lower < llr(DESIGN, before.tally) < DESIGN.upper <= llr(DESIGN, experiment.tally)


def test_blocks_after_the_verdict_change_nothing() -> None:
    end = after(DESIGN, repeat(0.0))
    assert update(end, 1e6) == end


def test_the_test_takes_no_difference_after_its_verdict() -> None:
    left = iter([0.0] * 150)
    after(DESIGN, left)
    assert len(list(left)) == 2


def test_the_state_of_a_test_can_be_stored_after_any_block() -> None:
    drawn = [Random(3).gauss(0, 1) for _ in range(400)]
    experiment = begin(DESIGN)
    for difference in drawn:
        experiment = msgspec.json.decode(msgspec.json.encode(update(experiment, difference)), type=Experiment)
    assert experiment == after(DESIGN, drawn)


# What it says on the way


def test_bounds_are_those_of_wald() -> None:
    assert Design(alpha=0.05, beta=0.2).lower == pytest.approx(-1.5581, abs=1e-4)
    assert Design(alpha=0.05, beta=0.2).upper == pytest.approx(2.7726, abs=1e-4)


def test_a_reading_before_the_first_block() -> None:
    shown = reading(begin(DESIGN))
    assert (shown.blocks, shown.llr, shown.effect, shown.estimate.margin) == (0, 0, None, None)


def test_a_worked_example() -> None:
    """Fifty times 3 and -1: mean 1, deviation 2, effect 0.5; mean over root mean square is 1 / sqrt(5), no skewness."""
    shown = reading(Experiment(DESIGN, tally([3.0, -1.0] * 50)))
    assert (shown.estimate.mean, shown.effect) == pytest.approx((1, 0.5))
    assert shown.llr == pytest.approx(100 * 0.2 * (1 / sqrt(5) - 0.1))


@given(real)
def test_a_tally_is_the_textbooks(values: list[float]) -> None:
    mean, so_far = fmean(values), tally(values)
    assert so_far.mean == pytest.approx(mean)
    assert so_far.scatter == pytest.approx(len(values) * pvariance(values), abs=1e-9)
    assert so_far.lean == pytest.approx(sum((value - mean) ** 3 for value in values), abs=1e-6)


def test_rare_large_losses_need_more_evidence_than_rare_large_wins() -> None:
    """The mean and the scatter are the same; but losses may not have been seen as often as they come."""
    losses = tally([1.0] * 45 + [-4.0] * 5)
    wins = tally([0.0] * 45 + [5.0] * 5)
    assert losses.mean == pytest.approx(wins.mean)
    assert losses.scatter == pytest.approx(wins.scatter)
    assert llr(DESIGN, losses) < llr(DESIGN, wins)


def test_a_margin_needs_blocks_and_scatter() -> None:
    assert anytime(tally([1.0, 2.0])).margin is None
    assert anytime(tally([1.0] * 100)).margin is None
    assert anytime(tally([1.0, 2.0] * 50)).margin is not None


def test_a_margin_excludes_what_the_mixture_finds_twenty_times_less_likely() -> None:
    """The odds of the mixture against the mean at the end of the margin, from the densities themselves."""
    so_far = tally([3.0, -1.0, 0.0, 2.0] * 20)
    margin = anytime(so_far).margin
    assert margin is not None
    n, rho = so_far.blocks, (5.991465 + 1.944690) / 200
    squares = so_far.scatter + n * margin**2
    mixed = squares - rho * (n * margin) ** 2 / (1 + n * rho)
    assert (squares / mixed) ** (n / 2) / sqrt(1 + n * rho) == pytest.approx(20, rel=1e-4)


def test_a_long_tail_widens_the_interval_alike_to_either_side() -> None:
    even, right, left = (
        anytime(tally(values * (100 // len(values)))).margin
        for values in ([2.0, -2.0], [4.0, 0.0, 0.0, 0.0], [-4.0, 0.0, 0.0, 0.0])
    )
    assert even is not None
    assert right is not None
    assert right == left
    assert right / sqrt(3) > 1.05 * even / 2


def test_a_surer_interval_is_wider() -> None:
    so_far = tally([3.0, -1.0] * 50)
    margins = [anytime(so_far, confidence).margin or 0 for confidence in (0.8, 0.95, 0.99)]
    assert margins == sorted(margins)
    assert margins[0] > 0


# Whichever way it is looked at


@given(real)
def test_swapping_new_and_old_swaps_everything(values: list[float]) -> None:
    one, other = after(SHORT, values), after(mirrored(SHORT), [-value for value in values])
    turned = {"better": "not better", "not better": "better"}
    assert other.verdict == turned.get(one.verdict, one.verdict)
    assert other.tally.blocks == one.tally.blocks
    assert reading(other).llr == pytest.approx(-reading(one).llr)
    assert reading(other).estimate.mean == -reading(one).estimate.mean
    assert reading(other).estimate.margin == reading(one).estimate.margin


@given(real, st.sampled_from([2.0**-20, 0.25, 1024.0]))
def test_the_unit_changes_the_estimate_and_nothing_else(values: list[float], unit: float) -> None:
    one, other = reading(after(SHORT, values)), reading(after(SHORT, [unit * value for value in values]))
    assert (other.verdict, other.blocks) == (one.verdict, one.blocks)
    assert other.llr == pytest.approx(one.llr)
    assert other.estimate.mean == unit * one.estimate.mean
    assert (other.estimate.margin or 0) == pytest.approx(unit * (one.estimate.margin or 0))


@given(real, st.randoms(use_true_random=False))
def test_the_order_matters_only_for_where_it_stops(values: list[float], chance: Random) -> None:
    shuffled = chance.sample(values, len(values))
    assert llr(SHORT, tally(shuffled)) == pytest.approx(llr(SHORT, tally(values)), abs=1e-6)
    assert anytime(tally(shuffled)).margin == pytest.approx(anytime(tally(values)).margin)


# How often it is wrong


@pytest.mark.parametrize("shape", [name for name, shape in SHAPES.items() if not shape.hostile])
def test_equal_bots_are_seldom_called_better(shape: str) -> None:
    got = outcome(shape, 0.0, DESIGN, FEW)
    assert got.better <= most_by_chance(FEW, DESIGN.alpha)
    assert got.cap <= 0.01


@pytest.mark.parametrize("shape", [name for name, shape in SHAPES.items() if not shape.hostile])
def test_what_must_not_be_missed_is_seldom_missed_and_takes_fewer_blocks(shape: str) -> None:
    got = outcome(shape, DESIGN.high, DESIGN, FEW)
    assert got.not_better <= most_by_chance(FEW, DESIGN.beta)
    assert got.blocks < 0.75 * fixed_blocks(DESIGN.high, DESIGN.alpha, 1 - DESIGN.beta)


def test_a_test_of_fixed_size_is_that_of_the_tables() -> None:
    """(1.6449 + 1.2816)² / 0.2² = 214.1."""
    assert fixed_blocks(0.2, 0.05, 0.9) == 215


def test_looking_all_the_time_misleads_students_interval_but_not_this_one() -> None:
    """Student's margin of 1.96 standard errors, looked at after each of 300 blocks, is wrong in every third run."""
    found = missed("normal", runs=FEW, watched=300)
    assert max(found.above, found.below, found.margin) <= most_by_chance(FEW, 0.05)
    assert sum(_student_errs(Random(run)) for run in range(FEW)) / FEW > 0.25


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_have_the_effect_they_are_asked_for(shape: str) -> None:
    drawn = differences(shape, 0.2, Random(11))
    values = [next(drawn) for _ in range(40_000)]
    assert fmean(values) / sqrt(pvariance(values)) == pytest.approx(0.2, abs=0.03)


def _student_errs(chance: Random) -> bool:
    so_far = Tally()
    for blocks in range(1, 301):
        so_far = add(so_far, chance.gauss(0, 1))
        if blocks >= 20 and abs(so_far.mean) > 1.96 * sqrt(so_far.scatter) / blocks:
            return True
    return False


# What is refused


@pytest.mark.parametrize(
    ("design", "field"),
    [
        (Design(low=0.2, high=0.2), "high"),
        (Design(low=nan), "high"),
        (Design(high=1.5), "high"),
        (Design(alpha=0), "alpha"),
        (Design(beta=0.5), "beta"),
        (Design(least=1), "least"),
        (Design(least=50, cap=40), "cap"),
    ],
)
def test_a_design_must_make_sense(design: Design, field: str) -> None:
    with pytest.raises(BadOption) as refused:
        begin(design)
    assert refused.value.field == field


@pytest.mark.parametrize("difference", [nan, inf, -inf])
def test_a_difference_must_be_a_number(difference: float) -> None:
    with pytest.raises(BadOption):
        update(begin(DESIGN), difference)
