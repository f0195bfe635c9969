"""Split it!: cut a row of cards in three, bet in secret, take the zone that no other player bet on."""

from typing import TypeAlias

from splito_bot.game import Game
from splito_bot.schemas.splitit import (
    Card,
    Phase,
    SplititBet,
    SplititMove,
    SplititOptions,
    SplititPlace,
    SplititPlayer,
    SplititRemove,
    SplititSplit,
    SplititView,
    SplititZones,
    Zone,
)

__all__ = [
    "SPLITIT",
    "Card",
    "Cards",
    "Counts",
    "Phase",
    "SplititBet",
    "SplititMove",
    "SplititOptions",
    "SplititPlace",
    "SplititPlayer",
    "SplititRemove",
    "SplititSplit",
    "SplititView",
    "SplititZones",
    "Zone",
]

Cards: TypeAlias = tuple[Card, ...]
Counts: TypeAlias = tuple[int, ...]
"""Ten numbers: entry `n - 1` is about the column of the number n."""

SPLITIT: Game[SplititOptions, SplititView, SplititMove] = Game("splitit", SplititOptions, SplititView, SplititMove)
