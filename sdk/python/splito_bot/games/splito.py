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
    """How many deals are added up, 1 to 9; three make a good match."""
    talk: bool = False
    """Whether nudges are allowed."""


class SplitoOptions(Struct, frozen=True):
    """As a view shows them: with the deck, which nobody can choose from afar."""

    deals: int = 1
    talk: bool = False
    deck: str = "standard"


class SplitoDeal(Struct, frozen=True):
    """A deal that was played to its end."""

    commons: tuple[Card, ...]
    zones: tuple[tuple[Card, ...], ...]
    scores: tuple[tuple[int, int], ...]


class SplitoSeat(Struct, frozen=True):
    """What is known of a seat: its two zones, and its hand if it has passed through the viewer's."""

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
    """In this deal, of 13; of 26 with two players."""
    commons: tuple[Card, ...]
    zones: tuple[tuple[Card, ...], ...]
    """In the order they were played."""
    seats: tuple[SplitoSeat, ...]
    finished: tuple[SplitoDeal, ...]


SPLITO: Game[SplitoOpenOptions, SplitoView, SplitoMove] = Game(
    "splito", SplitoOpenOptions, SplitoView, SplitoMove, SplitoOptions
)
