"""Splitter, by Stefan Nikolic: all players write the same dice into mirrored cells and score groups of the right size.

This module has the names of `splito_engine.game.Game`. Start reading in rules.py; the sheets are in sheets.py. The game
has no cards to list: views and moves hold the numbers of the dice, which need no text.
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
