"""Splito: left zone times right zone."""

from typing import TypeAlias

from splito_bot.game import Game
from splito_bot.schemas.splito import (
    Side,
    SplitoDeal,
    SplitoMove,
    SplitoOpenOptions,
    SplitoOptions,
    SplitoSeat,
    SplitoView,
)

__all__ = [
    "SPLITO",
    "Card",
    "Side",
    "SplitoDeal",
    "SplitoMove",
    "SplitoOpenOptions",
    "SplitoOptions",
    "SplitoSeat",
    "SplitoView",
]

Card: TypeAlias = str
"""`r4` is the red 4, `moon-red` an Objective; `Client.cards` has a text for each."""

SPLITO: Game[SplitoOpenOptions, SplitoView, SplitoMove] = Game(
    "splito", SplitoOpenOptions, SplitoView, SplitoMove, SplitoOptions
)
