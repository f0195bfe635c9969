"""The report of a check as a page for people."""

from collections import Counter
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from splito_arena.bots.functions.tracebacks import IN_TIME
from splito_arena.checks import Finding, Latency, Outcome, Report, Row
from splito_cli.terminal.screen import counted, headline, plain_table, printable

MARKS: dict[Outcome, tuple[str, str]] = {
    "passed": ("✓", "bold green"),
    "failed": ("✗", "bold red"),
    "warned": ("!", "bold yellow"),
    "not-checked": ("–", "dim"),
}
LOUD = ("failed", "warned")
STARTS = ("Traceback", IN_TIME)
"""Beginnings of tracebacks, which are shown whole."""
SHOWN = 300
"""Characters of a request or an answer on the screen; `--json` has all of them."""


def page(report: Report) -> RenderableType:
    facts = [f"version {printable(report.version)}"] if report.version else []
    notes = [_finding(row, finding) for row in report.rows for finding in row.findings]
    return Group(
        headline(
            report.bot, *facts, f"{counted(report.matches, 'match', 'matches')} in {report.elapsed_ms / 1000:.1f} s"
        ),
        Text(),
        _table(report.rows),
        Text(),
        *notes,
        *_times(report.latency),
        _verdict(report),
    )


def _table(rows: Sequence[Row]) -> Table:
    table = plain_table("", "check")
    table.columns[1].justify = "left"
    table.add_column("found", overflow="fold")
    for row in rows:
        mark, style = MARKS[row.outcome]
        found = Text(printable(row.found), "" if row.outcome in LOUD else "dim")
        table.add_row(Text(mark, style), row.title, found)
    return table


def _finding(row: Row, finding: Finding) -> RenderableType:
    mark, style = MARKS[row.outcome]
    times = f" ({counted(finding.count, 'time')})" if finding.count > 1 else ""
    lines = {
        "what": f"{finding.what}{times}",
        "where": finding.where,
        "do": finding.advice,
        "sent": _cut(finding.request),
        "came": _cut(finding.response),
    }
    grid = Table.grid(padding=(0, 2, 0, 0))
    for name, value in lines.items():
        if value:
            shown = "\n".join(map(printable, value.split("\n")))
            grid.add_row(Text(name, "dim"), Text(shown, "bold" if name == "do" else "", overflow="fold"))
    head = Text.assemble((f"{mark} ", style), (f"{row.check}: {finding.code}", "bold"))
    return Group(head, Padding(grid, (0, 0, 1, 2), expand=False))


def _times(latency: Latency | None) -> list[RenderableType]:
    if latency is None:
        return []
    shown = [latency.p50_ms, latency.p90_ms, latency.p99_ms, latency.slowest_ms]
    table = plain_table("asks", "p50", "p90", "p99", "slowest", "a turn", "the bank")
    clock = (latency.clock.turn_ms, latency.clock.bank_ms)
    table.add_row(str(latency.asks), *(f"{one:.1f} ms" for one in shown), *(f"{one} ms" for one in clock))
    return [table, Text()]


def _verdict(report: Report) -> Text:
    outcomes = Counter(row.outcome for row in report.rows)
    counts = ", ".join(f"{outcomes[outcome]} {outcome.replace('-', ' ')}" for outcome in MARKS if outcomes[outcome])
    mark, style = MARKS["passed" if report.passed else "failed"]
    return Text.assemble((f"{mark} {'ready to play' if report.passed else 'not ready to play'}", style), f": {counts}")


def _cut(text: str | None) -> str:
    if text is None or len(text) <= SHOWN or text.startswith(STARTS):
        return text or ""
    return f"{text[:SHOWN]}… ({len(text)} characters; --json shows all)"
