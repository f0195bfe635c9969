"""Arguments that several commands have: options of the game, lists of bots, clocks, folders."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import msgspec
from cyclopts import Parameter

from splito_arena.bots.functions.words import split_words
from splito_arena.match.seat import Clock
from splito_cli.terminal.screen import counted
from splito_engine.errors import BadBot, BadOption
from splito_engine.game import AnyGame

INTERRUPTED = 130
"""The exit code after Ctrl-C."""
NO_BLOCK = "Stopped before the first block was played to its end."

GameName: TypeAlias = Annotated[str, Parameter(help="The game, as `splito games` lists it.")]
GameOption: TypeAlias = Annotated[str, Parameter(help="As `splito games` lists it.")]
Seed: TypeAlias = Annotated[
    str | None, Parameter(help="The same seed gives the same cards or dice; without it a new one is drawn.")
]
Pairs: TypeAlias = Annotated[
    tuple[str, ...],
    Parameter(help="An option of the game, as in `--option deals=3`; several are possible.", show_default=False),
]
ClockText: TypeAlias = Annotated[
    str, Parameter(help="Milliseconds for each turn, and in the bank for all that take longer.")
]
Strikes: TypeAlias = Annotated[int, Parameter(help="Faults after which a built-in bot replaces the bot.")]
AtOnce: TypeAlias = Annotated[int, Parameter(help="Matches that are played at the same time.")]
Seats: TypeAlias = Annotated[int | None, Parameter(help="Seats at the table; without it one for each bot.")]
Deals: TypeAlias = Annotated[
    int,
    Parameter(
        help="The number of deals, one per match. Rounded up to whole blocks: 2 matches for two bots, 6 for three, 12 "
        "for four (see docs/blocks.md)."
    ),
]
RecordFolder: TypeAlias = Annotated[
    Path | None, Parameter(help="A folder for one record per match, each of them verified.")
]
AskFolder: TypeAlias = Annotated[
    Path | None,
    Parameter(help="A folder for all asks and answers: one file per bot, one line of JSON per ask."),
]
Decks: TypeAlias = Annotated[
    tuple[Path, ...],
    Parameter(
        help="A deck file of yours; no file is opened because a record or an ask names it. Several are possible.",
        show_default=False,
    ),
]
Host: TypeAlias = Annotated[
    str, Parameter(help="The address to listen at; `0.0.0.0` for all addresses of this machine.")
]
Port: TypeAlias = Annotated[int, Parameter(help="The port to listen at; 0 for any free one.")]
Flag: TypeAlias = Annotated[bool, Parameter(show_default=False)]
Json: TypeAlias = Annotated[bool, Parameter(help="Print JSON, and nothing else.", show_default=False)]


def read_pairs(pairs: Sequence[str]) -> dict[str, Any]:
    """Return the options in `deals=3`, `sheet=B`: a value is a JSON scalar if possible, otherwise a text."""
    found: dict[str, Any] = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not name or not sign:
            raise BadOption(f"{pair!r} is no option: give a name and a value, as in deals=3", field="option")
        if name in found:
            raise BadOption(f"the option {name!r} is given twice", field=name)
        found[name] = _scalar(value)
    return found


def open_decks(paths: Sequence[Path]) -> None:
    """Open the deck files that the person at this machine named. Raise `BadDeck`."""
    if paths:
        from splito_engine.games.splito.deck import open_deck  # noqa: PLC0415 (other commands do without the cards)

        for path in paths:
            open_deck(path)


def read_bots(text: str, seats: int) -> tuple[str, ...]:
    """Return the bots of all seats, from a list with commas."""
    return seat_bots(split_words(text), seats)


def seat_bots(names: Sequence[str], seats: int) -> tuple[str, ...]:
    """Return a bot for every seat: the names are repeated in turn. Raise `BadBot` if there are too many."""
    if len(names) > seats:
        raise BadBot(f"{counted(len(names), 'bot')} for {counted(seats, 'seat')}: {', '.join(names)}", field="bots")
    if any(":" in name for name in names):
        _import_from_here()
    return tuple(names[seat % len(names)] for seat in range(seats))


def read_clock(text: str) -> Clock:
    found = re.fullmatch(r"(\d{1,7}),(\d{1,7})", text)
    if found is None:
        raise BadOption(f"{text!r} is no clock: give two numbers of milliseconds, as in 1000,5000", field="clock")
    return Clock(int(found[1]), int(found[2]))


def usual_players(game: AnyGame) -> int:
    """Return 1 if the game can be played alone; otherwise 3, or the closest number of players that the game allows."""
    info = game.INFO
    return 1 if info.min_players == 1 else max(info.min_players, min(3, info.max_players))


def _scalar(value: str) -> Any:
    try:
        return msgspec.json.decode(value.encode(), type=str | int | float | bool | None)
    except msgspec.DecodeError:
        return value


def _import_from_here() -> None:
    """Import `my_bots:choose` from the working folder too. It comes last, so that no file there hides a library."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
