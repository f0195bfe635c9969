"""The check of a registered bot, which the arena runs."""

import msgspec
from rich.console import Group, RenderableType
from rich.progress import Progress
from rich.text import Text

from splito_arena.checks import Report
from splito_bot.account import bots
from splito_bot.account.page import Outcome
from splito_bot.schemas.bots import Check
from splito_cli.access import Place, session
from splito_cli.account.page import next_step, page_of, show
from splito_cli.check_page import page
from splito_cli.terminal.screen import progress_bar, wide_screen


def check_registered(bot: str, place: Place, *, quick: bool, json: bool) -> int:
    """Let the arena check a bot, print the report, and return the exit code."""
    with session(place) as there, progress_bar("the arena checks the bot") as progress:
        outcome = bots.check(there, bot, quick=quick, progress=_Bar(progress))
    if json:
        return show(outcome, json=True)
    wide_screen().print(_page(outcome))
    return outcome.code


def _page(outcome: Outcome) -> RenderableType:
    """Return the page of the local check, for the same report."""
    found = outcome.data
    if not isinstance(found, Check) or found.report is None:
        return page_of(outcome.page)
    report = msgspec.convert(msgspec.to_builtins(found.report), Report)
    return Group(page(report), Text(), next_step(outcome.page.next))


class _Bar:
    def __init__(self, progress: Progress) -> None:
        self._progress, self._task = progress, progress.add_task("", total=None)

    def __call__(self, check: Check) -> None:
        self._progress.update(self._task, completed=check.done, total=check.total or None)
