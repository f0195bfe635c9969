"""`splito rules`: prints the rules of a game."""

import sys

from rich.markdown import Markdown

from splito_cli.arguments import Flag, GameName
from splito_cli.terminal.screen import screen
from splito_engine.game import Language
from splito_engine.registry import find_game

EXAMPLES = ("splito rules splito", "splito rules splitter --lang fr", "splito rules splitit --raw > rules.md")


def rules(game: GameName, /, *, lang: Language = "en", raw: Flag = False) -> None:
    """Show the rules of a game.

    A terminal shows them laid out; a file or a pipe gets the Markdown.

    Parameters
    ----------
    lang
        The language of the rules.
    raw
        Print the Markdown on a terminal too.
    """
    text = find_game(game).rulebook(lang)
    console = screen()
    if raw or not console.is_terminal:
        sys.stdout.write(text)
    else:
        console.print(Markdown(text))
