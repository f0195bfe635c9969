"""Times in buckets: few numbers, and good enough."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splito_arena.latency import BOUNDS, added, bounds, bucket, counted, quantile

MS = st.floats(0, 10**7 - 1)


@given(MS)
def test_a_time_is_within_the_bounds_of_its_bucket(ms: float) -> None:
    low, high = bounds(bucket(ms))
    assert low <= ms < high


@pytest.mark.parametrize("number", range(len(BOUNDS) - 1))
def test_buckets_have_no_gaps(number: int) -> None:
    low, high = bounds(number)
    assert bucket(low) == number
    assert number in (bucket(high) - 1, bucket(high))
    assert high / max(low, 0.001) < 1.13


@pytest.mark.parametrize(("ms", "number"), [(-1, 0), (0, 0), (0.0009, 0), (10**12, len(BOUNDS) - 2)])
def test_a_time_beyond_the_buckets_is_in_the_first_or_the_last(ms: float, number: int) -> None:
    assert bucket(ms) == number


@pytest.mark.parametrize("share", [0.01, 0.5, 0.9, 0.99, 1.0])
def test_quantiles_are_near_those_of_the_times_themselves(share: float) -> None:
    rng = Random(7)
    times = sorted(rng.lognormvariate(1, 1.5) for _ in range(5000))
    exact = times[int(share * len(times)) - 1]
    assert quantile(counted(times), share) == pytest.approx(exact, rel=0.07)


def test_without_answers_there_are_no_quantiles() -> None:
    assert quantile({}, 0.5) == 0.0


def test_what_takes_no_time_takes_less_than_can_be_measured() -> None:
    assert quantile(counted([0.0]), 0.5) == 0.001


@given(st.lists(MS), st.lists(MS))
def test_counts_can_be_added_in_any_order(some: list[float], more: list[float]) -> None:
    one, other = counted(some), counted(more)
    assert added([one, other]) == added([other, one]) == counted([*more, *some])
    assert sum(added([one, other]).values()) == len(some) + len(more)
