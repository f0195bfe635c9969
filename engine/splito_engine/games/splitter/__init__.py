"""Splitter, by Stefan Nikolic: everybody writes the same dice, mirrored, and hopes for groups of the right size.

This page is the game as `splito_engine.game.Game` has it. Start reading in rules.py; the sheets are drawn in sheets.py.
There are no cards to list: views and moves hold the numbers of the dice, and a number needs no text.
"""

from splito_engine.game import all_as_they_are as to_wire
from splito_engine.game import no_cards as cards
from splito_engine.game import silent as nudges
from splito_engine.games.splitter.explanation import explain, rulebook, solo_title
from splito_engine.games.splitter.rules import (
    INFO,
    SplitterMove,
    SplitterOptions,
    SplitterState,
    SplitterView,
    actors,
    apply,
    from_wire,
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
OpenOptions = SplitterOptions
State = SplitterState
Move = SplitterMove
View = SplitterView

__all__ = [
    "INFO",
    "Move",
    "OpenOptions",
    "Options",
    "SplitterMove",
    "SplitterOptions",
    "SplitterState",
    "SplitterView",
    "State",
    "View",
    "actors",
    "apply",
    "cards",
    "explain",
    "from_wire",
    "imagine",
    "move_text",
    "moves",
    "nudges",
    "parse_move",
    "pieces",
    "rulebook",
    "scores",
    "setup",
    "solo_title",
    "to_wire",
    "view",
]
