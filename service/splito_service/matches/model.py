"""What is kept of a match: what was dealt, who sits where, how far it is, and what is left of the clocks."""

import zlib
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

from splito_arena.faults import FaultNote
from splito_engine.game import Seat
from splito_engine.match import Match
from splito_engine.player import Cost
from splito_engine.record import Record, commitment, decode, encode, record_of, replay
from splito_engine.registry import find_game
from splito_service.ids import Milliseconds

Kind: TypeAlias = Literal["person", "bot", "open"]
Status: TypeAlias = Literal["open", "running", "over"]

NOT_BEGUN = -1
"""The number of the turn as long as seats are open."""
WEEK = 7 * 24 * 3600

Seconds: TypeAlias = Annotated[int, Meta(ge=1, le=WEEK)]


class NoClock(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="off"):
    """Everybody thinks for as long as they like."""


class TurnClock(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="turn"):
    """So many seconds for each turn."""

    seconds: Seconds


class BankClock(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="bank"):
    """So many seconds for the whole match, for each seat."""

    seconds: Seconds


Clock: TypeAlias = NoClock | TurnClock | BankClock


class Sitter(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who sits at a seat. A person who left during the match has left the name to a bot."""

    kind: Kind
    name: str = ""
    bot: str = ""


OPEN = Sitter("open")


class Account(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a match keeps of a registered bot at one of its seats."""

    bank_ms: int
    """Left for the rest of the match."""
    last: Cost | None = None
    """Of its last turn."""
    faults: tuple[FaultNote, ...] = ()
    replaced: bool = False
    """Whether somebody of the house plays on."""


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """How a match is to be played."""

    options: Any = None
    """Of the game: a Struct or a mapping."""
    clock: Clock = NoClock()
    listed: bool = True
    """Whether everybody finds it in the list."""
    seed: str | None = None


class Creator(msgspec.Struct, frozen=True):
    """The client that creates a match, and how many matches among bots alone it may have running; 0 for any number."""

    client: str = ""
    most_bot_matches: int = 0


class Decision(msgspec.Struct, frozen=True):
    """What a seat does in a turn."""

    turn: int
    seat: Seat
    move: Any
    nudge: str | None = None
    sitting: int | None = None
    """In which sitting. In none, it is the server that decides for the seat, and no clock matters."""
    account: Account | None = None
    """Of the registered bot that decides: kept together with its move."""


class Deal(msgspec.Struct, frozen=True):
    """What never changes about a match."""

    game: str
    version: str
    players: int
    seed: str
    salt: str
    options: dict[str, Any]
    clock: Clock = NoClock()
    listed: bool = True

    @property
    def commitment(self) -> str:
        return commitment(self.seed, self.salt)


class StoredMatch(msgspec.Struct, frozen=True, eq=False):
    """A match as this process last saw it. Compared by identity, so that what is made of it can be remembered."""

    id: str
    deal: Deal
    match: Match
    sitters: tuple[Sitter, ...]
    change: int
    """Counts everything that happens to the match."""
    sittings: tuple[int, ...] = ()
    """Which sitting each seat is in: tokens of earlier ones are void. 0 for a bot, -1 for an open seat."""
    begun: bool = True
    sealed: frozenset[Seat] = frozenset()
    """Who has decided in the turn that goes on; what, nobody is told."""
    began: Milliseconds = 0
    """When the turn did."""
    banks: tuple[Milliseconds, ...] = ()
    """What is left for each seat when the turn began, less what those who have sealed took."""
    client: str = ""
    """The key of the client that created the match, for fair scheduling. It is shown to nobody, and not archived."""
    accounts: Mapping[Seat, Account] = {}
    """Of registered bots that have decided at least once. Nothing is left of them when the match is archived."""

    @property
    def over(self) -> bool:
        return self.match.over

    @property
    def status(self) -> Status:
        return "over" if self.over else "running" if self.begun else "open"

    @property
    def turn(self) -> int:
        """The turn that goes on: as many have been revealed."""
        return len(self.match.turns) if self.begun else NOT_BEGUN

    @property
    def awaited(self) -> tuple[Seat, ...]:
        """Who has still to decide in this turn."""
        return tuple(seat for seat in self.match.actors if seat not in self.sealed) if self.begun else ()

    def admits(self, seat: Seat, sitting: int | None) -> bool:
        """True if that sitting has the seat now, if the server itself decides (None), or if the match is over.

        When the match is over nothing of it is hidden, and nothing can be changed.
        """
        return sitting is None or self.sittings[seat : seat + 1] == (sitting,) or self.over

    @property
    def has_bots(self) -> bool:
        return 0 in self.sittings

    @property
    def has_people(self) -> bool:
        """True if a person sits at the table."""
        return any(sitter.kind == "person" for sitter in self.sitters)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(sitter.name for sitter in self.sitters)

    def deadline(self, seat: Seat) -> Milliseconds | None:
        """When the default move will be sealed for this seat, if it has still to decide."""
        if seat not in self.awaited:
            return None
        match self.deal.clock:
            case TurnClock(seconds):
                return self.began + 1000 * seconds
            case BankClock():
                return self.began + self.banks[seat]
            case NoClock():
                return None

    def record(self) -> Record:
        return record_of(self.match, self.names, self.deal.salt)


class Archived(msgspec.Struct, frozen=True):
    """A match that is over."""

    record: msgspec.Raw
    sitters: tuple[Sitter, ...]
    clock: Clock
    listed: bool
    sittings: tuple[int, ...] = ()
    """Of each seat at the end, by which a deletion tells the last player from an earlier one."""


def pack(kept: StoredMatch) -> bytes:
    archived = Archived(
        msgspec.Raw(encode(kept.record())), kept.sitters, kept.deal.clock, kept.deal.listed, kept.sittings
    )
    return zlib.compress(msgspec.json.encode(archived), 9)


def unpack(match_id: str, packed: bytes) -> StoredMatch:
    archived = msgspec.json.decode(zlib.decompress(packed), type=Archived)
    record = decode(bytes(archived.record) + b"\n")
    fields = (record.game, record.version, record.players, record.seed, record.salt, record.options)
    deal = Deal(*fields, archived.clock, archived.listed)
    match = replay(record, find_game(record.game))
    return StoredMatch(match_id, deal, match, archived.sitters, change=-1, sittings=archived.sittings)


def record_in(packed: bytes, game: str) -> bytes | None:
    """Return the record in an archive; None if it is of another game. Raise `UnknownVersion` of its rules."""
    raw = bytes(msgspec.json.decode(zlib.decompress(packed), type=Archived).record) + b"\n"
    return raw if decode(raw).game == game else None


TOKEN_PATTERN = r"^seat-(\d{1,2})-(\d{1,9})-([A-Za-z0-9_-]{32})$"  # noqa: S105 (a form, no token)
"""Form of a seat token: seat, number of the sitting, and the secret part."""
