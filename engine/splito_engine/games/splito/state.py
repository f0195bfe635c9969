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
    zones: tuple[tuple[Card, ...], ...]
    scores: tuple[tuple[int, int], ...]


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
    right: int
    hand_size: int
    hand: tuple[Card, ...] | None


class SplitoView(msgspec.Struct, frozen=True, gc=False):
    """The match as one seat may know it."""

    seat: Seat | None
    players: int
    options: SplitoOptions
    deal: int
    """Number of the deal, from 0."""
    rounds_played: int
    """Rounds played in this deal, of 13; of 26 with two players."""
    commons: tuple[Card, ...]
    zones: tuple[tuple[Card, ...], ...]
    """Per zone its cards, in the order in which they were played."""
    seats: tuple[SplitoSeat, ...]
    finished: tuple[SplitoDeal, ...]
