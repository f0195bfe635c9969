"""The blocks of a tournament in Redis: open, claimed for a while, and then written once.

An open block may be claimed by whoever plays; a claim is a lease that is renewed, and lapses by itself. With the block
a lease of each of its bots is taken, of which a bot has only so many at a time, over all tournaments and processes.
An entry is written if its block is still open, by whoever comes first: lapsed claims cost work, never exactness.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from random import random
from typing import NamedTuple

import msgspec

from splito_arena.blocks.ledger import Entry, VersionId, block_place, pack, unpack
from splito_arena.formats import Ladder
from splito_arena.latency import Times
from splito_service.errors import UnknownBlock
from splito_service.ids import Milliseconds
from splito_service.storage.client import Link
from splito_service.storage.scripts import source
from splito_service.tournaments.model import StoredTournament
from splito_service.tournaments.rating_store import queue, to_be_rated
from splito_service.tournaments.redis_keys import RUNNING, keys, table_id
from splito_service.tournaments.store import OPENED

LOOKED_AT = 200
"""Blocks among which a claim seeks, in each of two places."""
AT_ONCE = 50
"""Entries that are read in one call, when all are."""


class Counts(NamedTuple):
    """How far a tournament is, in blocks."""

    done: int
    """All that are over, also those that a ladder has forgotten."""
    skipped: int
    """Of them, those in which nothing was played."""
    games: int
    """In those that were played."""
    open: int
    claimed: int
    """Of the open ones, those that are being played."""


class Ledger:
    """Of one Redis, for any number of processes."""

    def __init__(self, link: Link) -> None:
        self._link = link
        names = ("claim", "renew", "release", "finish", "entries", "counts")
        self._claim, self._renew, self._release, self._finish, self._entries, self._counts = (
            link.script(source(f"tournaments/block_{name}", "tournament_blocks")) for name in names
        )

    async def claim(
        self, tournament_id: str, token: str, most: int, slots: Mapping[str, int], lease: Milliseconds
    ) -> list[str]:
        """Open blocks in order, at most so many, for as long as the lease: nobody else gets them.

        `slots` says in how many blocks at a time a bot may be; who is not named there, in any number. A block with a
        bot that has no slot left is passed over. Nothing is claimed of a tournament that does not run.
        """
        parts = [RUNNING, *keys(tournament_id, "open", "claims", "tables", "waves", "rounds", "tally")]
        limits = [word for pair in slots.items() for word in pair]
        words = [tournament_id, token, most, lease, LOOKED_AT, random(), OPENED, *limits]
        return _texts(await self._claim(parts, words))

    async def bots(self, tournament_id: str, block: str) -> tuple[str, ...]:
        """Who plays it, in the order of the table."""
        found = await self._link.call("HGET", *keys(tournament_id, "tables"), _table_of(block))
        return tuple(msgspec.json.decode(found))

    async def open_bots(self, tournament_id: str) -> set[str]:
        """Return the bots of the open blocks that no worker plays, as far as a claim would look."""
        parts = keys(tournament_id, "open", "tables")
        blocks = _texts(await self._link.call("ZRANGE", parts[0], 0, 0, "BYSCORE", "LIMIT", 0, LOOKED_AT))
        names = {_table_of(block) for block in blocks}
        tables: list[bytes] = await self._link.call("HMGET", parts[1], *names) if names else []
        return {bot for table in tables for bot in msgspec.json.decode(table, type=tuple[str, ...])}

    async def renew(self, tournament_id: str, token: str, blocks: Sequence[str], lease: Milliseconds) -> list[str]:
        """Those of them that are still ours, for as long as the lease again."""
        parts = keys(tournament_id, "open", "claims", "tables")
        return _texts(await self._renew(parts, [tournament_id, token, lease, *blocks]))

    async def release(self, tournament_id: str, token: str, blocks: Sequence[str]) -> None:
        """Those of them that are ours are anybody's again."""
        await self._release(keys(tournament_id, "open", "claims", "tables"), [tournament_id, token, *blocks])

    async def finish(self, kept: StoredTournament, entry: Entry, times: Mapping[VersionId, Times]) -> bool:
        """Writes the entry and counts the times, once. False if the block is not open any more; then nothing changes.

        It does not matter whose claim it is, nor, while the tournament runs, whether there is any. What is ranked waits
        to be rated afterwards: see `splito_service.tournaments.rating_store`.
        """
        parts = keys(kept.id, "open", "claims", "tables", "ledger", "done", "tally", "times")
        newest = kept.format.keep if isinstance(kept.format, Ladder) else 0
        rated = to_be_rated(kept.id, entry) if kept.ranked else b""
        counted = [word for bot in times for bucket, count in times[bot].items() for word in (f"{bot} {bucket}", count)]
        words = [kept.id, entry.block, pack(entry), len(entry.games), newest, rated, *counted]
        return bool(await self._finish([*parts, queue(kept.game, kept.players), RUNNING], words))

    async def counts(self, tournament_id: str) -> Counts:
        return Counts(*await self._counts(keys(tournament_id, "open", "tally")))

    async def entries(self, tournament_id: str, after: str | None, limit: int) -> list[Entry]:
        """Of the blocks that are over, in order, after the one named."""
        return [unpack(packed) for packed in await self.packed_entries(tournament_id, after, limit)]

    async def packed_entries(self, tournament_id: str, after: str | None, limit: int) -> list[bytes]:
        """Return the same entries as they are stored (`splito_arena.blocks.ledger.unpack`)."""
        return await self._entries(keys(tournament_id, "done", "ledger"), [after or "", limit])

    async def entry(self, tournament_id: str, block: str) -> Entry:
        """Raises `UnknownBlock`."""
        packed = await self._link.call("HGET", *keys(tournament_id, "ledger"), block)
        if packed is None:
            raise UnknownBlock(f"no block {block!r} is over", field="block")
        return unpack(packed)

    async def whole(self, tournament_id: str) -> list[Entry]:
        """All of them, in order."""
        entries = list[Entry]()
        while found := await self.entries(tournament_id, entries[-1].block if entries else None, AT_ONCE):
            entries += found
        return entries

    async def times(self, tournament_id: str) -> dict[VersionId, Times]:
        """How long the answers took."""
        found = defaultdict[VersionId, Times](dict)
        for field, count in (await self._link.fields(*keys(tournament_id, "times"))).items():
            bot, _, bucket = field.decode().rpartition(" ")
            found[bot][int(bucket)] = int(count)
        return dict(found)


def _table_of(block: str) -> str:
    place = block_place(block)
    return table_id(place.round, place.table)


def _texts(words: Sequence[bytes]) -> list[str]:
    return [word.decode() for word in words]
