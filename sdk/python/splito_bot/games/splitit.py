"""Split it!: cut a row of cards in three, bet in secret, take the zone that no other player bet on."""

from typing import Literal, TypeAlias

from msgspec import Struct

from splito_bot.game import Game
from splito_bot.messages import Seat

Card: TypeAlias = Literal["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J"]
Cards: TypeAlias = tuple[Card, ...]
Zone: TypeAlias = Literal["white", "pink", "black"]
Phase: TypeAlias = Literal["split", "remove", "bet", "place", "over"]
Counts: TypeAlias = tuple[int, ...]
"""Ten numbers: entry `n - 1` is about the column of the number n."""


class SplititSplit(Struct, frozen=True, tag_field="do", tag="split"):
    """Two dividers: white is `row[:left]`, pink `row[left:right]`, black `row[right:]`."""

    left: int
    right: int


class SplititRemove(Struct, frozen=True, tag_field="do", tag="remove"):
    """Discard a whole zone; for two players only."""

    zone: Zone


class SplititBet(Struct, frozen=True, tag_field="do", tag="bet"):
    zone: Zone


class SplititPlace(Struct, frozen=True, tag_field="do", tag="place"):
    """Put one joker on the own column of that number."""

    column: int


SplititMove: TypeAlias = SplititSplit | SplititRemove | SplititBet | SplititPlace


class SplititOptions(Struct, frozen=True):
    remove_at_every_split: bool = False
    """Two players: a zone is removed after every split of a round, not only after the first."""


class SplititZones(Struct, frozen=True):
    """A row that is split, from left to right. A zone may be empty after a removal or beside a single divider."""

    white: Cards = ()
    pink: Cards = ()
    black: Cards = ()


class SplititPlayer(Struct, frozen=True):
    """The cards one player has won."""

    numbers: Counts = (0,) * 10
    """How many number cards lie in each of the columns 1 to 10."""
    jokers: Counts = (0,) * 10
    """How many jokers lie on each of the columns 1 to 10."""
    waiting: int = 0
    """Jokers that lie on no column yet."""


class SplititView(Struct, frozen=True):
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
    """Seats that have won no zone yet in this round, and so bet."""
    splits: int
    """How often the row of this round has been split."""
    standoffs: int
    """How often running the bets have left a row of two cards as it was; the third time ends the round."""
    table: tuple[SplititPlayer, ...]
    """The cards that each seat has won."""
    discard: Cards
    """Discarded cards, in the order in which they were discarded."""
    pile: int
    """How many cards are still face down."""
    unseen: dict[Card, int]
    """The cards that are face down, as every player can count."""


SPLITIT: Game[SplititOptions, SplititView, SplititMove] = Game("splitit", SplititOptions, SplititView, SplititMove)
