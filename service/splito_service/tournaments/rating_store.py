"""The ratings of all versions of bots in Redis, moved by every ranked block once, in the order in which they ended.

What a block comes to for ratings stands in a queue from the moment its entry is written: one script call does both.
Whoever rates takes some blocks from its head, reckons, and has it all kept in one call, which refuses if somebody else
has rated meanwhile. So it does not matter how many raters there are, nor when one of them is killed. There is one
leaderboard for each game and number of players:

    ratings:{game}:{players}           of each version, its rating (hash)
    ratings:{game}:{players}:faults    of each version, how many faults it had in rated blocks (hash)
    ratings:{game}:{players}:latest    of each bot, the version that was rated last (hash)
    ratings:{game}:{players}:queue     what waits (list)
    ratings:{game}:{players}:log       the last blocks that were rated (list)
    ratings:{game}:{players}:count     how many have been (string)
    ratings:{game}:{players}:rater     who rates, for a while (string)
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from secrets import token_hex
from typing import NamedTuple, TypeAlias

import msgspec

from splito_arena.blocks.ledger import Entry, VersionId, parts
from splito_arena.blocks.ledger import placings as placings_of
from splito_arena.blocks.placings import Placings, check
from splito_arena.stats.online_rating import Rating, rated
from splito_service.ids import Milliseconds
from splito_service.storage.client import Link
from splito_service.storage.scripts import source

Tell: TypeAlias = Callable[[Placings, Mapping[VersionId, Rating]], Awaitable[None]]
"""Hears how a block ended, which is called `<tournament>/<block>`, and what its bots are rated at after it."""

LEASE: Milliseconds = 3000
"""For which other raters leave it to the one that began."""
AT_ONCE = 64
"""Blocks that are rated in one go: nothing else happens in the process meanwhile."""
LOGGED = 10_000
"""Blocks in the log."""

COUNTS = """
-- KEYS  1 how many have been rated (string), 2 what waits (list)
return {tonumber(redis.call('GET', KEYS[1]) or 0), redis.call('LLEN', KEYS[2])}
"""


class Waiting(msgspec.Struct, frozen=True, array_like=True):
    """A block that is to be rated."""

    placings: Placings
    """In which the block is called `<tournament>/<block>`."""
    faults: tuple[int, ...]
    """Of each bot."""


class Board(NamedTuple):
    """What there is about the bots of some blocks."""

    ratings: dict[VersionId, Rating]
    latest: dict[str, VersionId]
    """Of each bot, the version that was rated last."""


class Taken(NamedTuple):
    """Blocks for one rater."""

    rated: int
    """How many had been before."""
    waiting: list[Waiting]


class Ratings:
    """Of one Redis, for any number of processes."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._name = token_hex(8)
        self._take, self._keep = (link.script(source(f"tournaments/rating_{name}")) for name in ("take", "keep"))
        self._counts = link.script(COUNTS)

    async def rate_waiting(self, game: str, players: int, tell: Tell | None = None) -> list[str]:
        """All that waits, unless somebody else is at it. The blocks that this call has rated, in order.

        `tell` hears of each block before it is kept: whoever is killed in between is followed by who tells the same.
        """
        blocks, left = list[str](), 1
        while left and (taken := await self.take(game, players)) is not None:
            kept, left = await self.settle(game, players, taken, tell)
            blocks += [one.placings.block for one in taken.waiting] if kept else []
        return blocks

    async def take(self, game: str, players: int) -> Taken | None:
        """Some blocks, which others leave to us for a while; nothing, if none wait or somebody else is at it."""
        found = await self._take(_keys(game, players, "rater", "count", "queue"), [self._name, LEASE, AT_ONCE])
        return Taken(found[0], [_decode_waiting(raw) for raw in found[1]]) if found else None

    async def settle(self, game: str, players: int, taken: Taken, tell: Tell | None = None) -> tuple[bool, int]:
        """Rates them. Whether nobody else had done so, and how many still wait."""
        board = await self._board(game, players, taken.waiting)
        for one in taken.waiting:
            board = moved(board, one.placings)
            if tell is not None:
                await tell(one.placings, {bot: board.ratings[bot] for bot in one.placings.bots})
        words = [
            [one.placings.block for one in taken.waiting],
            _flat({bot: _encode(rating).decode() for bot, rating in board.ratings.items()}),
            _flat(_faults(taken.waiting)),
            _flat(board.latest),
        ]
        parts = _keys(game, players, "rater", "count", "queue", "log", "", "faults", "latest")
        kept, left = await self._keep(parts, [self._name, taken.rated, LOGGED, *map(_encode, words)])
        return bool(kept), left

    async def counts(self, game: str, players: int) -> tuple[int, int]:
        """How many blocks have been rated, and how many wait."""
        rated, waiting = await self._counts(_keys(game, players, "count", "queue"))
        return rated, waiting

    async def table(self, game: str, players: int) -> dict[VersionId, Rating]:
        """Of every version that was ever rated."""
        found = await self._link.fields(*_keys(game, players, ""))
        return {bot.decode(): _decode_rating(raw) for bot, raw in found.items()}

    async def faults(self, game: str, players: int) -> dict[VersionId, int]:
        """Of every version that had any, in the blocks it was rated for."""
        found = await self._link.fields(*_keys(game, players, "faults"))
        return {bot.decode(): int(count) for bot, count in found.items()}

    async def log(self, game: str, players: int) -> list[str]:
        """The last blocks that were rated, `<tournament>/<block>`, in order."""
        return [block.decode() for block in await self._link.call("LRANGE", *_keys(game, players, "log"), 0, -1)]

    async def _board(self, game: str, players: int, waiting: Iterable[Waiting]) -> Board:
        """What there is about the bots of these blocks, and about the versions from which new ones start."""
        versions = {bot for one in waiting for bot in one.placings.bots}
        key, of_latest = _keys(game, players, "", "latest")
        latest = await self._find(of_latest, {parts(version)[0] for version in versions})
        known = {bot: version.decode() for bot, version in latest.items()}
        ratings = await self._find(key, versions | {*known.values()})
        return Board({bot: _decode_rating(raw) for bot, raw in ratings.items()}, known)

    async def _find(self, key: str, names: Iterable[str]) -> dict[str, bytes]:
        wanted = sorted(names)
        found: list[bytes | None] = await self._link.call("HMGET", key, *wanted)
        return {name: raw for name, raw in zip(wanted, found, strict=True) if raw is not None}


def moved(board: Board, placings: Placings) -> Board:
    """What it becomes with one more block. A new version starts from the one of its bot that was rated before it."""
    bots = {version: parts(version)[0] for version in placings.bots}
    predecessors = {version: board.latest[bot] for version, bot in bots.items() if bot in board.latest}
    ratings = board.ratings | rated(board.ratings, placings, predecessors)
    return Board(ratings, board.latest | {bot: version for version, bot in bots.items()})


def to_be_rated(tournament_id: str, entry: Entry) -> bytes:
    """What is put into the queue; nothing, if the block is not one that is rated."""
    found = placings_of(entry)
    if found is None:
        return b""
    check(found)
    named = msgspec.structs.replace(found, block=f"{tournament_id}/{entry.block}")
    return _encode(Waiting(named, tuple(_faults_of(entry, number) for number in range(len(entry.bots)))))


def queue(game: str, players: int) -> str:
    return _keys(game, players, "queue")[0]


def _faults_of(entry: Entry, number: int) -> int:
    return sum(len(game.faults[game.seating.index(number)]) for game in entry.games)


def _faults(waiting: Iterable[Waiting]) -> Counter[VersionId]:
    """Of those versions that had any."""
    faults = Counter[VersionId]()
    for one in waiting:
        faults.update(dict(zip(one.placings.bots, one.faults, strict=True)))
    return +faults


def _flat(fields: Mapping[str, str | int]) -> Sequence[str | int]:
    return [word for pair in fields.items() for word in pair]


def _keys(game: str, players: int, *names: str) -> list[str]:
    key = f"ratings:{game}:{players}"
    return [f"{key}:{name}" if name else key for name in names]


_encode = msgspec.json.Encoder().encode
_decode_waiting = msgspec.json.Decoder(Waiting).decode
_decode_rating = msgspec.json.Decoder(Rating).decode
