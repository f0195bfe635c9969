"""The terminal looks of the games: one module per game, each with the names of `splito_cli.terminal.show.scene.Show`.

A card or a zone is never shown by colour alone: a letter, a symbol or a word always stands beside it.
"""

from splito_cli.terminal.show import plain, splitit, splito, splitter
from splito_cli.terminal.show.scene import Extra, Scene, Show, have_numbers

SHOWS: dict[str, Show] = {"splitit": splitit, "splito": splito, "splitter": splitter}

__all__ = ["Extra", "Scene", "Show", "find_show", "have_numbers"]


def find_show(game: str) -> Show:
    """Return the look of the game; the plain one for a game without a look of its own."""
    return SHOWS.get(game, plain)
