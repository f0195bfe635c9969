"""A tournament in a service, as the commands follow it to its end and save its files."""

import sys
import tomllib
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
from rich.console import RenderableType
from rich.live import Live

from splito_bot.ranked import Progress, Standings, TournamentProgress
from splito_cli.record_files import check_place
from splito_cli.remote import Remote
from splito_cli.terminal.screen import printable, side_screen, wide_screen
from splito_cli.tournament.page import PLACING, live_page, table_page, waiting_line
from splito_cli.tournament.sign_up_page import BEFORE, SignUpPage, sign_up_line
from splito_engine.errors import BadOption, GameError

INTERRUPTED, STOPPED = 130, 1
"""Exit codes: after Ctrl-C, and for a tournament that did not come to its end."""
TOURNAMENTS = "/v1/tournaments"
OVER = "over"
EVENTS = ("progress", OVER)
"""The kinds of events that are shown; newer services may send others."""


class Entered(msgspec.Struct, frozen=True):
    """A bot in a tournament: the fields that the commands use."""

    bot: str
    name: str
    gone: str | None


class Held(msgspec.Struct, frozen=True):
    """A tournament: the fields that the commands use."""

    id: str
    name: str
    progress: Progress
    entrants: list[Entered]

    @property
    def gone(self) -> list[str]:
        """The bots that play no more, each with the reason."""
        return [f"{entrant.name}: {entrant.gone}" for entrant in self.entrants if entrant.gone is not None]


class Home(msgspec.Struct, frozen=True):
    """The options that say what is printed and saved at the end."""

    report: Path | None
    dump: Path | None
    json: bool

    @property
    def files(self) -> dict[str, Path]:
        found = {"report": self.report, "dump": self.dump}
        return {name: file for name, file in found.items() if file is not None}

    def check(self) -> None:
        """Raise `BadOption` if a file cannot be written, before the tournament and not after it."""
        for name, file in self.files.items():
            check_place(file, name)


def read_file(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadOption(f"{file} is not TOML: {error}", field="file") from None
    except OSError as error:
        raise BadOption(f"{file} cannot be read: {error.strerror}", field="file") from None


def is_endless(wanted: dict[str, Any]) -> bool:
    """True if the tournament is a ladder, which has no end of its own."""
    match wanted:
        case {"format": {"kind": "ladder"}}:
            return True
        case _:
            return False


def follow(remote: Remote, held: Held, home: Home) -> int:
    """Watch the tournament to its end, print and save what is asked for, and return the exit code."""
    path = path_of(held.id)
    try:
        with _way_back(remote, held):
            _watch(remote, held)
            last, standings = remote.get(path, Held), remote.get(f"{path}/standings", Standings)
            for name, file in home.files.items():
                remote.save(f"{path}/{name}", file)
    except KeyboardInterrupt:
        return INTERRUPTED
    if home.json:
        print_json({"progress": last.progress, "standings": standings})
    else:
        older = [] if standings.official else placed(standings, last.entrants)
        console, facts = wide_screen(), [*older, *(("gone", one) for one in last.gone)]
        facts += [("see", f"{remote.url}{path}"), *((name, str(file)) for name, file in home.files.items())]
        official = standings.official
        console.print(table_page(last.name, last.progress, standings.lines, facts, console.width, official=official))
    return 0 if last.progress.state == "finished" else STOPPED


def placed(standings: Standings, entrants: Sequence[Entered]) -> list[tuple[str, str]]:
    """Return the placing in a line, for services that have no `official`; nothing if the format has none there."""
    names = {one.bot: one.name for one in entrants}
    shown, place = list[str](), 1
    for tied in standings.placing or ():
        shown.append(f"{place}. {' and '.join(names.get(bot, bot) for bot in tied)}")
        place += len(tied)
    return [(PLACING, ", ".join(shown))] if shown else []


@contextmanager
def _way_back(remote: Remote, held: Held) -> Generator[None]:
    """Print how to come back if the watching ends early. The tournament goes on without a watcher."""
    try:
        yield
    except (KeyboardInterrupt, GameError, OSError):
        again = f"splito tournament watch {printable(held.id)} --url {remote.url}"
        side_screen().print(f"The tournament goes on. To watch it again: {again}", markup=False, soft_wrap=True)
        raise


def _watch(remote: Remote, held: Held) -> None:
    """Show the progress until the tournament is over."""
    console, told = side_screen(), None
    with (
        Live(console=console, transient=True, auto_refresh=console.is_terminal, refresh_per_second=1) as live,
        closing(remote.events(f"{path_of(held.id)}/events")) as events,
    ):
        for event in events:
            if event.kind not in EVENTS:
                continue
            news = remote.decoded(event.data, TournamentProgress)
            if event.kind == OVER:
                return
            if console.is_terminal:
                live.update(_live(remote, held, news, console.size), refresh=True)
            elif (line := _line(news.progress)) != told:
                if line or told:
                    console.print(line or "It goes on.", markup=False, soft_wrap=True)
                told = line


def _line(progress: Progress) -> str | None:
    """Return what the tournament waits for, in a line; None if it is played."""
    if progress.state in BEFORE:
        return f"Waiting: {sign_up_line(progress)}."
    return waiting_line(progress.waiting) if progress.waiting else None


def _live(remote: Remote, held: Held, news: TournamentProgress, size: tuple[int, int]) -> RenderableType:
    if news.progress.state in BEFORE:
        entrants = remote.get(path_of(held.id), Held).entrants
        return SignUpPage(held.name, news.progress, [one.name for one in entrants if one.gone is None])
    return live_page(held.name, news.progress, news.leaders, size, news.official)


def path_of(tournament: str) -> str:
    return f"{TOURNAMENTS}/{quote(tournament, safe='')}"


def print_json(found: object) -> None:
    sys.stdout.write(msgspec.json.encode(found).decode() + "\n")
