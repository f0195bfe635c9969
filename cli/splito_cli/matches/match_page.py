"""The last page of `splito match`: the table of results, and the faults with advice."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from splito_arena.faults import FAULTS
from splito_arena.match.messages import BotInfo
from splito_arena.match.seat import Clock
from splito_arena.stats.series_table import Standing
from splito_cli.matches.simulate import STOPPED, Report, notes, result_cells
from splito_cli.terminal.screen import counted, headline, plain_table, printable
from splito_engine.registry import find_game


class MatchReport(Report, frozen=True, kw_only=True):
    """The JSON that `--json` prints."""

    named: tuple[str, ...]
    """The bots as they were named on the command line, in the order of `bots`."""
    stand_in: str
    """The built-in bot that replaces bots with too many faults."""
    clock: Clock
    strikes: int


class Failed(Protocol):
    """Protocol of a line with the faults of a bot, counted by code."""

    @property
    def bot(self) -> str: ...

    @property
    def faults(self) -> dict[str, int]: ...


def page(report: MatchReport, records: Path | None, log: Path | None, about_faults: Sequence[str]) -> RenderableType:
    head = headline(find_game(report.game).INFO.titles["en"], counted(report.players, "player"))
    failed = [line for line in report.bots if line.faults]
    faults = [faults_table(failed), Text()] if failed else []
    said = [*_about(report), *notes(report, records), *about_faults, *last_notes(log, report.stopped)]
    return Group(head, Text(), _standings(report.bots), Text(), *faults, *(Text(one, "dim") for one in said))


def _standings(lines: Sequence[Standing]) -> Table:
    table = plain_table("bot", "games", "points", "win rate", "mean rank", "faults", "ms p50/99/max")
    table.columns[0].no_wrap, table.columns[0].overflow = False, "fold"
    for line in sorted(lines, key=lambda line: line.wins.mean, reverse=True):
        times = "/".join(map(_short, (line.ms_p50, line.ms_p99, line.ms_slowest)))
        table.add_row(*result_cells(line), str(sum(line.faults.values())), times)
    return table


def _short(ms: float) -> str:
    return f"{ms:.0f}" if ms >= 100 else f"{ms:.1f}"


def faults_table(lines: Sequence[Failed]) -> Table:
    """Return the table of faults: how many of each code, and what to do about them."""
    table = plain_table("bot", "faults")
    for heading in ("kind", "what to do"):
        table.add_column(heading)
    for line in lines:
        for code, count in line.faults.items():
            table.add_row(Text(line.bot, "bold"), str(count), Text(code, "red"), Text(FAULTS[code].advice))
    return table


def _about(report: MatchReport) -> list[str]:
    said = [f"{_names(report, word)}: {_who(info)} at {word}" for word, info in report.infos.items()]
    for line in report.bots:
        if line.replaced:
            times, after = counted(line.replaced, "match", "matches"), counted(report.strikes, "fault")
            fate = f"it counts as the last there, and the points are those of {report.stand_in}, who played on"
            said.append(f"{line.bot} was replaced in {times}, after {after}: {fate}.")
    return said


def _names(report: MatchReport, word: str) -> str:
    """Return the names under which a bot played that was given as this word."""
    return ", ".join(line.bot for line, named in zip(report.bots, report.named, strict=True) if named == word)


def _who(info: BotInfo) -> str:
    return printable(f"{info.name} {info.version} by {info.author}")


def last_notes(log: Path | None, stopped: bool) -> list[str]:
    said: list[str] = []
    if log is not None:
        said.append(f"All asks are in {log}; send one again: splito bot resend ASK --from {log}/BOT.jsonl --to BOT")
    if stopped:
        said.append(STOPPED)
    return said
