"""Splito, a card game in which a seat scores its left zone times its right zone.

The rules are in `rules.py`, the cards in `cards.toml`.
"""

from splito_engine.games.splito.explanation import cards, explain, rulebook, shared
from splito_engine.games.splito.move import SplitoMove as Move
from splito_engine.games.splito.move import from_wire, move_text, parse_move, to_wire
from splito_engine.games.splito.rules import INFO, actors, apply, imagine, moves, nudges, pieces, scores, setup, view
from splito_engine.games.splito.state import SplitoOpenOptions as OpenOptions
from splito_engine.games.splito.state import SplitoOptions as Options
from splito_engine.games.splito.state import SplitoState as State
from splito_engine.games.splito.state import SplitoView as View

__all__ = [
    "INFO",
    "Move",
    "OpenOptions",
    "Options",
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
    "shared",
    "to_wire",
    "view",
]
