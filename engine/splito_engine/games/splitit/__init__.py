"""*Split it!* by Igor Ganzha: players cut a row of cards in three and bet in secret; a lone bet on a zone wins it."""

from splito_engine.game import all_as_they_are as to_wire
from splito_engine.game import silent as nudges
from splito_engine.games.splitit.columns import SplititPlayer
from splito_engine.games.splitit.deck import Card, SplititZones, Zone
from splito_engine.games.splitit.explanation import cards, explain, rulebook
from splito_engine.games.splitit.move import (
    SplititBet,
    SplititMove,
    SplititPlace,
    SplititRemove,
    SplititSplit,
    from_wire,
    move_text,
    parse_move,
)
from splito_engine.games.splitit.rules import INFO, actors, apply, imagine, moves, pieces, scores, setup, view
from splito_engine.games.splitit.state import SplititOptions, SplititState, SplititView

Options = SplititOptions
OpenOptions = SplititOptions
State = SplititState
Move = SplititMove
View = SplititView

__all__ = [
    "INFO",
    "Card",
    "Move",
    "OpenOptions",
    "Options",
    "SplititBet",
    "SplititMove",
    "SplititOptions",
    "SplititPlace",
    "SplititPlayer",
    "SplititRemove",
    "SplititSplit",
    "SplititState",
    "SplititView",
    "SplititZones",
    "State",
    "View",
    "Zone",
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
    "to_wire",
    "view",
]
