"""Parameters, their ranges, and the points that fill a box."""

import pytest

from splito_arena.tuning.space import (
    Parameter,
    arguments,
    read_parameters,
    read_start,
    rounded,
    shrunk,
    spread,
    whole_box,
)
from splito_engine.errors import BadOption

A, B = Parameter("a", 0.0, 1.0), Parameter("b", 1.0, 10.0, whole=True)


def test_a_parameter_is_read_with_its_range() -> None:
    assert read_parameters(["a=0..1", "b=1..10"], ["b"]) == (A, B)
    assert read_parameters(["rate=-1e-3..2.5"]) == (Parameter("rate", -0.001, 2.5),)


BAD: dict[str, tuple[list[str], list[str], str]] = {
    "no range": (["a=1"], [], "is no range"),
    "no name": (["=0..1"], [], "is no range"),
    "no numbers": (["a=x..y"], [], "from a number to a larger one"),
    "backwards": (["a=1..0"], [], "from a number to a larger one"),
    "infinite": (["a=0..inf"], [], "from a number to a larger one"),
    "twice": (["a=0..1", "a=0..2"], [], "given twice"),
    "none": ([], [], "1 to 12 parameters, not 0"),
    "too many": ([f"p{number}=0..1" for number in range(13)], [], "not 13"),
    "unknown whole": (["a=0..1"], ["b"], "'b' is no parameter"),
    "half a whole number": (["a=0.5..2"], ["a"], "whole ends"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_range_is_refused_with_its_cause(case: str) -> None:
    texts, whole, said = BAD[case]
    with pytest.raises(BadOption, match=said):
        read_parameters(texts, whole)


def test_a_start_is_the_middle_unless_a_value_is_given() -> None:
    assert read_start((A, B), {}) == (0.5, 6.0)
    assert read_start((A, B), {"a": 0.25}) == (0.25, 6.0)
    for values in ({"c": 1}, {"a": 2}, {"a": "x"}, {"a": True}):
        with pytest.raises(BadOption):
            read_start((A, B), values)


def test_points_lie_in_their_box_fill_it_and_are_what_they_print() -> None:
    box = ((0.2, 0.6), (3.0, 9.0))
    points = spread((A, B), box, 32, "seed")
    assert points == spread((A, B), box, 32, "seed") != spread((A, B), box, 32, "other")
    assert all(0.2 <= a <= 0.6 and 3 <= b <= 9 and b.is_integer() for a, b in points)
    assert {b for _, b in points} == {3, 4, 5, 6, 7, 8, 9}
    assert {int((a - 0.2) / 0.1) for a, _ in points} >= {0, 1, 2, 3}, "every quarter has points"
    assert all(a == float(f"{a:.6g}") for a, _ in points)


def test_a_box_shrinks_around_the_best_point_inside_the_ranges() -> None:
    parameters = (A, B)
    assert shrunk(parameters, whole_box(parameters), (0.5, 5.0), 0.5) == ((0.25, 0.75), (2.75, 7.25))
    (low, high), _ = shrunk(parameters, whole_box(parameters), (0.95, 5.0), 0.5)
    assert (low, high) == (0.5, 1.0)
    _, side = shrunk(parameters, ((0, 1), (5.0, 6.0)), (0.5, 6.0), 0.5)
    assert side == (5.0, 7.0), "a whole number keeps its neighbours"


def test_a_whole_parameter_is_passed_as_an_int() -> None:
    assert arguments((A, B), rounded((A, B), [0.1234567, 6.7])) == {"a": 0.123457, "b": 7}
