"""Model of a live match: the deal, the players at the seats, the revealed turns, and the rest of the clocks."""

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
"""Number of the turn while seats are open."""
WEEK = 7 * 24 * 3600

Seconds: TypeAlias = Annotated[int, Meta(ge=1, le=WEEK)]


class NoClock(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="off"):
    """No clock: a person may think without limit."""


class TurnClock(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="turn"):
    """A clock with a number of seconds for each turn."""

    seconds: Seconds


class BankClock(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="bank"):
    """A clock with a number of seconds per seat for the whole match."""

    seconds: Seconds


Clock: TypeAlias = NoClock | TurnClock | BankClock


class Sitter(msgspec.Struct, frozen=True, omit_defaults=True):
    """The player at a seat. A person who left during the match has left the name to a bot."""

    kind: Kind
    name: str = ""
    bot: str = ""


OPEN = Sitter("open")


class Account(msgspec.Struct, frozen=True, omit_defaults=True):
    """The account of a registered bot at a seat of a match: its clock and its faults."""

    bank_ms: int
    """Milliseconds left for the rest of the match."""
    last: Cost | None = None
    """Cost of its last turn; None before the first."""
    faults: tuple[FaultNote, ...] = ()
    replaced: bool = False
    """True if a house bot has replaced the bot."""


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """The terms of a new match: options, clock and listing."""

    options: Any = None
    """Options of the game: a Struct or a mapping."""
    clock: Clock = NoClock()
    listed: bool = True
    """True to show the match in the public list."""
    seed: str | None = None


class Creator(msgspec.Struct, frozen=True):
    """The client that creates a match, and the maximum of its running matches among bots alone; 0 for no limit."""

    client: str = ""
    most_bot_matches: int = 0


class Decision(msgspec.Struct, frozen=True):
    """The decision of a seat in a turn."""

    turn: int
    seat: Seat
    move: Any
    nudge: str | None = None
    sitting: int | None = None
    """Number of the sitting that decides. None if the server decides for the seat; no clock applies then."""
    account: Account | None = None
    """Account of the registered bot that decides, stored together with its move."""


class Deal(msgspec.Struct, frozen=True):
    """The facts of a match that never change."""

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
    """A match as this process last read it. Compared by identity, so that values derived from it can be cached."""

    id: str
    deal: Deal
    match: Match
    sitters: tuple[Sitter, ...]
    change: int
    """Number of changes of the match so far."""
    sittings: tuple[int, ...] = ()
    """Number of the sitting at each seat; tokens of earlier sittings are void. 0 for a bot, -1 for an open seat."""
    begun: bool = True
    sealed: frozenset[Seat] = frozenset()
    """Seats that have decided in the current turn. Their decisions are hidden."""
    began: Milliseconds = 0
    """Time at which the current turn began."""
    banks: tuple[Milliseconds, ...] = ()
    """Rest of each seat's bank when the turn began, less the time that seats took which have sealed."""
    client: str = ""
    """Key of the client that created the match, for fair scheduling. It is never shown and not archived."""
    accounts: Mapping[Seat, Account] = {}
    """Accounts of registered bots that have decided at least once. They are dropped when the match is archived."""

    @property
    def over(self) -> bool:
        return self.match.over

    @property
    def status(self) -> Status:
        return "over" if self.over else "running" if self.begun else "open"

    @property
    def turn(self) -> int:
        """Return the number of the current turn, which equals the number of revealed turns."""
        return len(self.match.turns) if self.begun else NOT_BEGUN

    @property
    def awaited(self) -> tuple[Seat, ...]:
        """Return the seats that have not decided in this turn."""
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
        """Return the time at which the default move will be sealed for this seat; None if it has decided or has no
        clock.
        """
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
    """Number of the sitting at each seat at the end, which tells the last player from an earlier one on deletion."""


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
