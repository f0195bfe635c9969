"""Which search finds the best parameters, measured on landscapes with a known peak.

`python -m benchmarks.studies.tuning` lets three methods search at equal cost, some 2,560 blocks of one point, 60 times
each: the races of `splito tune`, one single race of as many points as the cost allows, and SPSA with several gains. The
strength of a point falls with its distance from a random peak, by one place from the peak to the far side of a range,
and the noise of a block is that of real blocks with shared dice: part of it is the same for all points. It prints by
how many places the found point is worse than the peak, in the mean, beside the middle of the box where all searches
start. The same seed prints the same figures.
"""

from collections.abc import Callable, Sequence
from math import exp, sqrt
from random import Random
from statistics import fmean
from typing import TypeAlias

from splito_arena.tuning.search import Plan, next_rung, played, ranked
from splito_arena.tuning.space import Parameter, Point

RUNS = 60
SIZES = (1, 2, 4)
"""Numbers of parameters."""
COST = 2560
"""Blocks of one point that a search plays."""
NOISE = 0.35
"""Standard deviation of a block's result that is the point's own, in places: 0.5 for a difference of two points."""
DEPTH = 1.0
"""Places between the peak and a point that is a whole range away from it in each parameter."""
GAINS = (0.003, 0.0125, 0.05)
"""Gains of SPSA: first steps per place of difference, as a share of the range."""

Strength: TypeAlias = Callable[[Point], float]
Search: TypeAlias = Callable[[Strength, int, Random], Point]


def bowl(peak: Point) -> Strength:
    """Return a strength that falls with the square of the distance from the peak."""
    return lambda point: -DEPTH * fmean((value - best) ** 2 for value, best in zip(point, peak, strict=True))


def needle(peak: Point) -> Strength:
    """Return a strength that is nearly flat but for a hill of a tenth of the range around the peak."""
    scale = 2 * 0.15**2
    return lambda point: -DEPTH / 3 * (1 - exp(-len(peak) * -bowl(peak)(point) / scale))


LANDSCAPES = {"bowl": bowl, "hill on a plain": needle}


def races(plan: Plan) -> Search:
    """Return the search of `splito tune` by this plan."""

    def search(strength: Strength, size: int, chance: Random) -> Point:
        parameters, start = [Parameter(f"p{number}", 0.0, 1.0) for number in range(size)], (0.5,) * size
        seed, last = str(chance.random()), None

        def noisy(point: Point) -> float:
            return strength(point) + chance.gauss(0, NOISE)

        while rung := next_rung(plan, parameters, start, seed, last):
            points = [one.point for one in rung.points]
            last = played(rung, [(noisy(points[two]), noisy(points[two + 1])) for _, two in rung.tasks])
        return start if last is None else ranked(last)[0].point

    return search


def spsa(gain: float) -> Search:
    """Return SPSA (Spall, 1998) with this gain and his exponents, one block of two points for each step."""

    def search(strength: Strength, size: int, chance: Random) -> Point:
        steps, point = COST // 2, [0.5] * size
        for step in range(steps):
            reach, rate = 0.2 / (step + 1) ** 0.101, gain / (0.1 * steps + step + 1) ** 0.602 * (0.1 * steps) ** 0.602
            signs = [chance.choice((-1, 1)) for _ in point]
            one, other = (_moved(point, signs, side * reach) for side in (1, -1))
            gap = strength(one) - strength(other) + chance.gauss(0, sqrt(2) * NOISE)
            point = [*_moved(point, signs, rate * gap / (2 * reach))]
        return tuple(point)

    return search


def _moved(point: Sequence[float], signs: Sequence[int], length: float) -> Point:
    return tuple(min(1.0, max(0.0, value + sign * length)) for value, sign in zip(point, signs, strict=True))


SEARCHES: dict[str, Search] = {
    "4 races of 16": races(Plan(races=4, candidates=16, blocks=16)),
    "2 races of 32": races(Plan(races=2, candidates=32, blocks=13)),
    "8 races of 8": races(Plan(races=8, candidates=8, blocks=20)),
    "1 race of 64": races(Plan(races=1, candidates=64, blocks=11)),
    **{f"SPSA, gain {gain}": spsa(gain) for gain in GAINS},
    "none: the middle": lambda _, size, __: (0.5,) * size,
}


def lost(search: Search, landscape: Callable[[Point], Strength], size: int) -> float:
    """Return by how many places the found points are worse than the peaks, in the mean of all runs."""
    found: list[float] = []
    for run in range(RUNS):
        chance = Random(f"{size}/{run}")
        strength = landscape(tuple(0.1 + 0.8 * chance.random() for _ in range(size)))
        found.append(-strength(search(strength, size, chance)))
    return fmean(found)


def main() -> None:
    for name, landscape in LANDSCAPES.items():
        print(f"{name}\n  {'parameters':20}" + "".join(f"{size:>9}" for size in SIZES))
        for method, search in SEARCHES.items():
            print(f"  {method:20}" + "".join(f"{lost(search, landscape, size):9.4f}" for size in SIZES), flush=True)


if __name__ == "__main__":
    main()
