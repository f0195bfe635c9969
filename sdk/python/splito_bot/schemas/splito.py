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
    right: int
    hand_size: int
    hand: tuple[str, ...] | None


class SplitoDeal(Struct, frozen=True):
    """A finished deal."""

    commons: tuple[str, ...]
    zones: tuple[tuple[str, ...], ...]
    scores: tuple[tuple[int, int], ...]


class SplitoView(Struct, frozen=True, kw_only=True):
    """The match as one seat may know it."""

    seat: int | None
    players: int
    options: SplitoOptions
    deal: int
    """Number of the deal, from 0."""
    rounds_played: int
    """Rounds played in this deal, of 13; of 26 with two players."""
    commons: tuple[str, ...]
    zones: tuple[tuple[str, ...], ...]
    """Per zone its cards, in the order in which they were played."""
    seats: tuple[SplitoSeat, ...]
    finished: tuple[SplitoDeal, ...]


class SplitoMove(Struct, frozen=True):
    """A card of the hand, and the side to which it goes."""

    card: str
    side: Side
