"""Measure, print a table, and append it to `results.md`."""

import platform
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from benchmarks.harness import Rates, measure, ratio
from benchmarks.playouts import goofspiel, goofspiel_short, playout, replay, views
from engine.games import splitit, splito, splitter

RESULTS = Path(__file__).with_name("results.md")
PLAYERS = range(2, 9)

Row = tuple[str, str, str, str]
"""What, the figure, the goal, whether it is reached."""


def rows(rates: Rates) -> Iterator[Row]:
    yield from _ratio_rows(rates)
    yield from _growth_rows(rates)
    for name in rates:
        yield f"{name}, per second of CPU time", f"{median(rates[name]):,.0f}", "", ""


def _ratio_rows(rates: Rates) -> Iterator[Row]:
    against = ratio(rates, "splito play-out 4", "goofspiel play-out 4")
    yield (
        "Splito play-outs / OpenSpiel goofspiel play-outs, 4 players",
        f"{against:.2f}",
        ">= 0.75",
        _mark(against >= 0.75),
    )
    short = ratio(rates, "splito play-out 4", "goofspiel play-out 4, short cut")
    yield "the same, OpenSpiel's chance nodes taken as uniform without asking", f"{short:.2f}", "", ""
    replayed = ratio(rates, "splito play-out 4", "splito replay 4")
    yield "time to verify a full record / one play-out", f"{replayed:.2f}", "", ""
    viewed = ratio(rates, "splito play-out 4", "splito view 4")
    yield "time to build and encode a view / one play-out", f"{viewed:.3f}", "", ""


def _growth_rows(rates: Rates) -> Iterator[Row]:
    """Linear growth from 3 to 8 players would be 8/3; a game may also have a share that does not grow."""
    growth = ratio(rates, "splito play-out 3", "splito play-out 8")
    yield "time of an 8-player play-out / a 3-player play-out", f"{growth:.2f}", "<= 2.67", _mark(growth <= 8 / 3)


def _mark(reached: bool) -> str:
    return "✓" if reached else "✗"


def main() -> None:
    contenders = {
        "goofspiel play-out 4": goofspiel(4),
        "goofspiel play-out 4, short cut": goofspiel_short(4),
        **{f"splito play-out {players}": playout(splito, players) for players in PLAYERS},
        "splito replay 4": replay(splito, 4),
        "splito view 4": views(splito, 4),
        "splitit play-out 3": playout(splitit, 3),
        "splitter play-out 1": playout(splitter, 1),
    }
    measured = list(rows(measure(contenders)))
    table = Table("measured", "figure", "goal", "", title="Splito Arena benchmarks")
    for row in measured:
        table.add_row(*row)
    Console().print(table)
    _append(measured)


def _append(measured: list[Row]) -> None:
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    lines = [
        f"\n## {when}, `make bench`, Python {platform.python_version()}\n",
        "| measured | figure | goal | |",
        "|---|---|---|---|",
    ]
    lines += [f"| {' | '.join(row)} |" for row in measured]
    with RESULTS.open("a", encoding="utf-8") as results:
        results.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
