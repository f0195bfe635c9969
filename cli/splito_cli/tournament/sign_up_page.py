"""Page of a tournament that waits for its start: when it starts, and the bots that have entered."""

from collections.abc import Sequence
from datetime import UTC, datetime

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from splito_bot.ranked import Progress
from splito_cli.terminal.screen import counted, headline, printable

BEFORE = ("scheduled", "open")
"""States of a tournament before its start."""
AROUND = 4
"""Lines of the page that are not entrants."""


class SignUpPage:
    """The page, with a countdown that is right whenever it is drawn."""

    def __init__(self, name: str, progress: Progress, entrants: Sequence[str]) -> None:
        self._name, self._progress, self._entrants = name, progress, entrants

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = max((options.max_height or len(self._entrants) + AROUND) - AROUND, 1)
        yield headline(printable(self._name), sign_up_line(self._progress), countdown(self._progress, _now()))
        yield Text()
        for name in self._entrants[:room]:
            yield Text(f"  {printable(name)}")
        if len(self._entrants) > room:
            yield Text(f"  and {len(self._entrants) - room} more", "dim")


def sign_up_line(progress: Progress) -> str:
    """Return what a tournament waits for, as in `3 bots have entered, start at 2026-11-20 17:00:00 UTC`."""
    if progress.state == "scheduled":
        return f"sign-up from {shown_time(progress.opens)}, start at {shown_time(progress.starts)}"
    have = "has" if progress.bots == 1 else "have"
    return f"{counted(progress.bots, 'bot')} {have} entered, start at {shown_time(progress.starts)}"


def countdown(progress: Progress, now: datetime) -> str:
    """Return the time to the next step: `sign-up in 3 min 5 s`, `start in 2 d 4 h`, `starting`."""
    what, when = ("sign-up", progress.opens) if progress.state == "scheduled" else ("start", progress.starts)
    left = 0 if when is None else int((when - now).total_seconds())
    if left <= 0:
        return "opening" if what == "sign-up" else "starting"
    days, hours, minutes = left // 86_400, left // 3600 % 24, left // 60 % 60
    parts = ((days, "d"), (hours, "h"), (minutes, "min"), (left % 60, "s"))
    first = next(number for number, (count, _) in enumerate(parts) if count)
    return f"{what} in " + " ".join(f"{count} {unit}" for count, unit in parts[first : first + 2])


def shown_time(time: datetime | None) -> str:
    return "an unknown time" if time is None else f"{time.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _now() -> datetime:
    return datetime.now(UTC)
