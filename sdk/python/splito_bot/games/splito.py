"""Splito: left zone times right zone."""

from typing import Literal, TypeAlias

from msgspec import Struct

from splito_bot.game import Game
from splito_bot.messages import Seat

Card: TypeAlias = str
"""`r4` is the red 4, `moon-red` an Objective; `Client.cards` has a text for each."""
Side: TypeAlias = Literal["left", "right"]


class SplitoMove(Struct, frozen=True):
    card: Card
    side: Side


class SplitoOpenOptions(Struct, frozen=True):
    deals: int = 1
    """The number of deals whose scores are added up, 1 to 9; three make a good match."""
    talk: bool = False
    """True if nudges are allowed."""


class SplitoOptions(Struct, frozen=True):
    """All options of a match, with the deck, which cannot be chosen over HTTP."""

    deals: int = 1
    talk: bool = False
    deck: str = "standard"


class SplitoDeal(Struct, frozen=True):
    """A deal that was played to its end."""

    commons: tuple[Card, ...]
    zones: tuple[tuple[Card, ...], ...]
    scores: tuple[tuple[int, int], ...]


class SplitoSeat(Struct, frozen=True):
    """A seat as the viewer knows it: its two zones, and its hand if the viewer has held that hand before."""

    left: int
    right: int
    hand_size: int
    hand: tuple[Card, ...] | None


class SplitoView(Struct, frozen=True):
    seat: Seat | None
    players: int
    options: SplitoOptions
    deal: int
    """Counted from 0."""
    rounds_played: int
    """Rounds played in this deal, of 13; of 26 with two players."""
    commons: tuple[Card, ...]
    zones: tuple[tuple[Card, ...], ...]
    """Cards of each zone, in the order in which they were played."""
    seats: tuple[SplitoSeat, ...]
    finished: tuple[SplitoDeal, ...]


SPLITO: Game[SplitoOpenOptions, SplitoView, SplitoMove] = Game(
    "splito", SplitoOpenOptions, SplitoView, SplitoMove, SplitoOptions
)
