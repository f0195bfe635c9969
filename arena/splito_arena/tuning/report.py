"""Report of a search: what `splito tune` prints and its page shows."""

from collections.abc import Sequence
from statistics import fmean

import msgspec

from splito_arena.experiments.anytime import anytime
from splito_arena.experiments.blocks import Measure
from splito_arena.experiments.tally import Tally, add
from splito_arena.match.seat import Clock
from splito_arena.stats.intervals import Interval, interval
from splito_arena.tuning.run import Search
from splito_arena.tuning.search import Plan, Rung, ranked
from splito_arena.tuning.space import Parameter, Point, arguments
from splito_engine.registry import find_game


class Tried(msgspec.Struct, frozen=True):
    """A point and its results in the last race that it played."""

    values: dict[str, float]
    race: int
    blocks: int
    result: Interval
    """Mean result over the blocks, in the unit of the measure; more is better. It is that of the search itself, which
    chose the best ones: too good for those.
    """
    faults: int
    """Number of faults in the whole search."""


class Race(msgspec.Struct, frozen=True):
    """A race that is over."""

    box: dict[str, tuple[float, float]]
    winner: dict[str, float]


class Check(msgspec.Struct, frozen=True):
    """The comparison of the best point with the start, on deals that the search has not used."""

    blocks: int
    of: int
    """Number of blocks that were planned."""
    advantage: Interval | None
    """Advantage of the best point over the start, with a 95 % margin; null before the first block.

    Before the last block the margin is one that is valid at any time, because the user chose when to stop.
    """


class TuneReport(msgspec.Struct, frozen=True, kw_only=True):
    """The JSON that `--json` prints."""

    game: str
    version: str
    players: int
    options: dict[str, object]
    seed: str
    maker: str
    parameters: tuple[Parameter, ...]
    field: tuple[str, ...]
    measure: Measure
    plan: Plan
    clock: Clock
    strikes: int
    start: dict[str, float]
    best: dict[str, float]
    bot: str
    """The best bot as a word that every command takes."""
    races: list[Race]
    points: list[Tried]
    """All points, those of the last race first, and among these the best first."""
    check: Check
    blocks: int
    """Blocks of two points played so far, the check included."""
    of: int
    games: int
    seconds: float
    stopped_by: str | None = None


def report_of(search: Search, seconds: float, stopped_by: str | None) -> TuneReport:
    tuning, table = search.tuning, search.tuning.table
    return TuneReport(
        game=table.game,
        version=find_game(table.game).INFO.version,
        players=table.players,
        options=table.options,
        seed=table.seed,
        maker=tuning.maker,
        parameters=tuning.parameters,
        field=table.field,
        measure=table.measure,
        plan=tuning.plan,
        clock=table.play.clock,
        strikes=table.play.strikes,
        start=arguments(tuning.parameters, tuning.start),
        best=arguments(tuning.parameters, search.best),
        bot=tuning.word(search.best),
        races=_races(search),
        points=_points(search),
        check=Check(len(search.checked), tuning.check, advantage(search)),
        blocks=search.blocks,
        of=search.total,
        games=search.games,
        seconds=round(seconds, 3),
        stopped_by=stopped_by,
    )


def advantage(search: Search) -> Interval | None:
    """Return the advantage of the best point over the start on fresh deals; None before the first block of the check.

    The check has a fixed number of blocks, so Student's interval holds at its end. Before that it would not, because
    the person who stops the search has seen the blocks.
    """
    if not search.checked:
        return None
    if len(search.checked) == search.tuning.check:
        return interval(search.checked)
    tally = Tally()
    for difference in search.checked:
        tally = add(tally, difference)
    return anytime(tally)


def _races(search: Search) -> list[Race]:
    names = [one.name for one in search.tuning.parameters]
    finished = [rung for rung in search.rungs if len(rung.points) == 2]
    return [
        Race(dict(zip(names, rung.box, strict=True)), arguments(search.tuning.parameters, ranked(rung)[0].point))
        for rung in finished
    ]


def _points(search: Search) -> list[Tried]:
    last: dict[Point, tuple[Rung, tuple[float, ...]]] = {}
    for rung in search.rungs:
        last |= {one.point: (rung, one.results) for one in rung.points}
    ordered = sorted(last.items(), key=lambda one: _order(*one[1]))
    return [
        Tried(
            arguments(search.tuning.parameters, point),
            rung.race,
            len(results),
            interval(results),
            search.faults.get(point, 0),
        )
        for point, (rung, results) in ordered
    ]


def _order(rung: Rung, results: Sequence[float]) -> tuple[float, ...]:
    return -rung.race, -rung.number, -fmean(results)
