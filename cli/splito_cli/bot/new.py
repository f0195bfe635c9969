"""`splito bot new`: a folder with a bot that plays, and its tests."""

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Literal, TypeAlias

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from splito_arena.match.question import History, question
from splito_cli.arguments import usual_players
from splito_cli.terminal.screen import headline, screen
from splito_engine.errors import BadOption
from splito_engine.game import AnyGame
from splito_engine.match import Match, legal_moves, play, start
from splito_engine.player import Time
from splito_engine.registry import find_game

Lang: TypeAlias = Literal["python", "javascript"]

EXAMPLES = ("splito bot new owl", "splito bot new owl --lang javascript")
STARTERS = Path(__file__).with_name("starters")
NAME = "MY-BOT"
"""The placeholder for the name of the bot in the files of a starter."""
GAMES = ("splito", "splitit", "splitter")
TURNS = (0, 5)
"""Turns of the example asks."""
TIME = Time(allowed_ms=6000, turn_ms=1000, bank_ms=5000)
NEXT: dict[Lang, dict[str, str]] = {
    "python": {
        "install": "pip install -r requirements.txt",
        "test": "python test_my_bot.py",
        "serve": "splito-bot serve my_bot:choose",
        "check": "splito bot check http://127.0.0.1:8001",
    },
    "javascript": {
        "test": "node --test",
        "serve": "node bot.js",
        "check": "splito bot check http://127.0.0.1:8001",
    },
}
"""Next steps in the new folder, by language."""


def new_bot(folder: Path, /, *, lang: Lang = "python") -> None:
    """Create a folder with a bot that plays, its tests and a README.

    Parameters
    ----------
    folder
        The folder, which must be new or empty. The bot gets its name.
    lang
        Python needs the package `splito-bot`, JavaScript Node.js and nothing else.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadOption(f"{folder} exists and is not empty: name a new or empty folder", field="folder")
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in starter(lang, bot_name(folder)):
        (folder / name).write_bytes(content)
    screen().print(_page(folder, lang))


def bot_name(folder: Path) -> str:
    """Return the name of the folder, in characters that every registry accepts."""
    return re.sub(r"[^a-z0-9_-]+", "-", folder.resolve().name.lower()).strip("-_")[:64] or "my-bot"


def starter(lang: Lang, name: str) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of the files of a starter."""
    for path in sorted((STARTERS / lang).iterdir()):
        if path.is_file():
            yield path.name, path.read_bytes().replace(NAME.encode(), name.encode())
    yield "asks.json", example_asks()


def example_asks() -> bytes:
    """Return example asks of all built-in games, as the arena sends them."""
    asks = [_ask(find_game(game), turn) for game in GAMES for turn in TURNS]
    return b'{"asks":[\n%b\n]}\n' % b",\n".join(asks)


def _ask(game: AnyGame, turn: int) -> bytes:
    match, rng = start(game, max(2, usual_players(game)), "example"), Random(turn)
    while len(match.turns) < turn:
        match = _play_at_random(match, rng)
    return question(match, match.actors[0], f"example-{game.INFO.id}", History(), time=TIME).encoded()


def _play_at_random(match: Match, rng: Random) -> Match:
    return play(match, {seat: rng.choice(legal_moves(match, seat)) for seat in match.actors})


def _page(folder: Path, lang: Lang) -> RenderableType:
    steps = Table.grid(padding=(0, 2, 0, 0))
    for name, command in {"go there": f"cd {folder}", **NEXT[lang]}.items():
        steps.add_row(Text(name, "dim"), Text(command, overflow="fold"))
    files = ", ".join(sorted(path.name for path in folder.iterdir()))
    return Group(headline(bot_name(folder), f"a bot in {folder}"), Text(files, "dim"), Padding(steps, (1, 0, 0, 2)))
