"""Store of the blocks of a tournament in Redis: a block is open, claimed for a while, and then written once.

Any worker may claim an open block; a claim is a lease that the worker renews and that expires otherwise. A claim also
takes a lease of each bot of the block, because a bot plays a limited number of blocks at a time over all tournaments
and processes. The first worker that finishes a block writes its entry if the block is still open, so an expired claim
costs work but never correctness.
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
from splito_service.tournaments.ratings.store import queue, to_be_rated
from splito_service.tournaments.redis_keys import RUNNING, keys, table_id
from splito_service.tournaments.store import OPENED

LOOKED_AT = 200
"""Number of blocks that a claim looks at, in each of two places."""
AT_ONCE = 50
"""Number of entries that are read in one call when all are read."""


class Counts(NamedTuple):
    """The progress of a tournament in blocks."""

    done: int
    """Number of blocks that are over, with those that a ladder has dropped."""
    skipped: int
    """Number of these blocks that were skipped."""
    games: int
    """Number of games in the blocks that were played."""
    open: int
    claimed: int
    """Number of open blocks that are being played."""


class Ledger:
    """The ledgers in one Redis, shared by all processes."""

    def __init__(self, link: Link) -> None:
        self._link = link
        names = ("claim", "renew", "release", "finish", "entries", "counts")
        self._claim, self._renew, self._release, self._finish, self._entries, self._counts = (
            link.script(source(f"tournaments/block_{name}", "tournament_blocks")) for name in names
        )

    async def claim(
        self, tournament_id: str, token: str, most: int, slots: Mapping[str, int], lease: Milliseconds
    ) -> list[str]:
        """Claim at most `most` open blocks in order, for the time of the lease, and return them.

        `slots` is the number of blocks at a time for each bot; a bot that is not named has no limit. A block with a bot
        that has no slot left is passed over. Nothing is claimed of a tournament that does not run.
        """
        parts = [RUNNING, *keys(tournament_id, "open", "claims", "tables", "waves", "rounds", "tally")]
        limits = [word for pair in slots.items() for word in pair]
        words = [tournament_id, token, most, lease, LOOKED_AT, random(), OPENED, *limits]
        return _texts(await self._claim(parts, words))

    async def bots(self, tournament_id: str, block: str) -> tuple[str, ...]:
        """Return the bots of a block, in the order of the table."""
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
        """Renew the claims of these blocks and return the blocks that are still claimed by this token."""
        parts = keys(tournament_id, "open", "claims", "tables")
        return _texts(await self._renew(parts, [tournament_id, token, lease, *blocks]))

    async def release(self, tournament_id: str, token: str, blocks: Sequence[str]) -> None:
        """Release the claims of these blocks that this token still has."""
        await self._release(keys(tournament_id, "open", "claims", "tables"), [tournament_id, token, *blocks])

    async def finish(self, kept: StoredTournament, entry: Entry, times: Mapping[VersionId, Times]) -> bool:
        """Write the entry of a block and count its times, once. Return False, without a change, if the block is not
        open.

        While the tournament runs the caller needs no claim. A ranked block is put into the queue of ratings: see
        `splito_service.tournaments.ratings.store`.
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
        """Return entries of finished blocks in order, after the block `after`."""
        return [unpack(packed) for packed in await self.packed_entries(tournament_id, after, limit)]

    async def packed_entries(self, tournament_id: str, after: str | None, limit: int) -> list[bytes]:
        """Return the same entries as they are stored (`splito_arena.blocks.ledger.unpack`)."""
        return await self._entries(keys(tournament_id, "done", "ledger"), [after or "", limit])

    async def entry(self, tournament_id: str, block: str) -> Entry:
        """Return the entry of a block. Raise `UnknownBlock` if it is not over."""
        packed = await self._link.call("HGET", *keys(tournament_id, "ledger"), block)
        if packed is None:
            raise UnknownBlock(f"there is no finished block {block!r}", field="block")
        return unpack(packed)

    async def whole(self, tournament_id: str) -> list[Entry]:
        """Return all entries in order."""
        entries = list[Entry]()
        while found := await self.entries(tournament_id, entries[-1].block if entries else None, AT_ONCE):
            entries += found
        return entries

    async def times(self, tournament_id: str) -> dict[VersionId, Times]:
        """Return the times of answers by bot version."""
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
