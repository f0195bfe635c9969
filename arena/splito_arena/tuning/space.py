"""Parameters of a bot with their ranges, and the points between which a search chooses.

A box is a range for each parameter, and a point a value for each, both in the order of the parameters.
"""

import re
from collections.abc import Mapping, Sequence
from math import isfinite, nextafter
from random import Random
from typing import TypeAlias

import msgspec

from splito_engine.errors import BadOption

Point: TypeAlias = tuple[float, ...]
Box: TypeAlias = tuple[tuple[float, float], ...]

MOST_PARAMETERS = 12
DIGITS = 6
"""Significant digits of a value: a point is what its printed word says."""
_RANGE = re.compile(r"([A-Za-z_]\w*)=([^=]+?)\.\.([^=]+)", re.ASCII)


class Parameter(msgspec.Struct, frozen=True):
    """A parameter of the maker, with the range that is searched."""

    name: str
    low: float
    high: float
    whole: bool = False
    """True if its values are whole numbers."""


def read_parameters(texts: Sequence[str], whole: Sequence[str] = ()) -> tuple[Parameter, ...]:
    """Return the parameters of texts such as `a=0..1`. Raise `BadOption`."""
    found = tuple(_read_parameter(text, whole) for text in texts)
    names = [one.name for one in found]
    if not 1 <= len(found) <= MOST_PARAMETERS:
        raise BadOption(f"a search has 1 to {MOST_PARAMETERS} parameters, not {len(found)}", field="param")
    if len({*names}) < len(names):
        raise BadOption(f"a parameter is given twice: {', '.join(names)}", field="param")
    for name in whole:
        if name not in names:
            raise BadOption(f"{name!r} is no parameter: there are {', '.join(names)}", field="int")
    return found


def read_start(parameters: Sequence[Parameter], values: Mapping[str, object]) -> Point:
    """Return the point with these values, and the middle of the range for all other parameters. Raise `BadOption`."""
    for name, value in values.items():
        known = next((one for one in parameters if one.name == name), None)
        if known is None:
            raise BadOption(f"{name!r} is no parameter to start from", field="start")
        if isinstance(value, bool) or not isinstance(value, int | float) or not known.low <= value <= known.high:
            raise BadOption(
                f"{name} starts in its range, {known.low:g} to {known.high:g}, not at {value}", field="start"
            )
    middle = [values.get(one.name, (one.low + one.high) / 2) for one in parameters]
    return rounded(parameters, [float(str(value)) for value in middle])


def whole_box(parameters: Sequence[Parameter]) -> Box:
    return tuple((one.low, one.high) for one in parameters)


def shrunk(parameters: Sequence[Parameter], box: Box, best: Point, share: float) -> Box:
    """Return a box around the best point with sides of this share of the box, moved inside the ranges."""
    return tuple(
        _side(one, share * (high - low), value) for one, (low, high), value in zip(parameters, box, best, strict=True)
    )


def spread(parameters: Sequence[Parameter], box: Box, count: int, seed: str) -> tuple[Point, ...]:
    """Return points that fill the box evenly: an additive sequence (Roberts' R sequence), moved by the seed."""
    chance = Random(seed)
    moved = [chance.random() for _ in box]
    steps = _steps(len(box))
    return tuple(
        rounded(
            parameters,
            [
                low + (high - low) * ((begin + number * step) % 1)
                for (low, high), begin, step in zip(box, moved, steps, strict=True)
            ],
        )
        for number in range(1, count + 1)
    )


def rounded(parameters: Sequence[Parameter], values: Sequence[float]) -> Point:
    """Return the point with values as they are printed, inside the ranges."""
    return tuple(
        min(one.high, max(one.low, float(round(value)) if one.whole else float(f"{value:.{DIGITS}g}")))
        for one, value in zip(parameters, values, strict=True)
    )


def arguments(parameters: Sequence[Parameter], point: Point) -> dict[str, float]:
    """Return the arguments for the maker: a whole parameter is an `int`."""
    return {one.name: int(value) if one.whole else value for one, value in zip(parameters, point, strict=True)}


def _read_parameter(text: str, whole: Sequence[str]) -> Parameter:
    found = _RANGE.fullmatch(text)
    if found is None:
        raise BadOption(f"{text!r} is no range of a parameter: write it as in a=0..1", field="param")
    name = found[1]
    try:
        low, high = float(found[2]), float(found[3])
    except ValueError:
        low = high = float("nan")
    if not (isfinite(low) and isfinite(high) and low < high and isfinite(high - low)):
        raise BadOption(f"{text!r}: the range goes from a number to a larger one, as in a=0..1", field="param")
    if name in whole and not (low.is_integer() and high.is_integer()):
        raise BadOption(f"{text!r}: the range of a whole number has whole ends", field="int")
    return Parameter(name, low, high, name in whole)


def _side(one: Parameter, width: float, value: float) -> tuple[float, float]:
    """Return a range of this width around the value; that of a whole number reaches to its neighbours."""
    width = min(max(width, 2.0 if one.whole else 0.0), one.high - one.low)
    low = min(max(value - width / 2, one.low), one.high - width)
    return low, max(low + width, nextafter(low, one.high))


def _steps(size: int) -> list[float]:
    """Return the steps of the sequence: powers of 1/g, where g is the root of g^(size + 1) = g + 1."""
    root = 2.0
    for _ in range(64):
        root = (1 + root) ** (1 / (size + 1))
    return [(1 / root) ** (number + 1) for number in range(size)]
