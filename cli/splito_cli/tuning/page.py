"""Pages of `splito tune`: where the search is, and what it has found."""

from collections.abc import Iterator
from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from splito_arena.stats.texts import shown_mean
from splito_arena.tuning.report import TuneReport
from splito_arena.tuning.texts import shown_values, units, verdict
from splito_cli.terminal.screen import counted, headline, plain_table
from splito_engine.registry import find_game

WIDTH = 40
"""Width of the scale of a parameter, in characters."""
SHOWN = 6
"""Number of points in the table: the last ones of the last race."""


def progress_text(report: TuneReport) -> str:
    """Return what is known so far in one line, for a pipe."""
    race = f"race {min(len(report.races) + 1, report.plan.races)} of {report.plan.races}"
    facts = [f"{report.blocks} of {counted(report.of, 'block')}", race, f"best so far: {shown_values(report.best)}"]
    return "  ·  ".join(facts)


def page(report: TuneReport, save: Path | None, plot: Path | None) -> RenderableType:
    plan = report.plan
    head = headline(
        find_game(report.game).INFO.titles["en"],
        counted(report.players, "player"),
        report.maker,
        f"field {', '.join(report.field) or 'nobody else'}",
        f"{counted(plan.races, 'race')} of {plan.candidates} points",
    )
    points = [_points(report), Text()] if report.points else []
    said = [Text(note, "dim") for note in _notes(report, save, plot)]
    return Group(head, Text(), _parameters(report), Text(), *points, Text(verdict(report), "bold"), *said)


def scale(low: float, high: float, box: tuple[float, float], best: float, width: int = WIDTH) -> str:
    """Return a range with the box of the last race in brackets and the best value as a dot."""

    def place(value: float) -> int:
        return round((value - low) / (high - low) * (width - 1))

    cells = ["─"] * width
    cells[place(box[0])], cells[place(box[1])] = "[", "]"
    cells[place(best)] = "●"
    return "".join(cells)


def _parameters(report: TuneReport) -> Table:
    table = plain_table("parameter", "from", "to", "start", "best", "last race [ ] and best ●")
    table.columns[-1].justify = "left"
    for one in report.parameters:
        box = report.races[-1].box[one.name] if report.races else (one.low, one.high)
        ends = (f"{one.low:g}", f"{one.high:g}", f"{report.start[one.name]:g}", f"{report.best[one.name]:g}")
        table.add_row(Text(one.name, "bold"), *ends, scale(one.low, one.high, box, report.best[one.name]))
    return table


def _points(report: TuneReport) -> Table:
    unit, factor = units(report.measure)
    table = plain_table("best points of the search", "race", "blocks", f"result, {unit}", "faults")
    for point in report.points[:SHOWN]:
        margin = None if point.result.margin is None else factor * point.result.margin
        result = str(shown_mean(factor * point.result.mean, margin, 2))
        cells = (str(point.race + 1), str(point.blocks), result, str(point.faults))
        table.add_row(Text(shown_values(point.values)), *cells)
    return table


def _notes(report: TuneReport, save: Path | None, plot: Path | None) -> Iterator[str]:
    """Yield notes on how it was played, and what can be done next."""
    yield f"{counted(report.games, 'game')}: {counted(report.blocks, 'block')} of two points, same deals and dice."
    if report.points:
        yield "Results of the search flatter its winner; the sentence above is from deals that it did not choose by."
    if faults := sum(point.faults for point in report.points):
        yield f"{counted(faults, 'fault')} of the bots; to see them: splito match {report.game} '{report.bot}' greedy"
    if report.best != report.start:
        yield f"The bot, for every command: '{report.bot}'"
    yield f"Again: the same command with --seed {report.seed}"
    if plot is not None:
        yield f"Plot: {plot}"
    if report.stopped_by is not None:
        yield f"Stopped by {report.stopped_by}: unfinished blocks do not count."
        if save is not None:
            yield f"The same command with --save {save} goes on from here."
