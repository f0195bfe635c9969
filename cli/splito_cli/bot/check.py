"""`splito bot check`: checks whether a bot is ready to play."""

import asyncio
import sys
from collections import Counter
from collections.abc import Sequence

import msgspec
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from splito_arena.bots.functions.tracebacks import IN_TIME
from splito_arena.bots.lineup import is_url
from splito_arena.checks import (
    LIMIT,
    Address,
    Finding,
    Latency,
    Outcome,
    Report,
    Row,
    Scope,
    Step,
    at_address,
    check,
    on_this_machine,
)
from splito_arena.errors import Unplayable
from splito_arena.faults import Void
from splito_arena.net.signing import Key
from splito_cli.arguments import Flag, Json, read_bots
from splito_cli.bot_secrets import Secrets, read_secrets
from splito_cli.terminal.screen import counted, headline, plain_table, printable, progress_bar, screen
from splito_engine.errors import BadOption
from splito_engine.registry import find_game
from splito_engine.registry import games as all_games

EXAMPLES = (
    "splito bot check http://localhost:8001 --secret whsec_...",
    "splito bot check my_bot:choose --games splito,splitter",
    "splito bot check http://localhost:8001 --quick --json",
)
NOT_READY = 1
STARTS = ("Traceback", IN_TIME)
"""Beginnings of tracebacks, which are shown whole."""
MARKS: dict[Outcome, tuple[str, str]] = {
    "passed": ("✓", "bold green"),
    "failed": ("✗", "bold red"),
    "warned": ("!", "bold yellow"),
    "not-checked": ("–", "dim"),
}
LOUD = ("failed", "warned")
SHOWN = 300
"""Characters of a request or an answer on the screen; `--json` has all of them."""


def check_bot(  # noqa: PLR0913 (one parameter per option)
    bot: str,
    /,
    *,
    secret: Secrets = (),
    games: str | None = None,
    quick: Flag = False,
    limit: float = LIMIT,
    json: Json = False,
) -> int:
    """Check whether a bot is ready to play, and say how to correct what is not.

    Without a secret, signatures are not checked. The exit code is 0 if the bot is ready, 1 if a check failed.

    Parameters
    ----------
    bot
        The address of a bot, a function as module:function, or the name of an installed bot.
    games
        The games to check, separated by commas; by default all games that the bot plays.
    quick
        Play matches only with the fewest and the most players of each game.
    limit
        Seconds for all checks together.
    """
    chosen = tuple(find_game(name.strip()).INFO.id for name in games.split(",")) if games else ()
    if limit <= 0:
        raise BadOption(f"limit must be more than 0 seconds, not {limit:g}", field="limit")
    scope = Scope(games=chosen, quick=quick, limit=limit)
    [word] = read_bots(bot, 1)
    found = read_secrets(secret, [word]).get(word)
    try:
        report = asyncio.run(_at_address(word, found, scope) if is_url(word) else _here(word, scope))
    except Void as void:
        raise Unplayable(f"the bot could not be checked: {void}") from void
    if json:
        sys.stdout.write(msgspec.json.encode(report).decode() + "\n")
    else:
        screen().print(page(report))
    return 0 if report.passed else NOT_READY


async def _at_address(url: str, secret: str | None, scope: Scope) -> Report:
    """Return the report on the bot at an address, which may be in a private network, because the user names it."""
    address = Address(url, Key(secret) if secret else None, allow_private=True)
    async with at_address(address) as subject:
        with progress_bar("{task.description}") as progress:
            return await check(subject, scope, _Bar(progress).move)


async def _here(word: str, scope: Scope) -> Report:
    """Return the report on a function or an installed bot, which runs in a process of its own."""
    async with on_this_machine(word, scope.games or tuple(all_games())) as subject:
        with progress_bar("{task.description}") as progress:
            return await check(subject, scope, _Bar(progress).move)


class _Bar:
    def __init__(self, progress: Progress) -> None:
        self._progress, self._task = progress, progress.add_task("", total=None)

    def move(self, step: Step) -> None:
        self._progress.update(self._task, description=step.what, completed=step.done, total=step.total)


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
