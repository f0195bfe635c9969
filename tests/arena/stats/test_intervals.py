"""Intervals against tables and against a worked example."""

import pytest

from splito_arena.stats.intervals import Interval, interval, student_t

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
    assert interval([4, 4, 4]) == Interval(4, 0)


def test_a_single_value_has_no_margin() -> None:
    assert interval([4]) == Interval(4, None)
