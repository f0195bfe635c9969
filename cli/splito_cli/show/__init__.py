"""How a game looks in a terminal: one module per game, with the names of `splito_cli.show.scene.Show`.

A card or a zone is never told by colour alone: a letter, a symbol or a word always stands beside it.
"""

from splito_cli.show import plain, splitit, splito, splitter
from splito_cli.show.scene import Extra, Scene, Show, have_numbers

SHOWS: dict[str, Show] = {"splitit": splitit, "splito": splito, "splitter": splitter}

__all__ = ["Extra", "Scene", "Show", "find_show", "have_numbers"]


def find_show(game: str) -> Show:
    """The look of that game; a game without one of its own is shown as its view is written."""
    return SHOWS.get(game, plain)
