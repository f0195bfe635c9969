"""Intervals against tables and against a worked example."""

import pytest

from splito_arena.stats.intervals import LEAST_BLOCKS, Interval, Share, interval, mirrored, share, student_t

TABLE = {1: 12.7062, 2: 4.3027, 5: 2.5706, 10: 2.2281, 11: 2.2010, 15: 2.1314, 30: 2.0423, 60: 2.0003, 120: 1.9799}
"""Two-sided 95 % points of Student's t, as printed in every textbook."""


@pytest.mark.parametrize(("degrees", "t"), TABLE.items())
def test_students_t_is_that_of_published_tables(degrees: int, t: float) -> None:
    assert student_t(degrees) == pytest.approx(t, abs=2e-4)


def test_students_t_falls_towards_the_normal() -> None:
    values = [student_t(degrees) for degrees in range(1, 200)]
    assert values == sorted(values, reverse=True)
    assert student_t(10**6) == pytest.approx(1.95996, abs=1e-4)


def test_a_worked_example() -> None:
    """1 to 5: mean 3, standard deviation 1.5811, so 2.7764 * 1.5811 / sqrt(5) = 1.9632."""
    assert interval([1, 2, 3, 4, 5]).mean == 3
    assert interval([1, 2, 3, 4, 5]).margin == pytest.approx(1.9632, abs=1e-4)


def test_equal_values_have_a_margin_of_zero() -> None:
    assert interval([4] * LEAST_BLOCKS) == Interval(4, 0)


@pytest.mark.parametrize("blocks", [1, 2, LEAST_BLOCKS - 1])
def test_too_few_blocks_have_no_interval(blocks: int) -> None:
    assert interval([4] * blocks) == Interval(4, None)
    assert share([[1, 0]] * blocks) == Share(0.5, None, None)


def test_a_share_has_the_interval_of_the_textbooks() -> None:
    """Wilson's for 700 of 1,000 is 0.671 to 0.728, and t is nearly normal with 1,000 blocks of one game."""
    seven = share([[1]] * 700 + [[0]] * 300)
    assert (seven.mean, seven.low, seven.high) == pytest.approx((0.7, 0.671, 0.728), abs=1e-3)


@pytest.mark.parametrize("blocks", [5, 30])
def test_a_share_of_all_or_none_has_an_interval_within_its_limits(blocks: int) -> None:
    always, never = share([[1, 1]] * blocks), share([[0, 0]] * blocks)
    assert always.low is not None
    assert 0 < always.low < 1
    assert (always.mean, always.high, never.low, never.mean) == (1, 1, 0, 0)
    assert never.high == pytest.approx(mirrored(always).high)


def test_games_of_a_block_that_go_together_count_as_fewer() -> None:
    """Ten blocks of four equal games tell as much as ten games."""
    equal, single = share([[one] * 4 for one in (0, 1) * 5]), share([[one] for one in (0, 1) * 5])
    mixed = share([[0, 1, 0, 1]] * 10)
    assert (equal.low, equal.high) == pytest.approx((single.low, single.high), abs=0.01)
    assert mixed.low is not None
    assert equal.low is not None
    assert mixed.low > equal.low + 0.1
