"""Splitter: all players write the same dice, mirrored, to form groups of the right size."""

from splito_bot.game import Game
from splito_bot.schemas.splitter import (
    SplitterMove,
    SplitterOptions,
    SplitterView,
)

__all__ = [
    "SPLITTER",
    "SplitterMove",
    "SplitterOptions",
    "SplitterView",
]

SPLITTER: Game[SplitterOptions, SplitterView, SplitterMove] = Game(
    "splitter", SplitterOptions, SplitterView, SplitterMove
)
