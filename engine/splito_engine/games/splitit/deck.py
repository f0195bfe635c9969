"""The seventy cards of *Split it!* and the three zones a row of them is cut into (I1, I3)."""

from typing import Literal, TypeAlias, get_args

import msgspec

Card: TypeAlias = Literal["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J"]
Cards: TypeAlias = tuple[Card, ...]
Zone: TypeAlias = Literal["white", "pink", "black"]

KINDS: Cards = get_args(Card)
JOKER: Card = "J"
NUMBERS = range(1, 11)
DECK: Cards = tuple(kind for kind in KINDS for _ in range(15 if kind == JOKER else int(kind)))

ZONES: tuple[Zone, ...] = get_args(Zone)


class SplititZones(msgspec.Struct, frozen=True):
    """The three zones of a split row, from left to right. A zone may be empty after a removal or beside one divider."""

    white: Cards = ()
    """The cards on the left."""
    pink: Cards = ()
    """The cards in the middle."""
    black: Cards = ()
    """The cards on the right."""


def cut(row: Cards, left: int, right: int) -> SplititZones:
    """Return the zones of a row with dividers before the cards `left` and `right`."""
    return SplititZones(row[:left], row[left:right], row[right:])


def cards_in(zones: SplititZones, zone: Zone) -> Cards:
    """Return the cards of a zone."""
    return getattr(zones, zone)


def filled(zones: SplititZones) -> tuple[Zone, ...]:
    """Return the zones that hold cards; only these can be removed or bet on."""
    return tuple(zone for zone in ZONES if cards_in(zones, zone))
