"""Pages of `splito experiment`: the evidence while it runs, and the verdict in plain words."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from splito_arena.experiments.blocks import NEW, OLD, Measure
from splito_arena.experiments.run import Fared
from splito_arena.experiments.sequential_test import Design, Reading
from splito_arena.match.messages import BotInfo
from splito_arena.match.seat import Clock
from splito_arena.stats.intervals import Interval
from splito_cli.matches.match_page import faults_table, last_notes
from splito_cli.terminal.screen import counted, headline, plain_table, printable
from splito_engine.registry import find_game

WIDTH = 48
"""Width of the scale between the bounds, in characters."""
UNITS: dict[Measure, tuple[str, float]] = {"places": ("places", 1), "points": ("points", 1), "wins": ("% of wins", 100)}
"""The unit of a difference and the factor that it is shown with, by measure."""


Stop: TypeAlias = Literal["Ctrl-C", "SIGTERM"]


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """The question of an experiment and its evidence."""

    names: tuple[str, ...]
    """Names of NEW, OLD and the field at the table."""
    design: Design
    measure: Measure
    reading: Reading
    """The evidence. Its `estimate` is how much better NEW is per game, in places, points or shares of a win; `interval`
    has the same unit.
    """


class ExperimentReport(Compared, frozen=True, kw_only=True):
    """The JSON that `--json` prints."""

    game: str
    version: str
    players: int
    options: dict[str, object]
    seed: str
    named: tuple[str, ...]
    """NEW, OLD and the field, as named on the command line."""
    games: int
    bots: tuple[Fared, ...]
    """Bots in the order of `names`; empty before the end of the first block."""
    infos: dict[str, BotInfo]
    """The infos of bots with a URL, and of functions that have one, by the words of the command line."""
    stand_in: str
    """The built-in bot that replaces bots with too many faults."""
    clock: Clock
    strikes: int
    seconds: float
    stopped: bool
    """True if Ctrl-C or SIGTERM ended the experiment before a verdict."""
    stopped_by: Stop | None = None


class ProgressLine(Compared, frozen=True, kw_only=True):
    """The JSON of a line of progress."""

    games: int
    seconds: float


def live_page(report: ExperimentReport) -> RenderableType:
    rate = report.games / report.seconds if report.seconds else 0.0
    blocks = f"{report.reading.blocks} of at most {counted(report.design.cap, 'block')}"
    facts = f"{blocks}  ·  {counted(report.games, 'game')}  ·  {rate:.0f} games/s"
    return Group(_head(report), Text(), *evidence(report), Text(facts, "dim"))


def progress_line(report: ExperimentReport, *, json: bool) -> str:
    """Return the evidence so far in one line, for programs or for people."""
    if json:
        fields = {name: getattr(report, name) for name in ProgressLine.__struct_fields__}
        return msgspec.json.encode(ProgressLine(**fields)).decode()
    reading = report.reading
    facts = [counted(reading.blocks, "block"), counted(report.games, "game"), difference_text(report)]
    ratio = f"log-likelihood ratio {reading.llr:+.2f}, from {reading.lower:.2f} to {reading.upper:.2f}"
    paired = [] if reading.variance_ratio is None else [f"variance ratio {reading.variance_ratio:.1f}"]
    return "  ·  ".join([*facts, ratio, *paired])


def page(
    report: ExperimentReport,
    records: Path | None,
    log: Path | None,
    save: Path | None = None,
    about_faults: Sequence[str] = (),
) -> RenderableType:
    failed = [line for line in report.bots if line.faults]
    faults = [faults_table(failed), Text()] if failed else []
    standings = [_standings(report.bots), Text()] if report.bots else []
    said = [*about_faults, *_notes(report, records, log, save)]
    return Group(
        _head(report),
        Text(),
        *evidence(report),
        Text(),
        *standings,
        *faults,
        Text(verdict_text(report), "bold"),
        *(Text(one, "dim") for one in said),
    )


def verdict_text(report: Compared) -> str:
    """Return the verdict in plain words, with its error rate."""
    new, old = report.names[NEW], report.names[OLD]
    design, blocks = report.design, counted(report.reading.blocks, "block")
    if report.reading.blocks == 0:
        return "Stopped before the first block was played to its end."
    seen = f"{difference_text(report)}, after {blocks}"
    sure = f"wrong in at most {_percent(design.alpha)} of such cases"
    missed = f"with an effect of {design.high:g} or more, this is said in at most {_percent(design.beta)} of cases"
    return {
        "better": f"{new} is better than {old}: {seen}; {sure}.",
        "not better": f"{new} is not better than {old}, or not by much: {seen}; {missed}.",
        "cap": f"Not decided: {new} against {old}, {seen}, which was the cap.",
        "undecided": f"Not decided yet: {new} against {old}, {seen}.",
    }[report.reading.verdict]


def bar(reading: Reading, width: int = WIDTH) -> Text:
    """Return a scale with the log-likelihood ratio between its bounds; | marks 0."""
    span = reading.upper - reading.lower

    def place(value: float) -> int:
        return round((width - 1) * min(1.0, max(0.0, (value - reading.lower) / span)))

    cells = ["─"] * width
    cells[place(0.0)] = "|"
    cells[place(reading.llr)] = "●"
    return Text.assemble("not better ", ("[", "dim"), "".join(cells), ("]", "dim"), " better")


def evidence(report: Compared) -> list[RenderableType]:
    reading = report.reading
    effect = "" if reading.effect is None else f"  ·  effect {reading.effect:+.2f}"
    ratio = f"log-likelihood ratio {reading.llr:+.2f}, from {reading.lower:.2f} to {reading.upper:.2f}"
    return [
        bar(reading),
        Text(f"{ratio}{effect}", "dim"),
        Text(difference_text(report) if reading.blocks else ""),
        *(Text(line, "dim") for line in _pairing(reading)),
    ]


def difference_text(report: Compared) -> str:
    """Return the mean difference with the interval that agrees with the verdict."""
    unit, scale = UNITS[report.measure]
    reading, interval = report.reading, report.reading.interval
    mean = f"{scale * reading.estimate.mean:+.2f} {unit}"
    if reading.effect is None:
        return f"{mean} in every block" if reading.blocks > 1 else mean
    if interval is None or (interval.low is None and interval.high is None):
        return f"{mean}, too few blocks for an interval"
    low, high = ("…" if end is None else _signed(scale * end) for end in (interval.low, interval.high))
    return f"{mean} [{low}, {high}]"


def _signed(end: float) -> str:
    """Return an end of an interval with two digits, or as many as show on which side of 0 it is."""
    shown = (f"{end:+.{digits}f}" for digits in (2, 3, 4))
    return next((text for text in shown if float(text)), f"{end:+.0e}")


def _pairing(reading: Reading) -> Iterator[str]:
    ratio = reading.variance_ratio
    if ratio is not None:
        yield f"variance ratio of the pairing {ratio:.1f}: unpaired games would take {ratio:.1f} times as many blocks"


def estimate_text(measure: Measure, estimate: Interval) -> str:
    """Return the mean difference of an experiment whose question is not known, with its margin."""
    unit, scale = UNITS[measure]
    mean = f"{scale * estimate.mean:+.2f} {unit}"
    if estimate.margin is None:
        return f"{mean}, and no telling yet how near that is"
    low, high = (scale * (estimate.mean + side * estimate.margin) for side in (-1, 1))
    return f"{mean} [{low:+.2f}, {high:+.2f}]"


def _head(report: ExperimentReport) -> Text:
    title = find_game(report.game).INFO.titles["en"]
    field = ", ".join(report.names[OLD + 1 :]) or "nobody else"
    new, old = report.names[NEW], report.names[OLD]
    return headline(title, counted(report.players, "player"), f"NEW {new}", f"OLD {old}", f"field {field}")


def _standings(lines: Sequence[Fared]) -> Table:
    table = plain_table("bot", "games", "mean place", "points", "win rate", "faults", "ms p50/99")
    table.columns[0].no_wrap, table.columns[0].overflow = False, "fold"
    for line in lines:
        means = (f"{line.place:.2f}", f"{line.points:.1f}", f"{100 * line.wins:.1f} %")
        times = f"{line.ms_p50:.1f}/{line.ms_p99:.1f}"
        table.add_row(Text(line.bot, "bold"), str(line.games), *means, str(sum(line.faults.values())), times)
    return table


def _notes(report: ExperimentReport, records: Path | None, log: Path | None, save: Path | None) -> list[str]:
    """Return notes on how it was played, and how to repeat it."""
    design, games, blocks = report.design, counted(report.games, "game"), counted(report.reading.blocks, "block")
    both = f"{report.names[NEW]} and {report.names[OLD]} once in every seat of each, both with the same deal and dice"
    wrong = f"below it in at most {_percent(design.alpha)} of experiments, above it in at most {_percent(design.beta)}"
    said = [
        f"{games}: {blocks}, {both}.",
        f"The interval is that of the test, and holds whenever one looks: the true mean is {wrong}.",
        *(printable(f"{info.name} {info.version} by {info.author} at {url}") for url, info in report.infos.items()),
        *_replaced(report),
        f"Again: the same command with --seed {report.seed}",
    ]
    if records is not None:
        said.append(f"{report.games} records in {records}; check them with: splito verify {records}/*.json")
    said += last_notes(log, stopped=False)
    if report.stopped_by is not None:
        said.append(f"Stopped by {report.stopped_by}: unfinished blocks do not count.")
        if save is not None:
            said.append(f"The same command with --save {save} goes on from here.")
    return said


def _replaced(report: ExperimentReport) -> list[str]:
    after = f"after {counted(report.strikes, 'fault')}: it counts as the last there, and {report.stand_in} played on"
    return [
        f"{line.bot} was replaced in {counted(line.replaced, 'game')}, {after}."
        for line in report.bots
        if line.replaced
    ]


def _percent(share: float) -> str:
    return f"{100 * share:g} %"
