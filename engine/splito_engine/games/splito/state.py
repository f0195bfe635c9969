"""What a match of Splito is made of: its options, the table as it is, and the table as a seat sees it."""

from typing import Annotated

import msgspec
from msgspec import Meta

from splito_engine.game import Seat
from splito_engine.games.splito.deck import STANDARD, Card, Code, pin


class _Choices(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What both kinds of options have. Neither is a subclass of the other, so no deck passes as an open option."""

    deals: Annotated[int, Meta(ge=1, le=9)] = 1
    """How many deals are added up; three make a good match (S18)."""
    talk: bool = False
    """Whether nudges are allowed (S20)."""


class SplitoOpenOptions(_Choices, frozen=True):
    """What anybody may choose. There is no `deck`: to name a file is to open it on the machine that runs the match."""


class SplitoOptions(_Choices, frozen=True):
    deck: str = STANDARD
    """`standard`, or a deck file of your own: path/to/deck.toml."""

    def __post_init__(self) -> None:
        """Pin the content of a deck file, so that the record says which cards were played."""
        msgspec.structs.force_setattr(self, "deck", pin(self.deck))


class SplitoPack(msgspec.Struct, frozen=True, gc=False):
    """Hands still to be dealt. With commons it opens a new deal, without it goes on in the same zones (S19)."""

    hands: tuple[bytes, ...]
    doubles: tuple[bytes, ...]
    commons: tuple[Code, ...] = ()


class SplitoDeal(msgspec.Struct, frozen=True):
    """A deal that was played to its end."""

    commons: tuple[Card, ...]
    zones: tuple[tuple[Card, ...], ...]
    scores: tuple[tuple[int, int], ...]


class SplitoState(msgspec.Struct, frozen=True, gc=False):
    options: SplitoOptions
    commons: tuple[Code, ...]
    hands: tuple[bytes, ...]
    """Per seat the moves it has, two for each different card, in the order of the cards."""
    doubles: tuple[bytes, ...]
    """Per seat the second copies, in the same form: they are in the hand, but add no moves."""
    zones: tuple[bytes, ...]
    """Card codes, in the order they were played."""
    packs: tuple[SplitoPack, ...]
    finished: tuple[SplitoDeal, ...]


class SplitoSeat(msgspec.Struct, frozen=True, gc=False):
    """What is known of a seat: its two zones, and its hand if it has passed through the viewer's (S10)."""

    left: int
    right: int
    hand_size: int
    hand: tuple[Card, ...] | None


class SplitoView(msgspec.Struct, frozen=True, gc=False):
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
