"""A tournament in a service, from the command line: held, followed to its end, and taken home."""

import sys
import tomllib
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
from rich.live import Live

from splito_bot.events import Frame
from splito_cli.files import check_place
from splito_cli.remote import Remote
from splito_cli.screen import printable, side_screen, wide_screen
from splito_cli.tournament_page import PLACING, live_page, table_page, waiting_line
from splito_engine.errors import BadOption, GameError
from splito_service.results.schemas import Standings, TournamentOver, TournamentProgress
from splito_service.tournaments.schemas import Progress

INTERRUPTED, STOPPED = 130, 1
"""Exit codes: after Ctrl-C, and for a tournament that did not come to its end."""
TOURNAMENTS = "/v1/tournaments"
EVENTS: dict[str, type[TournamentProgress | TournamentOver]] = {
    "progress": TournamentProgress,
    "over": TournamentOver,
}


class Entered(msgspec.Struct, frozen=True):
    """What we need to know of a bot in a tournament."""

    bot: str
    name: str
    gone: str | None


class Held(msgspec.Struct, frozen=True):
    """What we need to know of a tournament."""

    id: str
    name: str
    progress: Progress
    entrants: list[Entered]

    @property
    def gone(self) -> list[str]:
        """Who plays no more, and why."""
        return [f"{entrant.name}: {entrant.gone}" for entrant in self.entrants if entrant.gone is not None]


class Home(msgspec.Struct, frozen=True):
    """What is taken home, and to which files."""

    report: Path | None
    dump: Path | None
    json: bool

    @property
    def files(self) -> dict[str, Path]:
        found = {"report": self.report, "dump": self.dump}
        return {name: file for name, file in found.items() if file is not None}

    def check(self) -> None:
        """Said before a tournament, not after it."""
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
    """Whether a ladder is wanted, which goes on for as long as it is open."""
    match wanted:
        case {"format": {"kind": "ladder"}}:
            return True
        case _:
            return False


def follow(remote: Remote, held: Held, home: Home) -> int:
    """To its end; the exit code."""
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
        console, facts = wide_screen(), [*placed(standings, last.entrants), *(("gone", one) for one in last.gone)]
        facts += [("see", f"{remote.url}{path}"), *((name, str(file)) for name, file in home.files.items())]
        console.print(table_page(last.name, last.progress, standings.lines, facts, console.width))
    return 0 if last.progress.state == "finished" else STOPPED


def placed(standings: Standings, entrants: Sequence[Entered]) -> list[tuple[str, str]]:
    """Return the order that the format decides, in a line; nothing for a format whose order is that of the ratings."""
    names = {one.bot: one.name for one in entrants}
    shown, place = list[str](), 1
    for tied in standings.placing or ():
        shown.append(f"{place}. {' and '.join(names.get(bot, bot) for bot in tied)}")
        place += len(tied)
    return [(PLACING, ", ".join(shown))] if shown else []


@contextmanager
def _way_back(remote: Remote, held: Held) -> Generator[None]:
    """Who is thrown out is told how to come back: the tournament does not need us."""
    try:
        yield
    except (KeyboardInterrupt, GameError, OSError):
        again = f"splito tournament watch {printable(held.id)} --url {remote.url}"
        side_screen().print(
            f"The tournament does not depend on us. To come back: {again}", markup=False, soft_wrap=True
        )
        raise


def _watch(remote: Remote, held: Held) -> None:
    """Until it is over."""
    console, waiting = side_screen(), None
    with (
        Live(console=console, transient=True, auto_refresh=False) as live,
        closing(remote.events(f"{path_of(held.id)}/events")) as events,
    ):
        for event in events:
            news = _news(remote, event)
            if isinstance(news, TournamentOver):
                return
            if news is None:
                continue
            if console.is_terminal:
                live.update(live_page(held.name, news.progress, news.leaders, console.size), refresh=True)
            elif news.progress.waiting != waiting:
                waiting = news.progress.waiting
                console.print(waiting_line(waiting) if waiting else "It goes on.", markup=False, soft_wrap=True)


def _news(remote: Remote, event: Frame) -> TournamentProgress | TournamentOver | None:
    """Return the decoded event; None for an event of an unknown kind, as newer services may send."""
    kind = EVENTS.get(event.kind)
    return None if kind is None else remote.decoded(event.data, kind)


def path_of(tournament: str) -> str:
    return f"{TOURNAMENTS}/{quote(tournament, safe='')}"


def print_json(found: object) -> None:
    sys.stdout.write(msgspec.json.encode(found).decode() + "\n")
