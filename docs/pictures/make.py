"""`make pictures`: what the terminal shows, as SVG files for the docs, drawn from real matches by the real commands."""

import io
import os
import re
import subprocess
import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.text import Text

from splito_arena.blocks.simulate import Plan
from splito_arena.blocks.simulate import simulate as play_blocks
from splito_arena.bots.lineup import labels
from splito_arena.stats.series_table import summary
from splito_cli.matches.simulate import Report, page
from splito_cli.terminal.desk import Desk, show_moves, show_table
from splito_cli.terminal.screen import explanation
from splito_cli.terminal.show import find_show
from splito_engine.match import Match, legal_moves, play, start
from splito_engine.registry import find_game

FOLDER = Path(__file__).parent
NAMES = ("you", "planner", "greedy", "random")


def console() -> Console:
    return Console(
        record=True, width=92, file=io.StringIO(), force_terminal=True, color_system="truecolor", highlight=False
    )


def save(screen: Console, name: str, title: str) -> None:
    svg = screen.export_svg(title=title, unique_id=name)
    offline = re.sub(r"@font-face {.*?}\s*", "", svg, flags=re.DOTALL)  # the fonts of who looks will do
    (FOLDER / f"{name}.svg").write_text(offline, "utf-8")


def after(game: str, players: int, turns: int, options: dict[str, object] | None = None) -> Match:
    """A match between players who do not look."""
    match, rng = start(find_game(game), players, "a picture", options), Random("a picture")
    while not match.over and len(match.turns) < turns:
        match = play(match, {seat: rng.choice(legal_moves(match, seat)) for seat in match.actors})
    return match


def table(game: str, players: int, turns: int) -> None:
    screen, match = console(), after(game, players, turns)
    desk = Desk(screen, find_show(game), 0, NAMES[:players], "en")
    show_table(desk, match)
    show_moves(desk, match)
    save(screen, game, f"splito play {game}")


def why() -> None:
    screen, match = console(), after("splito", 3, 99)
    desk = Desk(screen, find_show("splito"), 0, NAMES[:3], "fr")
    screen.print(explanation(match.game.explain(match.state, "fr"), desk.names))
    save(screen, "why", "why, in French")


def simulation() -> None:
    screen, bots = console(), ("planner", "greedy", "random")
    plan = Plan("splito", bots, "a picture", 180)
    blocks = list(play_blocks(plan))
    matches, lines = sum(len(block.results) for block in blocks), summary(labels(bots), blocks)
    screen.print(page(Report("splito", "1.0", 3, {}, plan.seed, plan.blocks, matches, 0.95, lines), None))
    save(screen, "simulate", "splito simulate splito --deals 180")


def first_bot() -> None:
    """Draw what docs/first-bot.md shows: the commands themselves, in an empty folder."""
    with TemporaryDirectory() as folder:
        owl = Path(folder) / "owl"
        command(Path(folder), "first-bot-new", "bot", "new", "owl")
        command(owl, "first-bot-match", "match", "splito", "my_bot:choose", "planner", "greedy", "--deals", "30")
        command(owl, "first-bot-check", "bot", "check", "my_bot:choose", "--quick")


def command(folder: Path, name: str, *words: str) -> None:
    """Draw a command with what it prints in a terminal."""
    screen = console()
    environ = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(screen.width)}
    run = [sys.executable, "-m", "splito_cli", *words]
    done = subprocess.run(run, cwd=folder, env=environ, capture_output=True, text=True, check=True)
    screen.print(Text.from_ansi(done.stdout.rstrip()))
    save(screen, name, f"splito {' '.join(words)}")


def main() -> None:
    table("splito", 3, 6)
    table("splitter", 1, 14)
    why()
    simulation()
    first_bot()


if __name__ == "__main__":
    main()
