"""A tournament in a service, from the command line: held, followed to its end, and taken home."""

import sys
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
from rich.live import Live

from cli.remote import Event, Remote
from cli.screen import side_screen, wide_screen
from cli.tournament_page import live_page, table_page
from engine.errors import BadOption
from service.outcome import Standings, TournamentOver, TournamentProgress
from service.ranking import Progress

INTERRUPTED, STOPPED = 130, 1
"""Exit codes: after Ctrl-C, and for a tournament that did not come to its end."""
TOURNAMENTS = "/v1/tournaments"


class Held(msgspec.Struct, frozen=True):
    """What we need to know of a tournament."""

    id: str
    name: str
    progress: Progress


class Home(msgspec.Struct, frozen=True):
    """What is taken home, and to which files."""

    report: Path | None
    dump: Path | None
    json: bool


def read_file(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadOption(f"{file} is not TOML: {error}", field="file") from None


def follow(remote: Remote, held: Held, home: Home) -> int:
    path = path_of(held.id)
    try:
        progress = _watch(remote, held)
    except KeyboardInterrupt:
        again = f"splito tournament watch {held.id} --url {remote.url}"
        side_screen().print(f"It goes on without us. To come back: {again}")
        return INTERRUPTED
    standings = remote.get(f"{path}/standings", Standings)
    found = {"report": home.report, "dump": home.dump}
    for name, file in found.items():
        if file is not None:
            file.write_bytes(remote.fetch(f"{path}/{name}"))
    if home.json:
        print_json({"progress": progress, "standings": standings})
    else:
        wide_screen().print(table_page(held.name, f"{remote.url}{path}", progress, standings.lines, found))
    return 0 if progress.state == "finished" else STOPPED


def _watch(remote: Remote, held: Held) -> Progress:
    """Until it is over: what is known then."""
    console, progress = side_screen(), held.progress
    with Live(console=console, transient=True, auto_refresh=False) as live:
        for event in remote.events(f"{path_of(held.id)}/events"):
            news = _news(event)
            if news is not None:
                progress = news.progress
                if console.is_terminal:
                    live.update(live_page(held.name, progress, news.leaders), refresh=True)
    return progress


def _news(event: Event) -> TournamentProgress | TournamentOver | None:
    """Nothing, for an event that we do not know yet."""
    kinds: dict[str, Any] = {"progress": TournamentProgress, "over": TournamentOver}
    kind = kinds.get(event.kind)
    return None if kind is None else msgspec.json.decode(event.body, type=kind)


def path_of(tournament: str) -> str:
    return f"{TOURNAMENTS}/{quote(tournament, safe='')}"


def print_json(found: object) -> None:
    sys.stdout.write(msgspec.json.encode(found).decode() + "\n")
