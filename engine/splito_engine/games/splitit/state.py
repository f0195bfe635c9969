"""What a match of *Split it!* is made of at any moment, and what of it is seen."""

from typing import Literal, TypeAlias

import msgspec

from splito_engine.game import Seat
from splito_engine.games.splitit.columns import SplititPlayer
from splito_engine.games.splitit.deck import Card, Cards, SplititZones

Phase: TypeAlias = Literal["split", "remove", "bet", "place", "over"]


class SplititOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    remove_at_every_split: bool = False
    """Two players: a zone is removed after every split of a round, not only after the first (I4)."""


class SplititState(msgspec.Struct, frozen=True):
    players: int
    options: SplititOptions
    pile: Cards
    """Face down, the next card first: all that is hidden."""
    table: tuple[SplititPlayer, ...]
    """What each seat has won."""
    round: int = 0
    """From 1; the splitter follows from it."""
    phase: Phase = "split"
    row: Cards = ()
    zones: SplititZones = SplititZones()
    """The same cards as the row from the split to the bets, empty otherwise."""
    inside: tuple[Seat, ...] = ()
    """Who has won nothing yet in this round, and so bets."""
    splits: int = 0
    """How often the row of this round has been split."""
    standoffs: int = 0
    """How often running the bets have left a row of two cards as it was (I7)."""
    discard: Cards = ()

    @property
    def splitter(self) -> Seat:
        return (self.round - 1) % self.players


class SplititView(msgspec.Struct, frozen=True):
    """Everything but the order of the pile; seats and spectators see the same."""

    seat: Seat | None
    players: int
    options: SplititOptions
    round: int
    """From 1."""
    rounds: int
    splitter: Seat
    phase: Phase
    row: Cards
    """The cards still in play this round, from left to right."""
    zones: SplititZones
    """The same cards as the row from the split to the bets, empty otherwise."""
    inside: tuple[Seat, ...]
    """Who has won nothing yet in this round, and so bets."""
    splits: int
    """How often the row of this round has been split."""
    standoffs: int
    """How often running the bets have left a row of two cards as it was; the third time ends the round."""
    table: tuple[SplititPlayer, ...]
    """What each seat has won."""
    discard: Cards
    """In the order in which the cards were discarded."""
    pile: int
    """How many cards are still face down."""
    unseen: dict[Card, int]
    """Which cards these are, as everybody can count."""
