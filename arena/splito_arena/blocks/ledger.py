"""The ledger of a tournament: what was played, block by block, each written once.

An entry has all games of its block with their records, so everything else can be derived from it by anybody: places,
standings, ratings. It has nothing in it that another play of the same games would change, such as times; so an entry
that has to be played again is the same to the byte, if its bots repeat themselves.
"""

import hashlib
import zlib
from typing import NamedTuple, TypeAlias

import msgspec

from splito_arena.blocks.placings import Placings
from splito_arena.blocks.seatings import Seating
from splito_arena.match.referee import places
from splito_engine.record import Record

VersionId: TypeAlias = str
"""What is rated, `<bot>@<version>`: another version is another bot."""
MAX_NAME = 64
"""Characters of a name in a record."""
BLOCK_PATTERN = "^[0-9]{8}-[0-9]{4}-[0-9]{5}$"


class BlockPlace(NamedTuple):
    """Which block it is, each number counted from 0. All tables play their first block before any plays its second."""

    round: int
    number: int
    table: int


class Game(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One match of a block."""

    match: str
    seating: Seating
    """The number, among the bots of the entry, of the one in each seat."""
    record: Record
    faults: tuple[tuple[str, ...], ...]
    """By seat, their codes in the order of the turns."""
    replaced: tuple[bool, ...]
    """By seat, whether somebody of the house played on."""
    fault_turns: tuple[tuple[int, ...], ...] = ()
    """By seat, the turns of the faults. Empty in entries of before they were kept."""

    @property
    def places(self) -> tuple[float, ...]:
        """By seat, from 1; who is tied shares the mean of the places. Who was replaced comes last."""
        return places(self.record.scores, self.replaced)


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What became of one block."""

    block: str
    """Round, number and table, `00000002-0001-00013`: the order of the texts is the order of play."""
    bots: tuple[VersionId, ...]
    games: tuple[Game, ...] = ()
    skipped: str | None = None
    """Why nothing was played."""


def block_id(place: BlockPlace) -> str:
    """As texts they are in the order of play: there are digits enough for a ladder of years, a round every second.

    The scripts that open blocks know this form too.
    """
    return f"{round_id(place.round)}-{place.number:04}-{place.table:05}"


def block_place(block: str) -> BlockPlace:
    return BlockPlace(*map(int, block.split("-")))


def round_id(number: int) -> str:
    return f"{number:08}"


def version_id(bot: str, version: str) -> VersionId:
    return f"{bot}@{version}"


def parts(version: VersionId) -> tuple[str, str]:
    """The bot and its version, in which there may be any characters."""
    bot, _, of_bot = version.partition("@")
    return bot, of_bot


def record_name(version: VersionId) -> str:
    """Return how the record of a game names a version: by its id, shortened if a record cannot have such a name."""
    if len(version) <= MAX_NAME and version.isprintable():
        return version
    bot, of_bot = parts(version)
    return version_id(bot, hashlib.sha256(of_bot.encode("utf-8", "surrogatepass")).hexdigest()[:32])


def placings(entry: Entry) -> Placings | None:
    """What ratings see. Nothing if nothing was played, or not by all of the bots in each game, as in experiments."""
    everybody = [*range(len(entry.bots))]
    if not entry.games or any(sorted(game.seating) != everybody for game in entry.games):
        return None
    return Placings(entry.block, entry.bots, tuple(_by_bot(game) for game in entry.games))


def encode(entry: Entry) -> bytes:
    """One line of JSON, as in a dump."""
    return msgspec.json.encode(entry) + b"\n"


def decode(raw: bytes) -> Entry:
    return msgspec.json.decode(raw, type=Entry)


def pack(entry: Entry) -> bytes:
    """Return the entry as it is stored, which takes about a third of its JSON.

    The JSON is the same everywhere; how it is packed depends on the zlib of the machine too.
    """
    return zlib.compress(encode(entry))


def unpack(packed: bytes) -> Entry:
    return decode(zlib.decompress(packed))


def _by_bot(game: Game) -> tuple[float, ...]:
    return tuple(place for _, place in sorted(zip(game.seating, game.places, strict=True)))
