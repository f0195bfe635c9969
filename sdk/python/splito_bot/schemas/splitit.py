"""Options, views and moves of the game `splitit`.

Generated from the documents in openapi/ by `make contract`; do not edit.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

Card: TypeAlias = Literal["1", "10", "2", "3", "4", "5", "6", "7", "8", "9", "J"]

Zone: TypeAlias = Literal["black", "pink", "white"]

Phase: TypeAlias = Literal["bet", "over", "place", "remove", "split"]


class SplititOptions(Struct, frozen=True):
    """The options of a match."""

    remove_at_every_split: bool = False
    """Two players: a zone is removed after every split of a round, not only after the first (I4)."""


class SplititZones(Struct, frozen=True):
    """The three zones of a split row, from left to right. A zone may be empty after a removal or beside one divider."""

    white: tuple[Card, ...] = ()
    """The cards on the left."""
    pink: tuple[Card, ...] = ()
    """The cards in the middle."""
    black: tuple[Card, ...] = ()
    """The cards on the right."""


class SplititPlayer(Struct, frozen=True):
    """The cards one player has won. In the end the longest column of a number, jokers included, scores the number."""

    numbers: tuple[int, ...] = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    """Number cards in each of the columns 1 to 10."""
    jokers: tuple[int, ...] = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    """Jokers on each of the columns 1 to 10."""
    waiting: int = 0
    """Jokers that lie on no column yet."""


class SplititView(Struct, frozen=True, kw_only=True):
    """The match without the order of the pile; seats and spectators see the same."""

    seat: int | None
    """The seat whose view this is; None for a spectator."""
    players: int
    """Number of seats."""
    options: SplititOptions
    """Options of the match."""
    round: int
    """Number of the round, from 1."""
    rounds: int
    """Number of rounds of the match: 10, or 8 with four players."""
    splitter: int
    """The seat that splits the row in this round."""
    phase: Phase
    """The decision that is due: `split` by the splitter, `remove` by the other of two players, `bet` by the seats in
    `inside`, `place` by seats with a joker and several columns; `over` after the last round.
    """
    row: tuple[Card, ...]
    """The cards still in play this round, from left to right: numbers and `J` for a joker."""
    zones: SplititZones
    """The cards of the row from the split until the bets; empty otherwise."""
    inside: tuple[int, ...]
    """Seats that have won nothing in this round yet, and so bet."""
    splits: int
    """Number of splits in this round."""
    standoffs: int
    """Number of times in a row that the bets left two cards unchanged; the third time ends the round."""
    table: tuple[SplititPlayer, ...]
    """The cards that each seat has won."""
    discard: tuple[Card, ...]
    """The discarded cards, in the order in which they were discarded."""
    pile: int
    """Number of cards that are still face down."""
    unseen: dict[str, int]
    """The number of each card in the pile, which every player can count."""


class SplititSplit(Struct, frozen=True, tag_field="do", tag="split"):
    """Two dividers: white is `row[:left]`, pink `row[left:right]`, black `row[right:]`."""

    left: int
    """Number of cards before the first divider: the size of the white zone."""
    right: int
    """Number of cards before the second divider: the white and the pink zone together."""


class SplititRemove(Struct, frozen=True, tag_field="do", tag="remove"):
    """Discard a whole zone; for two players only."""

    zone: Zone
    """The zone whose cards are discarded."""


class SplititBet(Struct, frozen=True, tag_field="do", tag="bet"):
    """Bet on a zone. The only seat that bets on a zone wins its cards; a zone with several bets goes to no seat."""

    zone: Zone
    """The zone that the seat bets on. It must hold cards."""


class SplititPlace(Struct, frozen=True, tag_field="do", tag="place"):
    """Put one joker on the player's column of that number."""

    column: int
    """Number of the column, from 1 to 10. The seat must have a number card in it."""


SplititMove: TypeAlias = SplititSplit | SplititRemove | SplititBet | SplititPlace
