"""The interval of an experiment comes from the test that decides, so that it cannot contradict the verdict."""

from itertools import pairwise, repeat
from math import sqrt
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.studies.sequential import SHAPES, differences, leaves_out_zero, missed, most_by_chance
from splito_arena.experiments.sequential_test import Design, MeanInterval, after, llr, llr_at, mean_interval, reading
from splito_arena.experiments.tally import Tally, add

USUAL = Design()
EAGER = Design(least=2, high=0.9, alpha=0.2, beta=0.1)
DESIGNS = [
    USUAL,
    EAGER,
    Design(low=-0.2, high=0.2, least=5),
    Design(low=0.1, high=0.15, least=10),
    Design(low=-0.9, high=0.9, least=2, alpha=0.4, beta=0.01),
]
real = st.lists(st.integers(-80, 80).map(lambda eighths: eighths / 8), min_size=2, max_size=80)
skewed = st.lists(st.sampled_from([0.125, 0.125, 0.125, 0.25, 0.25, -8.0]), min_size=2, max_size=80)


def tally(values: list[float]) -> Tally:
    so_far = Tally()
    for value in values:
        so_far = add(so_far, value)
    return so_far


def found(design: Design, so_far: Tally) -> MeanInterval:
    interval = mean_interval(design, so_far)
    assert interval is not None
    return interval


def effect(bound: float) -> float:
    return bound / sqrt(1 - bound**2)


@pytest.mark.parametrize("design", DESIGNS, ids=str)
@given(values=real | skewed)
def test_verdict_and_interval_agree_after_every_block(design: Design, values: list[float]) -> None:
    """`better` is said exactly when all effects up to `low` are excluded, `not better` when all from `high` are."""
    so_far = Tally()
    for value in values:
        so_far = add(so_far, value)
        if so_far.blocks < design.least or not so_far.scatter:
            assert mean_interval(design, so_far) is None
            continue
        interval, ratio = found(design, so_far), llr(design, so_far)
        low, high = (so_far.deviation * effect(bound) for bound in (design.low, design.high))
        assert (ratio >= design.upper) == (interval.low is not None and interval.low > low)
        assert (ratio <= design.lower) == (interval.high is not None and interval.high < high)


@pytest.mark.parametrize("lead", [0.5, 1.0])
def test_an_interval_of_a_better_bot_is_above_0_at_the_verdict_and_not_before(lead: float) -> None:
    for run in range(20):
        chance = Random(run)
        drawn = [chance.gauss(lead, 1) for _ in range(1000)]
        end = after(USUAL, drawn)
        assert end.verdict == "better"
        last = found(USUAL, end.tally)
        assert last.low is not None
        assert last.low > 0
        before = mean_interval(USUAL, tally(drawn[: end.tally.blocks - 1]))
        assert before is None or before.low is None or before.low <= 0


@given(real | skewed, st.sampled_from([0.5, 0.9, 1.1, 2.0]))
def test_the_lower_end_is_the_lead_that_could_be_taken_from_new(values: list[float], share: float) -> None:
    """With a little less taken from every difference, the verdict is still `better`; with a little more, it is not."""
    so_far = tally(values)
    interval = mean_interval(EAGER, so_far)
    if interval is None or interval.low is None:
        return
    taken = so_far.mean - share * (so_far.mean - interval.low)
    shifted = msgspec.structs.replace(so_far, mean=so_far.mean - taken)
    assert (llr(EAGER, shifted) >= EAGER.upper) == (share > 1)


@given(real | skewed)
def test_the_likelihood_ratio_never_falls_when_the_mean_grows(values: list[float]) -> None:
    so_far = tally(values)
    for design in DESIGNS:
        ratios = [llr_at(design, so_far, step / 50) for step in range(-50, 51)]
        assert all(one <= other + 1e-9 for one, other in pairwise(ratios))


@given(real | skewed)
def test_swapping_new_and_old_swaps_the_ends(values: list[float]) -> None:
    design = Design(low=-0.1, high=0.5, alpha=0.1, beta=0.02, least=5)
    other = Design(low=-0.5, high=0.1, alpha=0.02, beta=0.1, least=5)
    one, turned = mean_interval(design, tally(values)), mean_interval(other, tally([-value for value in values]))
    if one is None or turned is None:
        assert one == turned
        return
    for end, opposite in ((one.low, turned.high), (one.high, turned.low)):
        assert (end is None) == (opposite is None)
        assert end is None or end == pytest.approx(-(opposite or 0.0), abs=1e-6)


def test_a_worked_example() -> None:
    """Fifty times 3 and -1: mean 1, deviation 2, no skewness. The test says `better` from a ratio r of 0.1 + 2.944 / 20
    = 0.2472 on, which is 0.2551 deviations; so the lower end is 1 - 2 * 0.2551. It says `not better` below 0.1 - 0.1472
    = -0.0472; so the upper end is 1 + 2 * (0.2041 + 0.0473).
    """
    interval = found(USUAL, tally([3.0, -1.0] * 50))
    assert (interval.low, interval.high) == pytest.approx((0.4897, 1.5028), abs=1e-4)


def test_there_is_no_interval_before_the_fewest_blocks_or_without_scatter() -> None:
    assert reading(after(USUAL, [3.0, -1.0] * 14)).interval is None
    assert reading(after(USUAL, [3.0, -1.0] * 15)).interval is not None
    assert reading(after(USUAL, repeat(0.0, 100))).interval is None


def test_an_end_is_missing_while_no_mean_on_its_side_could_be_rejected() -> None:
    timid = Design(high=0.01, least=2, cap=4000)
    assert mean_interval(timid, tally([3.0, -1.0] * 50)) == MeanInterval(None, None)


@pytest.mark.parametrize("design", [DESIGNS[0], DESIGNS[2]], ids=str)
def test_the_study_asks_the_same_question_as_the_interval(design: Design) -> None:
    chance, agreed = Random(1), list[Any]()
    for _ in range(300):
        drawn = differences("long losses", chance.choice((-0.6, 0.0, 0.6)), chance)
        so_far = tally([next(drawn) for _ in range(chance.randint(design.least, 80))])
        interval = found(design, so_far)
        above, below = leaves_out_zero(design, so_far)
        assert above == (interval.low is not None and interval.low > 0)
        assert below == (interval.high is not None and interval.high < 0)
        agreed.append((above, below))
    assert len({*agreed}) == 3


@pytest.mark.parametrize("shape", [name for name, shape in SHAPES.items() if not shape.hostile])
def test_the_interval_seldom_excludes_the_true_mean(shape: str) -> None:
    wrong = missed(shape, runs=200, watched=200)
    assert wrong.above <= most_by_chance(200, USUAL.alpha)
    assert wrong.below <= most_by_chance(200, USUAL.beta)
