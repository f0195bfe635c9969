"""A bot for any game that chooses each legal move with the same chance."""

from random import Random
from typing import Any

from splito_engine.player import Ask


def choose(ask: Ask) -> Any:
    """Return a random legal move."""
    return Random(ask.seed).choice(ask.moves)
