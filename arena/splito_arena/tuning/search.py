"""Search for the best parameters: races by successive halving, each in a smaller box around the last winner.

A race begins with the winner so far and with points that fill its box evenly. All of them play the same blocks, so they
meet the same deals and dice, and are compared by their means. The better half plays as many blocks again, until one is
left. Each race has fresh deals, because a point that was lucky in one race must win the next one too.

The next rung of a race follows from the finished rungs alone, so a search can be continued from its results.
docs/tune.md has measurements of this method and of others.
"""

from collections.abc import Sequence
from statistics import fmean

import msgspec

from splito_arena.tuning.space import Box, Parameter, Point, shrunk, spread, whole_box
from splito_engine.errors import BadOption

CANDIDATES = (4, 8, 16, 32, 64)
"""Possible numbers of points in a race: they are halved, and play in twos."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The plan of a search."""

    races: int = 4
    candidates: int = 16
    """Number of points in a race."""
    blocks: int = 16
    """Number of blocks of each point in the first rung of a race."""
    shrink: float = 0.5
    """Side of a race's box, as a share of that of the race before it."""

    @property
    def block_pairs(self) -> int:
        """Return how many blocks of two points the whole search plays."""
        race, left, played = 0, self.candidates, 0
        while left >= 2:
            more = played or self.blocks
            race, left, played = race + left // 2 * more, left // 2, played + more
        return self.races * race


class Scored(msgspec.Struct, frozen=True):
    """A point with its results in a race, block by block; more is better."""

    point: Point
    results: tuple[float, ...] = ()

    @property
    def mean(self) -> float:
        return fmean(self.results)


class Rung(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a race: these points play these blocks."""

    race: int
    number: int
    box: Box
    points: tuple[Scored, ...]
    """Points, an even number of them, with their results so far; the winner so far is the first of a race."""
    first: int
    """Number of the first block in the race."""
    last: int
    """Number of the block after the last one."""

    @property
    def tasks(self) -> list[tuple[int, int]]:
        """Return the blocks to play, in order: the number of the block, and of the first of two points."""
        return [(block, one) for block in range(self.first, self.last) for one in range(0, len(self.points), 2)]


def check_plan(plan: Plan) -> None:
    """Raise `BadOption` if the plan cannot be played."""
    if plan.candidates not in CANDIDATES:
        possible = ", ".join(map(str, CANDIDATES))
        raise BadOption(f"candidates must be one of {possible}, not {plan.candidates}", field="candidates")
    for name, value, most in (("races", plan.races, 50), ("blocks", plan.blocks, 10_000)):
        if not 1 <= value <= most:
            raise BadOption(f"{name} must be from 1 to {most}, not {value}", field=name)


def next_rung(plan: Plan, parameters: Sequence[Parameter], start: Point, seed: str, last: Rung | None) -> Rung | None:
    """Return the rung to play after the last finished one; None if the search is over."""
    if last is not None and len(last.points) > 2:
        return _half(last)
    race = 0 if last is None else last.race + 1
    if race >= plan.races:
        return None
    best = start if last is None else ranked(last)[0].point
    box = whole_box(parameters) if last is None else shrunk(parameters, last.box, best, plan.shrink)
    points = (best, *spread(parameters, box, plan.candidates - 1, f"{seed}/{race}"))
    return Rung(race=race, number=0, box=box, points=tuple(map(Scored, points)), first=0, last=plan.blocks)


def played(rung: Rung, results: Sequence[tuple[float, float]]) -> Rung:
    """Return the finished rung, from the results of its tasks in their order."""
    added: list[list[float]] = [[] for _ in rung.points]
    for (_, one), both in zip(rung.tasks, results, strict=True):
        for number, result in zip((one, one + 1), both, strict=True):
            added[number].append(result)
    points = tuple(Scored(one.point, (*one.results, *more)) for one, more in zip(rung.points, added, strict=True))
    return msgspec.structs.replace(rung, points=points)


def ranked(rung: Rung) -> list[Scored]:
    """Return the points of a finished rung, the best first. Equal points stay in their order, so that nothing changes
    without a reason.
    """
    return sorted(rung.points, key=lambda one: -one.mean)


def _half(rung: Rung) -> Rung:
    """Return the next rung of the race: the better half of the points, and as many blocks again."""
    left = tuple(ranked(rung)[: len(rung.points) // 2])
    return msgspec.structs.replace(rung, number=rung.number + 1, points=left, first=rung.last, last=2 * rung.last)
