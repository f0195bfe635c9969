"""Benchmark of the test for experiments: how often it is wrong, and how many blocks it saves.

`python -m benchmarks.studies.sequential` draws differences of many shapes, always with standard deviation one, and
prints the tables of docs/experiments.md. The same seed prints the same figures.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from math import ceil, sqrt
from random import Random
from statistics import NormalDist

import msgspec
from msgspec.structs import replace

from splito_arena.experiments.anytime import anytime
from splito_arena.experiments.sequential_test import Design, after, llr
from splito_arena.experiments.tally import Tally, add

RUNS = 2000
POWER_RUNS = 500
"""Number of runs for each effect in the tables of power."""
WATCHED = 500
"""Number of blocks for which an interval is watched."""
NEAR = 2
"""Standard errors within which no interval excludes a mean: the test needs 2.42, 2 * sqrt(log(19) / 2), or more."""
EFFECTS = (-0.2, 0.0, 0.1, 0.2, 0.3, 0.4)


class Shape(msgspec.Struct, frozen=True):
    text: str
    draw: Callable[[Random, float], float]
    """Function that draws a difference with this effect."""
    hostile: bool = False
    """True if the row shows the limits of the test."""


class Outcome(msgspec.Struct, frozen=True):
    """Shares of the verdicts over many runs, and the mean number of blocks."""

    better: float
    not_better: float
    cap: float
    blocks: float


class Missed(msgspec.Struct, frozen=True):
    """Shares of runs in which an interval ever excluded the true mean."""

    above: float
    """The interval of the test was above the true mean."""
    below: float
    """The interval of the test was below the true mean."""
    margin: float
    """The true mean was outside of the margin that does not depend on the question."""


def _normal(chance: Random, effect: float) -> float:
    return chance.gauss(effect, 1)


def _long_wins(chance: Random, effect: float) -> float:
    return chance.expovariate(1) - 1 + effect


def _long_losses(chance: Random, effect: float) -> float:
    return 1 - chance.expovariate(1) + effect


def _mostly_zero(chance: Random, effect: float) -> float:
    """Draw 0 in 7 blocks of 10, ±1 in 2 and ±2 in 1; the effect is in the share of wins."""
    size = chance.choices((0, 1, 2), (7, 2, 1))[0] / sqrt(0.6)
    lean = effect * sqrt(0.6 / (0.16 * (1 + effect**2)))
    return size if chance.random() < (1 + lean) / 2 else -size


def _nearly_zero(chance: Random, effect: float) -> float:
    """Draw 0 in 19 blocks of 20, and ±1 in the other; the effect is in the share of wins."""
    if chance.random() >= 0.05:
        return 0.0
    lean = effect / sqrt(0.05 * (1 + effect**2))
    return sqrt(20) if chance.random() < (1 + lean) / 2 else -sqrt(20)


def _heavy(chance: Random, effect: float) -> float:
    """Draw from Student's t with three degrees of freedom, whose third moment is infinite."""
    return chance.gauss(0, 1) / sqrt(sum(chance.gauss(0, 1) ** 2 for _ in range(3))) + effect


def _rare_loss(one_in: int) -> Callable[[Random, float], float]:
    def draw(chance: Random, effect: float) -> float:
        loss = chance.random() * one_in < 1
        return effect + (1 - one_in if loss else 1) / sqrt(one_in - 1)

    return draw


SHAPES = {
    "normal": Shape("normal", _normal),
    "long wins": Shape("exponential: seldom much better, skewness 2", _long_wins),
    "long losses": Shape("exponential: seldom much worse, skewness -2", _long_losses),
    "mostly zero": Shape("0 in 70 %, ±1 in 20 %, ±2 in 10 % of blocks", _mostly_zero),
    "nearly always zero": Shape("0 in 95 %, ±1 in 5 % of blocks, as for versions that seldom differ", _nearly_zero),
    "heavy tails": Shape("Student's t, three degrees of freedom", _heavy),
    "rare loss, 1 in 10": Shape(
        "a little better, but in 1 of 10 blocks a loss that makes up for it", _rare_loss(10), True
    ),
    "rare loss, 1 in 50": Shape("the same in 1 of 50", _rare_loss(50), True),
}


def outcome(shape: str, effect: float, design: Design, runs: int = RUNS, seed: str = "experiments") -> Outcome:
    chance = Random(f"{seed}/{shape}/{effect}")
    ends = [after(design, differences(shape, effect, chance)) for _ in range(runs)]
    verdicts = Counter(end.verdict for end in ends)
    return Outcome(
        better=verdicts["better"] / runs,
        not_better=verdicts["not better"] / runs,
        cap=verdicts["cap"] / runs,
        blocks=sum(end.tally.blocks for end in ends) / runs,
    )


def differences(shape: str, effect: float, chance: Random) -> Iterator[float]:
    draw = SHAPES[shape].draw
    while True:
        yield draw(chance, effect)


def missed(shape: str, runs: int = RUNS, watched: int = WATCHED, seed: str = "intervals") -> Missed:
    """Return the shares of runs whose intervals ever excluded the true mean, zero."""
    chance, design = Random(f"{seed}/{shape}"), Design()
    found = [_missed(differences(shape, 0.0, chance), design, watched) for _ in range(runs)]
    return Missed(*(sum(column) / runs for column in zip(*found, strict=True)))


def fixed_blocks(effect: float, alpha: float, power: float) -> int:
    """Return the number of blocks of a test that is evaluated once, at its end."""
    normal = NormalDist()
    return ceil(((normal.inv_cdf(1 - alpha) + normal.inv_cdf(power)) / effect) ** 2)


def most_by_chance(runs: int, rate: float, doubt: float = 0.001) -> float:
    """Return the share that an event of this rate exceeds with at most this probability."""
    return rate - NormalDist().inv_cdf(doubt) * sqrt(rate * (1 - rate) / runs)


def _missed(drawn: Iterator[float], design: Design, watched: int) -> tuple[bool, bool, bool]:
    tally, above, below, margin = Tally(), False, False, False
    for _ in range(watched):
        tally = add(tally, next(drawn))
        if tally.mean**2 * tally.blocks < (NEAR * tally.deviation) ** 2:
            continue
        ends = (False, False) if tally.blocks < design.least else leaves_out_zero(design, tally)
        above, below = above or ends[0], below or ends[1]
        outside = anytime(tally).margin
        margin = margin or (outside is not None and abs(tally.mean) > outside)
    return above, below, margin


def leaves_out_zero(design: Design, tally: Tally) -> tuple[bool, bool]:
    """Return whether the interval of the test is above zero, and whether it is below zero, without a search for its
    ends: the test is asked about differences with the effects `low` and `high` instead of zero.
    """
    shifted = (
        replace(tally, mean=tally.mean + tally.deviation * bound / sqrt(1 - bound**2))
        for bound in (design.low, design.high)
    )
    at_low, at_high = (llr(design, one) for one in shifted)
    return at_low >= design.upper, at_high <= design.lower


def _print_wrong(design: Design, runs: int) -> None:
    print(f"\nEqual strength, {runs} runs; chance alone stays below {most_by_chance(runs, design.alpha):.3f}\n")
    print("| differences | `better` | `not better` | blocks | interval too high | too low | margin wrong |")
    print("|---|---|---|---|---|---|---|")
    for name, shape in SHAPES.items():
        got = outcome(name, design.low, design, runs)
        wrong = missed(name, runs)
        ever = f"{wrong.above:.3f} | {wrong.below:.3f} | {wrong.margin:.3f}"
        print(f"| {shape.text} | {got.better:.3f} | {got.not_better:.3f} | {got.blocks:.0f} | {ever} |")


def _print_power(name: str, design: Design, runs: int) -> None:
    print(f"\n{SHAPES[name].text}, {runs} runs\n")
    print("| effect | `better` | `not better` | `cap` | blocks | fixed size, same power |")
    print("|---|---|---|---|---|---|")
    for effect in EFFECTS:
        got = outcome(name, effect, design, runs)
        same = fixed_blocks(effect, design.alpha, got.better) if effect > 0 and got.better < 1 else "–"
        print(f"| {effect} | {got.better:.3f} | {got.not_better:.3f} | {got.cap:.3f} | {got.blocks:.0f} | {same} |")


def main(runs: int = RUNS) -> None:
    design = Design()
    print(f"{design}\nfixed size for the same risks: {fixed_blocks(design.high, design.alpha, 1 - design.beta)} blocks")
    _print_wrong(design, runs)
    for name, shape in SHAPES.items():
        if not shape.hostile:
            _print_power(name, design, min(runs, POWER_RUNS))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
