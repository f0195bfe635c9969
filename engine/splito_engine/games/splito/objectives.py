"""The requirements of Objectives (S4): each is a table in the deck file and a check of a zone.

The Splito cards of a zone are a row of signs, a letter per colour and a digit per value: `rkr241` for red 2, black 4,
red 1. A zone holds as many cards of a colour or value as its row has that sign.
"""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

Sign: TypeAlias = Annotated[str, Meta(pattern="^[a-z1-9]$")]
Count: TypeAlias = Annotated[int, Meta(ge=0, le=120)]

SIGNS = {"colours": "abcdefghijklmnopqrstuvwxyz", "values": "123456789"}


class Zone(msgspec.Struct, eq=False):
    """The facts of a zone that requirements check: the signs of its Splito cards and the number of all cards (S14)."""

    signs: str
    cards: int


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all tables of a deck file; a misspelt key is an error."""


class Most(Part, frozen=True, tag_field="kind", tag="most"):
    """Majority: strictly more than every other zone. No zone meets it if zones are tied, 0-0 included (S12)."""

    of: Sign

    def met(self, zone: Zone, zones: Sequence[Zone]) -> bool:
        mine = zone.signs.count(self.of)
        for other in zones:  # noqa: SIM110 (scoring a deal is mostly this loop, and `all` takes twice as long)
            if other is not zone and other.signs.count(self.of) >= mine:
                return False
        return True


class Exactly(Part, frozen=True, tag_field="kind", tag="exactly"):
    """Exactly that many cards of a colour or value."""

    count: Count
    of: Sign

    def met(self, zone: Zone, _: Sequence[Zone]) -> bool:
        return zone.signs.count(self.of) == self.count


class Each(Part, frozen=True, tag_field="kind", tag="each"):
    """At least one card of each; other cards are allowed."""

    of: Annotated[tuple[Sign, ...], Meta(min_length=1)]

    def met(self, zone: Zone, _: Sequence[Zone]) -> bool:
        return all(sign in zone.signs for sign in self.of)


class Different(Part, frozen=True, tag_field="kind", tag="different"):
    """Exactly that many different colours or values, any number of each."""

    count: Count
    of: Literal["colours", "values"]

    def held(self, zone: Zone) -> int:
        return len({*zone.signs}.intersection(SIGNS[self.of]))

    def met(self, zone: Zone, _: Sequence[Zone]) -> bool:
        return self.held(zone) == self.count


class Cards(Part, frozen=True, tag_field="kind", tag="cards"):
    """Quantity: a number of cards, Objectives and commons included (S14)."""

    at_least: Count = 0
    at_most: Count = 120

    @property
    def is_empty(self) -> bool:
        return self.at_least > self.at_most

    def met(self, zone: Zone, _: Sequence[Zone]) -> bool:
        return self.at_least <= zone.cards <= self.at_most


Need: TypeAlias = Most | Exactly | Each | Different | Cards
