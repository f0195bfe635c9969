"""The report of a run: rows of a table, on the terminal and appended to `results.md`."""

import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from textwrap import fill

from msgspec import Struct
from rich.console import Console
from rich.table import Table

RESULTS = Path(__file__).with_name("results.md")

Row = tuple[str, str, str, str]
"""Cells of a row: name, figure, goal, and whether the goal is reached."""

WIDTH = 120
"""Width of text in the results."""
SPREAD = "p50 / p90 / p99 / max"


class Report(Struct, frozen=True):
    """The report of one part of the benchmarks."""

    rows: Sequence[Row]
    note: str = ""
    """How it was measured, if it differs from the head of `results.md`."""


def plain(what: str, figure: str) -> Row:
    """Return a row for a figure without a goal."""
    return what, figure, "", ""


def at_least(what: str, figure: float, goal: float) -> Row:
    return what, f"{figure:.2f}", f">= {goal:g}", mark(figure >= goal)


def at_most(what: str, figure: float, goal: float) -> Row:
    return what, f"{figure:.2f}", f"<= {goal:.3g}", mark(figure <= goal)


def spread(seconds: Sequence[float]) -> str:
    """Return a distribution of times as text: see `SPREAD`."""
    ranked = sorted(seconds)
    shown = [*(ranked[int(len(ranked) * share)] for share in (0.5, 0.9, 0.99)), ranked[-1]]
    return " / ".join(f"{1000 * one:,.1f}" for one in shown) + " ms"


def mark(reached: bool) -> str:
    return "✓" if reached else "✗"


def show(report: Report, title: str) -> None:
    table = Table("measured", "figure", "goal", "", title=title, caption=report.note or None)
    for row in report.rows:
        table.add_row(*row)
    Console().print(table)


def append(reports: Sequence[Report], command: str, results: Path = RESULTS) -> None:
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    notes = "".join(f"{fill(report.note, WIDTH)}\n\n" for report in reports if report.note)
    lines = ["| measured | figure | goal | |", "|---|---|---|---|"]
    lines += [f"| {' | '.join(row)} |" for report in reports for row in report.rows]
    with results.open("a", encoding="utf-8") as file:
        file.write(f"\n## {when}, `{command}`, Python {platform.python_version()}\n\n{notes}" + "\n".join(lines) + "\n")
