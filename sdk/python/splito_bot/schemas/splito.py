"""Options, views and moves of the game `splito`.

Generated from the documents in openapi/ by `make contract`; do not edit.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

Side: TypeAlias = Literal["left", "right"]


class SplitoOpenOptions(Struct, frozen=True):
    """Options for clients on the network. There is no `deck`, because it would open a file on the arena's machine."""

    deals: int = 1
    """Number of deals that are added up; three make a good match (S18)."""
    talk: bool = False
    """True if nudges are allowed (S20)."""


class SplitoOptions(Struct, frozen=True):
    """All options of a match."""

    deals: int = 1
    """Number of deals that are added up; three make a good match (S18)."""
    talk: bool = False
    """True if nudges are allowed (S20)."""
    deck: str = "standard"
    """`standard`, or a deck file of your own: path/to/deck.toml."""


class SplitoSeat(Struct, frozen=True):
    """A seat as a viewer knows it: its two zones, and its hand if the viewer has held it (S10)."""

    left: int
    """Index in `zones` of the seat's left zone. With three or more players it is the left neighbour's right zone."""
    right: int
    """Index in `zones` of the seat's right zone. The seat scores its left zone times its right zone (S15)."""
    hand_size: int
    """Number of cards in the seat's hand."""
    hand: tuple[str, ...] | None
    """The cards in the seat's hand, sorted; None if the viewer has never held this hand. Hands move to the left
    neighbour after each round, so the viewer knows the hands that it has passed on (S10).
    """


class SplitoDeal(Struct, frozen=True):
    """A finished deal."""

    commons: tuple[str, ...]
    """The two common Objectives of the deal: a star, then a moon."""
    zones: tuple[tuple[str, ...], ...]
    """Per zone its cards, in the order in which they were played."""
    scores: tuple[tuple[int, int], ...]
    """Per seat the points of the deal, and the number of cards in its two zones as a negative number (S15, S16)."""


class SplitoView(Struct, frozen=True, kw_only=True):
    """The match as one seat may know it. The hands that it has not held and the undealt cards are hidden."""

    seat: int | None
    """The seat whose view this is; None for a spectator."""
    players: int
    """Number of seats."""
    options: SplitoOptions
    """Options of the match."""
    deal: int
    """Number of the deal, from 0."""
    rounds_played: int
    """Rounds played in this deal, of 13; of 26 with two players."""
    commons: tuple[str, ...]
    """The two common Objectives: a star, then a moon. After the deal each goes to the zone with strictly the most cards
    of its value or colour (S12).
    """
    zones: tuple[tuple[str, ...], ...]
    """Per zone its cards, in the order in which they were played. Zone n lies between the seats n and n + 1; with two
    players, zones 0 and 1 belong to seat 0, zones 2 and 3 to seat 1.
    """
    seats: tuple[SplitoSeat, ...]
    """Per seat its two zones, and its hand if the viewer has held it."""
    finished: tuple[SplitoDeal, ...]
    """The deals of this match that are over; their scores count towards the total."""


class SplitoMove(Struct, frozen=True):
    """A card of the hand, and the side to which it goes."""

    card: str
    """Name of a card of the seat's hand: a colour letter and a value as in `r4`, or an Objective as in `moon-red`."""
    side: Side
    """Zone of the seat that the card goes to: its `left` or its `right` zone."""
