"""Store of the ratings of all bot versions in Redis; every ranked block moves them once, in the order of their ends.

A block enters the queue of ratings in the same script call that writes its entry. A rater takes some blocks from the
head of the queue, computes the ratings, and stores them in one call, which refuses if another rater has rated in
between. So any number of raters may run, and any of them may be killed. There is one leaderboard for each game and
number of players:

    ratings:{game}:{players}           of each version, its rating (hash)
    ratings:{game}:{players}:faults    of each version, how many faults it had in rated blocks (hash)
    ratings:{game}:{players}:latest    of each bot, the version that was rated last (hash)
    ratings:{game}:{players}:queue     the blocks that wait (list)
    ratings:{game}:{players}:log       the last blocks that were rated (list)
    ratings:{game}:{players}:count     number of rated blocks (string)
    ratings:{game}:{players}:rater     the current rater, under a lease (string)
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
from splito_service.tournaments.ratings import stored

Tell: TypeAlias = Callable[[Placings, Mapping[VersionId, Rating]], Awaitable[None]]
"""Callback that receives the placings of a block, named `<tournament>/<block>`, and the ratings after it."""

LEASE: Milliseconds = 3000
"""Lease of a rater in milliseconds, during which other raters wait."""
AT_ONCE = 64
"""Number of blocks that are rated at once, because the process does nothing else meanwhile."""
LOGGED = 10_000
"""Number of blocks in the log."""


class Waiting(msgspec.Struct, frozen=True, array_like=True):
    """A block that waits to be rated."""

    placings: Placings
    """Placings of the block, which is named `<tournament>/<block>`."""
    faults: tuple[int, ...]
    """Number of faults of each bot."""


class Board(NamedTuple):
    """The ratings, faults and versions of the bots of some blocks."""

    ratings: dict[VersionId, Rating]
    latest: dict[str, VersionId]
    """Version that was rated last, by bot."""


class Taken(NamedTuple):
    """Blocks that one rater has taken."""

    rated: int
    """Number of blocks that had been rated before."""
    waiting: list[Waiting]


class Ratings:
    """The store of ratings in one Redis, shared by all processes."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._name = token_hex(8)
        self._take, self._keep = (link.script(source(f"tournaments/rating_{name}")) for name in ("take", "keep"))
        self._counts = link.script(source("tournaments/rating_counts"))

    async def rate_waiting(self, game: str, players: int, tell: Tell | None = None) -> list[str]:
        """Rate all waiting blocks, unless another rater is at work, and return the blocks that this call rated.

        `tell` is called for each block before its ratings are stored, because a crash may then repeat the call but
        never lose it.
        """
        blocks, left = list[str](), 1
        while left and (taken := await self.take(game, players)) is not None:
            kept, left = await self.settle(game, players, taken, tell)
            blocks += [one.placings.block for one in taken.waiting] if kept else []
        return blocks

    async def take(self, game: str, players: int) -> Taken | None:
        """Take some blocks under a lease; None if no block waits or another rater is at work."""
        found = await self._take(_keys(game, players, "rater", "count", "queue"), [self._name, LEASE, AT_ONCE])
        return Taken(found[0], [_decode_waiting(raw) for raw in found[1]]) if found else None

    async def settle(self, game: str, players: int, taken: Taken, tell: Tell | None = None) -> tuple[bool, int]:
        """Rate the taken blocks. Return True if no other rater did so before, and the number of waiting blocks."""
        board = await self._board(game, players, taken.waiting)
        for one in taken.waiting:
            board = moved(board, one.placings)
            if tell is not None:
                await tell(one.placings, {bot: board.ratings[bot] for bot in one.placings.bots})
        words = [
            [one.placings.block for one in taken.waiting],
            _flat({bot: stored.encode(rating).decode() for bot, rating in board.ratings.items()}),
            _flat(_faults(taken.waiting)),
            _flat(board.latest),
        ]
        parts = _keys(game, players, "rater", "count", "queue", "log", "", "faults", "latest")
        kept, left = await self._keep(parts, [self._name, taken.rated, LOGGED, *map(_encode, words)])
        return bool(kept), left

    async def counts(self, game: str, players: int) -> tuple[int, int]:
        """Return the number of rated blocks and of waiting blocks."""
        rated, waiting = await self._counts(_keys(game, players, "count", "queue"))
        return rated, waiting

    async def table(self, game: str, players: int) -> dict[VersionId, Rating]:
        """Return the rating of every rated version."""
        found = await self._link.fields(*_keys(game, players, ""))
        return {bot.decode(): stored.decode(raw, players) for bot, raw in found.items()}

    async def faults(self, game: str, players: int) -> dict[VersionId, int]:
        """Return the number of faults in rated blocks of every version that had any."""
        found = await self._link.fields(*_keys(game, players, "faults"))
        return {bot.decode(): int(count) for bot, count in found.items()}

    async def log(self, game: str, players: int) -> list[str]:
        """Return the last rated blocks, `<tournament>/<block>`, in order."""
        return [block.decode() for block in await self._link.call("LRANGE", *_keys(game, players, "log"), 0, -1)]

    async def _board(self, game: str, players: int, waiting: Iterable[Waiting]) -> Board:
        """Return the ratings of the bots of these blocks, and of the versions from which new versions start."""
        versions = {bot for one in waiting for bot in one.placings.bots}
        key, of_latest = _keys(game, players, "", "latest")
        latest = await self._find(of_latest, {parts(version)[0] for version in versions})
        known = {bot: version.decode() for bot, version in latest.items()}
        ratings = await self._find(key, versions | {*known.values()})
        return Board({bot: stored.decode(raw, players) for bot, raw in ratings.items()}, known)

    async def _find(self, key: str, names: Iterable[str]) -> dict[str, bytes]:
        wanted = sorted(names)
        found: list[bytes | None] = await self._link.call("HMGET", key, *wanted)
        return {name: raw for name, raw in zip(wanted, found, strict=True) if raw is not None}


def moved(board: Board, placings: Placings) -> Board:
    """Return the board after one more block. A new version starts from the last rated version of its bot."""
    bots = {version: parts(version)[0] for version in placings.bots}
    predecessors = {version: board.latest[bot] for version, bot in bots.items() if bot in board.latest}
    ratings = board.ratings | rated(board.ratings, placings, predecessors)
    return Board(ratings, board.latest | {bot: version for version, bot in bots.items()})


def to_be_rated(tournament_id: str, entry: Entry) -> bytes:
    """Return the entry for the queue of ratings; empty if the block is not rated."""
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
    """Return the number of faults of the versions that had any."""
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
