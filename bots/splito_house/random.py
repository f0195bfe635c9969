"""Any legal move, each as likely as the others."""

from random import Random
from typing import Any

from splito_engine.player import Ask


def choose(ask: Ask) -> Any:
    return Random(ask.seed).choice(ask.moves)
