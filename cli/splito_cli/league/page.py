"""Page of `splito league` in the terminal."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from splito_arena.leagues.pages import COLUMNS, MEANING, cells_of, subtitle
from splito_arena.leagues.report import LeagueReport
from splito_cli.terminal.screen import counted, headline, plain_table, printable


def page(report: LeagueReport) -> RenderableType:
    return Group(
        headline(printable(report.title), subtitle(report)), Text(), *_table(report), *_failed(report), *_said(report)
    )


def _table(report: LeagueReport) -> Iterator[RenderableType]:
    if not report.table:
        yield Text("Nothing has been played yet that could be rated.")
        return
    table = plain_table(*(name.lower() for name in COLUMNS))
    for line in report.table:
        name, *others = cells_of(line, report.house)
        table.add_row(Text(name, "bold"), *map(Text, others))
    table.columns[0].no_wrap, table.columns[0].overflow = False, "fold"
    yield table
    yield Text()


def _failed(report: LeagueReport) -> Iterator[RenderableType]:
    for title, told in (
        ("Bots that do not play", [(one.name, one.reason, one.traceback) for one in report.broken]),
        ("Notes for authors", [(one.name, one.text, one.traceback) for one in report.notes]),
    ):
        if told:
            yield Text(title, "bold")
        for name, text, trace in told:
            yield Text.assemble((f"  {printable(name)}", "bold"), f": {printable(text)}")
            if trace:
                yield Padding(Text(trace, "dim"), (0, 0, 0, 4), expand=False)
        if told:
            yield Text()


def _said(report: LeagueReport) -> Iterator[RenderableType]:
    if report.table:
        yield Text(MEANING, "dim")
    yield Text(
        f"{counted(report.new, 'new block')}; every version plays at least {counted(report.enough, 'block')}.", "dim"
    )
    if report.stopped_by:
        yield Text(f"Stopped by {report.stopped_by}: the same command goes on from here.", "dim")
