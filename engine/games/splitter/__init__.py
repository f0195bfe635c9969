"""Splitter, by Stefan Nikolic: everybody writes the same dice, mirrored, and hopes for groups of the right size.

This page is the game as `engine.game.Game` has it. Start reading in rules.py; the sheets are drawn in sheets.py.
"""

from engine.game import silent as nudges
from engine.games.splitter.explain import explain, rules, solo_title
from engine.games.splitter.rules import (
    INFO,
    SplitterMove,
    SplitterOptions,
    SplitterState,
    SplitterView,
    actors,
    apply,
    imagine,
    move_text,
    moves,
    parse_move,
    pieces,
    scores,
    setup,
    view,
)

Options = SplitterOptions
State = SplitterState
Move = SplitterMove
View = SplitterView

__all__ = [
    "INFO",
    "Move",
    "Options",
    "SplitterMove",
    "SplitterOptions",
    "SplitterState",
    "SplitterView",
    "State",
    "View",
    "actors",
    "apply",
    "explain",
    "imagine",
    "move_text",
    "moves",
    "nudges",
    "parse_move",
    "pieces",
    "rules",
    "scores",
    "setup",
    "solo_title",
    "view",
]
