"""The ledger of a tournament: one entry per finished block, written once.

An entry holds all games of its block with their records, from which places, standings and ratings can be derived. It
holds nothing that another play of the same games would change, such as times; an entry that has to be played again is
therefore the same to the byte, if its bots repeat themselves.
"""

import hashlib
import zlib
from typing import Any, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from splito_arena.blocks.placings import Placings
from splito_arena.blocks.seatings import Seating
from splito_arena.match.referee import places
from splito_engine.game import Scores
from splito_engine.record import Record

VersionId: TypeAlias = str
"""Id of a rated version, `<bot>@<version>`; a new version is rated as another bot."""
MAX_NAME = 64
"""Characters of a name in a record."""
BLOCK_PATTERN = "^[0-9]{8}-[0-9]{4}-[0-9]{5}$"


class BlockPlace(NamedTuple):
    """The place of a block in a tournament, each number from 0.

    All tables play their first block before any second block.
    """

    round: int
    number: int
    table: int


class Game(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One match of a block."""

    match: str
    seating: Seating
    """Number of the bot in each seat, among the bots of the entry."""
    record: Record
    faults: tuple[tuple[str, ...], ...]
    """Fault codes in the order of the turns, for each seat."""
    replaced: tuple[bool, ...]
    """True for each seat for which a house bot played on."""
    fault_turns: tuple[tuple[int, ...], ...] = ()
    """Turns of the faults, for each seat. Empty in entries from before the arena stored them."""

    @property
    def scores(self) -> Scores:
        return self.record.scores

    @property
    def places(self) -> tuple[float, ...]:
        """Return the places in the order of the seats, from 1; tied seats share the mean of their places, replaced bots
        come last.
        """
        return places(self.scores, self.replaced)


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The ledger entry of one block."""

    block: str
    """Id of the block: round, number and table, `00000002-0001-00013`, so that ids sort in the order of play."""
    bots: tuple[VersionId, ...]
    games: tuple[Game, ...] = ()
    skipped: str | None = None
    """Reason why the block was not played; null if it was played."""


def block_id(place: BlockPlace) -> str:
    """Return the id of a block. Ids sort in the order of play; the digits suffice for years of a ladder with a round
    every second.

    The Lua scripts that open blocks use this form too.
    """
    return f"{round_id(place.round)}-{place.number:04}-{place.table:05}"


def block_place(block: str) -> BlockPlace:
    return BlockPlace(*map(int, block.split("-")))


def round_id(number: int) -> str:
    return f"{number:08}"


def version_id(bot: str, version: str) -> VersionId:
    return f"{bot}@{version}"


def parts(version: VersionId) -> tuple[str, str]:
    """Return the bot and the version, which may contain any characters."""
    bot, _, of_bot = version.partition("@")
    return bot, of_bot


def record_name(version: VersionId) -> str:
    """Return the name of a version in a record: its id, shortened if it is too long for a record."""
    if len(version) <= MAX_NAME and version.isprintable():
        return version
    bot, of_bot = parts(version)
    return version_id(bot, hashlib.sha256(of_bot.encode("utf-8", "surrogatepass")).hexdigest()[:32])


def placings(entry: Entry) -> Placings | None:
    """Return the placings for ratings; None if the block was not played, or not by all bots in each game."""
    everybody = [*range(len(entry.bots))]
    if not entry.games or any(sorted(game.seating) != everybody for game in entry.games):
        return None
    return Placings(entry.block, entry.bots, tuple(_by_bot(game) for game in entry.games))


def slim(entry: Entry) -> Entry:
    """Return the entry without the fields that no table needs: a tenth of it is left."""
    return replace(entry, games=tuple(_slim(game, entry.games[0].record.options) for game in entry.games))


def without_turns(entry: Entry) -> Entry:
    """Return the entry without the turns of its games, for a file that is read again: a third of it is left."""
    games = tuple(replace(game, record=replace(game.record, turns=(), talk=())) for game in entry.games)
    return replace(entry, games=games)


def encode(entry: Entry) -> bytes:
    """Return the entry as one line of JSON, as in a dump."""
    return msgspec.json.encode(entry) + b"\n"


def decode(raw: bytes) -> Entry:
    return msgspec.json.decode(raw, type=Entry)


def pack(entry: Entry) -> bytes:
    """Return the entry in its stored form, which takes about a third of its JSON.

    The JSON is the same on every machine; its compressed form also depends on the version of zlib.
    """
    return zlib.compress(encode(entry))


def unpack(packed: bytes) -> Entry:
    return decode(zlib.decompress(packed))


def _slim(game: Game, options: dict[str, Any]) -> Game:
    """Return the game without the fields that no table needs; all games of a block share the same `options`."""
    bare = replace(
        game.record, names=(), seed="", salt="", commitment="", options=options, turns=(), talk=(), digest=""
    )
    return replace(game, record=bare)


def _by_bot(game: Game) -> tuple[float, ...]:
    return tuple(place for _, place in sorted(zip(game.seating, game.places, strict=True)))
