"""`splito bot new`: a folder with a bot that plays, and its tests."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Literal, TypeAlias, get_args

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

Lang: TypeAlias = Literal["python", "javascript", "java", "go"]
Template: TypeAlias = Literal["greedy", "search", "batch"]
Steps: TypeAlias = Mapping[str, str]
"""Commands of the author in the new folder, by what they do."""

EXAMPLES = (
    "splito bot new owl",
    "splito bot new owl --template search",
    "splito bot new owl --lang go",
)
FOLDER = Path(__file__).with_name("starters")
NAME = "MY-BOT"
"""The placeholder for the name of the bot in the files of a starter."""
GAMES = ("splito", "splitit", "splitter")
TURNS = (0, 5)
"""Turns of the example asks."""
TIME = Time(allowed_ms=6000, turn_ms=1000, bank_ms=5000)

WITH_SDK = {
    "install": "pip install -r requirements.txt",
    "test": "python test_my_bot.py",
    "play": "splito match splito my_bot:choose planner greedy --deals 30",
    "serve": "splito-bot serve my_bot:choose",
}
STARTERS: Mapping[tuple[Lang, Template], Steps] = {
    ("python", "greedy"): WITH_SDK,
    ("python", "search"): WITH_SDK,
    ("python", "batch"): {
        "test": "python test_my_bot.py",
        "play": "splito match splito my_bot:choose planner greedy --deals 30",
        "serve": "python server.py",
    },
    ("javascript", "greedy"): {"test": "node --test", "serve": "node bot.js"},
    ("java", "greedy"): {
        "compile": "javac -d out *.java",
        "test": "java -cp out BotTest",
        "serve": "java -cp out Server",
    },
    ("go", "greedy"): {"test": "go test", "serve": "go run ."},
}
"""The starters, with the next steps of each. The templates of other languages than Python answer batches too."""
CHECK = {"check": "splito bot check http://127.0.0.1:8001"}


def new_bot(folder: Path, /, *, lang: Lang = "python", template: Template = "greedy") -> None:
    """Create a folder with a bot that plays, its tests and a README.

    Parameters
    ----------
    folder
        The folder, which must be new or empty. The bot gets its name.
    lang
        The language of the bot. JavaScript, Java and Go need nothing but their standard libraries.
    template
        greedy: looks one move ahead, in all languages. search: imagines hidden cards and plays on, in Python. batch:
        answers several asks in one request, in Python; the greedy bots of the other languages do so too.
    """
    check_starter(lang, template)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadOption(f"{folder} exists and is not empty: name a new or empty folder", field="folder")
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in starter(lang, template, bot_name(folder)):
        (folder / name).write_bytes(content)
    screen().print(_page(folder, STARTERS[lang, template]))


def check_starter(lang: Lang, template: Template) -> None:
    """Raise `BadOption`, with all starters, if there is none of this template in this language."""
    if (lang, template) in STARTERS:
        return
    there_are = "; ".join(
        f"{language}: {', '.join(one for known, one in STARTERS if known == language)}" for language in get_args(Lang)
    )
    raise BadOption(f"there is no template {template} in {lang}; there are {there_are}", field="template")


def bot_name(folder: Path) -> str:
    """Return the name of the folder, in characters that every registry accepts."""
    return re.sub(r"[^a-z0-9_-]+", "-", folder.resolve().name.lower()).strip("-_")[:64] or "my-bot"


def starter(lang: Lang, template: Template, name: str) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of the files of a starter."""
    for path in sorted((FOLDER / lang / template).iterdir()):
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


def _page(folder: Path, commands: Steps) -> RenderableType:
    steps = Table.grid(padding=(0, 2, 0, 0))
    for name, command in {"go there": f"cd {folder}", **commands, **CHECK}.items():
        steps.add_row(Text(name, "dim"), Text(command, overflow="fold"))
    files = ", ".join(sorted(path.name for path in folder.iterdir()))
    return Group(headline(bot_name(folder), f"a bot in {folder}"), Text(files, "dim"), Padding(steps, (1, 0, 0, 2)))
