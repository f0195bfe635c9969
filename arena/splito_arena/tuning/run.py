"""Run of a search: its blocks are played in processes, first the races and then the check of what they found.

The same seed gives the same deals, and with bots that repeat themselves the same points, in however many processes they
are played.
"""

from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from splito_arena.blocks.in_order import in_order
from splito_arena.blocks.ledger import Entry
from splito_arena.bots.functions.words import made_word
from splito_arena.bots.lineup import is_url
from splito_arena.experiments.blocks import NEW, OLD, results
from splito_arena.experiments.run import AHEAD
from splito_arena.experiments.tables import Comparison, opening
from splito_arena.tuning.processes import SearchProcesses
from splito_arena.tuning.search import Plan, Rung, check_plan, next_rung, played, ranked
from splito_arena.tuning.space import Parameter, Point, arguments
from splito_engine.errors import BadBot, BadOption

MOST_CHECKS = 100_000


class Tuning(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a search and of its check."""

    maker: str
    """The maker of the bots, as module:function."""
    parameters: tuple[Parameter, ...]
    start: Point
    plan: Plan = Plan()
    check: int = 200
    """Number of fresh blocks on which the best point is compared with the start."""
    table: Comparison
    """The comparison of the start with itself: its game, field, seed and terms are those of all blocks."""

    def word(self, point: Point) -> str:
        """Return the word of the bot with these parameters."""
        return made_word(self.maker, arguments(self.parameters, point))

    def comparison(self, deals: str, one: Point, other: Point) -> Comparison:
        """Return the comparison of two points on the deals of a race or of the check."""
        return replace(self.table, new=self.word(one), old=self.word(other), seed=f"{self.table.seed}/{deals}")


class PairPlayed(msgspec.Struct, frozen=True):
    """A finished block of two points."""

    at: str
    """Place in the search: race, rung, block, and number of the first point; `check` and the block in the check."""
    results: tuple[float, float]
    """Mean results of both points; more is better."""
    faults: tuple[int, int]
    games: int


class Task(NamedTuple):
    """A block of two points that is to be played."""

    at: str
    comparison: Comparison
    block: int


class Search:
    """The state of a search: finished rungs and the blocks of the check, from the finished blocks in their order."""

    def __init__(self, tuning: Tuning) -> None:
        self.tuning = tuning
        self.rungs: list[Rung] = []
        """Finished rungs with the results of their points."""
        self.checked: list[float] = []
        """Differences between the best point and the start, block by block, on fresh deals."""
        self.faults: dict[Point, int] = {}
        self.blocks = self.games = 0
        self._begin_part()

    @property
    def best(self) -> Point:
        """Return the best point so far: the winner of the last finished rung, or the start."""
        return ranked(self.rungs[-1])[0].point if self.rungs else self.tuning.start

    @property
    def total(self) -> int:
        """Return how many blocks of two points are played, if the best point is not the start."""
        return self.tuning.plan.block_pairs + self.tuning.check

    @property
    def is_over(self) -> bool:
        return not self.tasks()

    def tasks(self) -> list[Task]:
        """Return the blocks of this rung or of the check that are still to be played, in order."""
        return self._tasks[len(self._played) :]

    def add(self, pair: PairPlayed) -> None:
        """Add the next finished block. Raise `BadOption` if it is another one."""
        number = len(self._played)
        if number == len(self._tasks) or pair.at != self._tasks[number].at:
            raise BadOption(f"block {pair.at} does not follow in this search", field="save")
        self.blocks, self.games = self.blocks + 1, self.games + pair.games
        for point, faults in zip(self._points(pair), pair.faults, strict=True):
            self.faults[point] = self.faults.get(point, 0) + faults
        self._played.append(pair)
        if self.rung is None:
            self.checked.append(pair.results[0] - pair.results[1])
        elif len(self._played) == len(self._tasks):
            self.rungs.append(played(self.rung, [one.results for one in self._played]))
            self._begin_part()

    def _points(self, pair: PairPlayed) -> tuple[Point, Point]:
        if self.rung is None:
            return self.best, self.tuning.start
        one = int(pair.at.rpartition(".")[2])
        return self.rung.points[one].point, self.rung.points[one + 1].point

    def _begin_part(self) -> None:
        """Begin the next rung, or the check after the last one. A check of the start against itself has no blocks."""
        tuning, last = self.tuning, self.rungs[-1] if self.rungs else None
        self.rung = next_rung(tuning.plan, tuning.parameters, tuning.start, tuning.table.seed, last)
        self._played: list[PairPlayed] = []
        self._tasks = [*(_check(tuning, self.best) if self.rung is None else _rung(tuning, self.rung))]


def check_tuning(tuning: Tuning) -> None:
    """Raise an error for settings that cannot be played, or a maker that cannot make the start."""
    check_plan(tuning.plan)
    if not 2 <= tuning.check <= MOST_CHECKS:
        raise BadOption(f"check must be from 2 to {MOST_CHECKS}, not {tuning.check}", field="check")
    if any(map(is_url, tuning.table.bots)):
        raise BadBot("a search takes functions and built-in bots, no URLs", field="field")
    if not tuning.table.field and tuning.table.players > 1:
        raise BadOption("a search needs other bots at the table: name a field", field="field")
    opening(tuning.comparison("check", tuning.start, tuning.start))


async def tune(search: Search, jobs: int, keep: Callable[[PairPlayed], None]) -> None:
    """Play all blocks that the search still needs, add each to it, and give it to `keep` then."""
    async with SearchProcesses(jobs) as processes:
        while tasks := search.tasks():
            async with aclosing(_pairs(processes, tasks, jobs)) as pairs:
                async for pair in pairs:
                    search.add(pair)
                    keep(pair)


async def _pairs(processes: SearchProcesses, tasks: Sequence[Task], jobs: int) -> AsyncGenerator[PairPlayed]:
    async def play(number: int) -> PairPlayed:
        task = tasks[number]
        done = await processes.block(task.comparison, task.block)
        return pair_played(task.at, done.entry, task.comparison)

    async with aclosing(in_order(play, range(len(tasks)), AHEAD * jobs)) as blocks:
        async for pair in blocks:
            yield pair


def pair_played(at: str, entry: Entry, comparison: Comparison) -> PairPlayed:
    return PairPlayed(
        at=at,
        results=results(entry, comparison.measure),
        faults=(_faults(entry, NEW), _faults(entry, OLD)),
        games=len(entry.games),
    )


def _rung(tuning: Tuning, rung: Rung) -> Iterator[Task]:
    pairs = [
        tuning.comparison(f"race{rung.race}", one.point, other.point)
        for one, other in zip(rung.points[::2], rung.points[1::2], strict=True)
    ]
    for block, one in rung.tasks:
        yield Task(f"{rung.race}.{rung.number}.{block}.{one}", pairs[one // 2], block)


def _check(tuning: Tuning, best: Point) -> Iterator[Task]:
    fresh = tuning.comparison("check", best, tuning.start)
    for block in range(tuning.check if best != tuning.start else 0):
        yield Task(f"check.{block}", fresh, block)


def _faults(entry: Entry, contender: int) -> int:
    return sum(
        len(game.faults[seat]) for game in entry.games for seat, bot in enumerate(game.seating) if bot == contender
    )
