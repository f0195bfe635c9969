"""A tournament on the screen: how far it is, and how it stands."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from cli.screen import counted, headline, interval_text, plain_table, printable
from service.outcome import StandingLine
from service.ranking import Estimate, Progress

BAR = 40
"""Columns."""
STATES = {"running": "▶", "paused": "⏸", "finished": "✓", "cancelled": "✗"}
COLOURS = {"running": "cyan", "paused": "yellow", "finished": "green", "cancelled": "red"}
MEDALS = {1: "★"}


def live_page(name: str, progress: Progress, leaders: Sequence[StandingLine]) -> RenderableType:
    return Group(_head(name, progress), _bar(progress), Text(), _table(leaders))


def table_page(
    name: str, where: str, progress: Progress, lines: Sequence[StandingLine], written: Mapping[str, Path | None]
) -> RenderableType:
    """At the end."""
    facts = Table.grid(padding=(0, 2, 0, 0))
    for what, place in {"see": where, **written}.items():
        if place is not None:
            facts.add_row(Text(what, "dim"), Text(str(place), overflow="fold"))
    note = "The rating of an average bot here is 1500; ± is a 95 % interval, blocks counted as one observation each."
    return Group(_head(name, progress), Text(), _table(lines), Text(note, "dim"), Text(), facts)


def estimate_page(name: str, found: Estimate) -> RenderableType:
    rows = Table.grid(padding=(0, 2, 0, 0))
    for what in ("rounds", "tables", "blocks", "games"):
        rows.add_row(Text(what, "dim"), Text(f"{getattr(found, what):,}"))
    rows.add_row(
        Text("time", "dim"), Text("not known yet" if found.seconds is None else f"about {span(found.seconds)}")
    )
    return Group(headline(printable(name), "nothing is played"), Padding(rows, (0, 0, 0, 2), expand=False))


def span(seconds: float) -> str:
    """`48 s`, `3 min 5 s`, `2 h 10 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"


def _head(name: str, progress: Progress) -> Text:
    state = f"{STATES[progress.state]} {progress.state}"
    facts = [f"round {progress.round}" + (f" of {progress.rounds}" if progress.rounds else "")]
    facts.append(counted(progress.games, "game"))
    if progress.skipped:
        facts.append(f"{counted(progress.skipped, 'block')} skipped")
    if progress.reason:
        facts.append(printable(progress.reason))
    head = headline(printable(name), *facts)
    return Text.assemble(head, "  ·  ", (state, COLOURS[progress.state]))


def _bar(progress: Progress) -> RenderableType:
    whole = progress.done + progress.open
    row = Table.grid(padding=(0, 2, 0, 0))
    rate = "" if progress.games_per_second is None else f"{progress.games_per_second:.1f} games/s"
    left = "" if progress.seconds_left is None else f"{span(progress.seconds_left)} left"
    bar = ProgressBar(total=max(whole, 1), completed=progress.done, width=BAR)
    row.add_row(bar, Text(f"{progress.done}/{whole} blocks"), Text(rate, "dim"), Text(left, "dim"))
    return row


def _table(lines: Sequence[StandingLine]) -> RenderableType:
    table = plain_table("bot", "rating", "place", "points", "wins", "games", "faults", "trend")
    for line in lines:
        name = Text(f"{MEDALS.get(line.rank, ' ')} {printable(line.name)}", "bold" if line.rank in MEDALS else "")
        faults = sum(line.faults.values())
        table.add_row(
            name,
            interval_text(line.rating, digits=0),
            interval_text(line.place, digits=2),
            interval_text(line.points),
            interval_text(line.wins, 100, " %"),
            str(line.games),
            Text(f"✗ {faults}", "red") if faults else Text("✓ 0", "green"),
            f"{line.trend:+.1f}",
        )
    return table
