"""Types of a match of *Split it!*: its options, its state, and the view of a seat."""

from typing import Literal, TypeAlias

import msgspec

from splito_engine.game import Seat
from splito_engine.games.splitit.columns import SplititPlayer
from splito_engine.games.splitit.deck import Card, Cards, SplititZones

Phase: TypeAlias = Literal["split", "remove", "bet", "place", "over"]


class SplititOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The options of a match."""

    remove_at_every_split: bool = False
    """Two players: a zone is removed after every split of a round, not only after the first (I4)."""


class SplititState(msgspec.Struct, frozen=True):
    """The state of a match. Only the order of the pile is hidden."""

    players: int
    options: SplititOptions
    pile: Cards
    """The cards face down, the next one first."""
    table: tuple[SplititPlayer, ...]
    """The cards that each seat has won."""
    round: int = 0
    """Number of the round, from 1; it determines the splitter."""
    phase: Phase = "split"
    row: Cards = ()
    zones: SplititZones = SplititZones()
    """The cards of the row from the split until the bets; empty otherwise."""
    inside: tuple[Seat, ...] = ()
    """Seats that have won nothing in this round yet, and so bet."""
    splits: int = 0
    """Number of splits in this round."""
    standoffs: int = 0
    """Number of times in a row that the bets left two cards unchanged (I7)."""
    discard: Cards = ()

    @property
    def splitter(self) -> Seat:
        return (self.round - 1) % self.players


class SplititView(msgspec.Struct, frozen=True):
    """The match without the order of the pile; seats and spectators see the same."""

    seat: Seat | None
    """The seat whose view this is; null for a spectator."""
    players: int
    """Number of seats."""
    options: SplititOptions
    """Options of the match."""
    round: int
    """Number of the round, from 1."""
    rounds: int
    """Number of rounds of the match: 10, or 8 with four players."""
    splitter: Seat
    """The seat that splits the row in this round."""
    phase: Phase
    """The decision that is due: `split` by the splitter, `remove` by the other of two players, `bet` by the seats in
    `inside`, `place` by seats with a joker and several columns; `over` after the last round.
    """
    row: Cards
    """The cards still in play this round, from left to right: numbers and `J` for a joker."""
    zones: SplititZones
    """The cards of the row from the split until the bets; empty otherwise."""
    inside: tuple[Seat, ...]
    """Seats that have won nothing in this round yet, and so bet."""
    splits: int
    """Number of splits in this round."""
    standoffs: int
    """Number of times in a row that the bets left two cards unchanged; the third time ends the round."""
    table: tuple[SplititPlayer, ...]
    """The cards that each seat has won."""
    discard: Cards
    """The discarded cards, in the order in which they were discarded."""
    pile: int
    """Number of cards that are still face down."""
    unseen: dict[Card, int]
    """The number of each card in the pile, which every player can count."""
