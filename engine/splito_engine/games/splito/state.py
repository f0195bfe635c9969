"""Types of a match of Splito: its options, its state, and the view of a seat."""

from typing import Annotated

import msgspec
from msgspec import Meta

from splito_engine.game import Seat
from splito_engine.games.splito.deck import STANDARD, Card, Code, pin


class _Choices(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Fields of both kinds of options. Neither kind is a subclass of the other, so no deck passes as an open option."""

    deals: Annotated[int, Meta(ge=1, le=9)] = 1
    """Number of deals that are added up; three make a good match (S18)."""
    talk: bool = False
    """True if nudges are allowed (S20)."""


class SplitoOpenOptions(_Choices, frozen=True):
    """Options for clients on the network. There is no `deck`, because it would open a file on the arena's machine."""


class SplitoOptions(_Choices, frozen=True):
    """All options of a match."""

    deck: str = STANDARD
    """`standard`, or a deck file of your own: path/to/deck.toml."""

    def __post_init__(self) -> None:
        """Pin the content of a deck file, so that the record says which cards were played."""
        msgspec.structs.force_setattr(self, "deck", pin(self.deck))


class SplitoPack(msgspec.Struct, frozen=True, gc=False):
    """Hands still to be dealt. A pack with commons begins a new deal; one without goes on in the same zones (S19)."""

    hands: tuple[bytes, ...]
    doubles: tuple[bytes, ...]
    commons: tuple[Code, ...] = ()


class SplitoDeal(msgspec.Struct, frozen=True):
    """A finished deal."""

    commons: tuple[Card, ...]
    """The two common Objectives of the deal: a star, then a moon."""
    zones: tuple[tuple[Card, ...], ...]
    """Per zone its cards, in the order in which they were played."""
    scores: tuple[tuple[int, int], ...]
    """Per seat the points of the deal, and the number of cards in its two zones as a negative number (S15, S16)."""


class SplitoState(msgspec.Struct, frozen=True, gc=False):
    """The state of a match: commons, hands, zones, hands to come and finished deals."""

    options: SplitoOptions
    commons: tuple[Code, ...]
    hands: tuple[bytes, ...]
    """Per seat its moves, two for each different card, in the order of the cards."""
    doubles: tuple[bytes, ...]
    """Per seat the second copies of cards, in the same form: they are in the hand, but add no moves."""
    zones: tuple[bytes, ...]
    """Per zone the codes of its cards, in the order in which they were played."""
    packs: tuple[SplitoPack, ...]
    finished: tuple[SplitoDeal, ...]


class SplitoSeat(msgspec.Struct, frozen=True, gc=False):
    """A seat as a viewer knows it: its two zones, and its hand if the viewer has held it (S10)."""

    left: int
    """Index in `zones` of the seat's left zone. With three or more players it is the left neighbour's right zone."""
    right: int
    """Index in `zones` of the seat's right zone. The seat scores its left zone times its right zone (S15)."""
    hand_size: int
    """Number of cards in the seat's hand."""
    hand: tuple[Card, ...] | None
    """The cards in the seat's hand, sorted; null if the viewer has never held this hand. Hands move to the left
    neighbour after each round, so the viewer knows the hands that it has passed on (S10).
    """


class SplitoView(msgspec.Struct, frozen=True, gc=False):
    """The match as one seat may know it. The hands that it has not held and the undealt cards are hidden."""

    seat: Seat | None
    """The seat whose view this is; null for a spectator."""
    players: int
    """Number of seats."""
    options: SplitoOptions
    """Options of the match."""
    deal: int
    """Number of the deal, from 0."""
    rounds_played: int
    """Rounds played in this deal, of 13; of 26 with two players."""
    commons: tuple[Card, ...]
    """The two common Objectives: a star, then a moon. After the deal each goes to the zone with strictly the most cards
    of its value or colour (S12).
    """
    zones: tuple[tuple[Card, ...], ...]
    """Per zone its cards, in the order in which they were played. Zone n lies between the seats n and n + 1; with two
    players, zones 0 and 1 belong to seat 0, zones 2 and 3 to seat 1.
    """
    seats: tuple[SplitoSeat, ...]
    """Per seat its two zones, and its hand if the viewer has held it."""
    finished: tuple[SplitoDeal, ...]
    """The deals of this match that are over; their scores count towards the total."""
