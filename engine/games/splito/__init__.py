"""Splito: left zone times right zone. The rules are in `rules.py`, the cards in `cards.toml`."""

from engine.games.splito.explanation import explain, rulebook
from engine.games.splito.rules import (
    INFO,
    actors,
    apply,
    from_wire,
    imagine,
    move_text,
    moves,
    nudges,
    parse_move,
    pieces,
    scores,
    setup,
    to_wire,
    view,
)
from engine.games.splito.rules import SplitoMove as Move
from engine.games.splito.rules import SplitoOptions as Options
from engine.games.splito.rules import SplitoState as State
from engine.games.splito.rules import SplitoView as View

__all__ = [
    "INFO",
    "Move",
    "Options",
    "State",
    "View",
    "actors",
    "apply",
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
