"""Benchmark of the memory of a finished match in Redis, its place in the public list included."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import uvloop
from msgspec import Struct

from benchmarks.serving.tables import AT_ONCE, GAME, NAMES, play_turn
from splito_service.matches.model import Sitter
from splito_service.matches.store import Matches
from splito_service.processes.embedded_redis import open_server
from splito_service.storage.client import Link


class PerMatch(Struct, frozen=True):
    """The memory of a match in bytes, as Redis counts it."""

    total: float
    """Bytes by which the memory of Redis has grown."""
    record: float
    """Bytes of the keys of matches with their values."""
    listed: float
    """Bytes of the list of finished matches."""

    @property
    def rest(self) -> float:
        """Return the bytes of the table of all keys, with its unused slots."""
        return self.total - self.record - self.listed


def per_match(count: int) -> PerMatch:
    """Return the mean over this many matches, in a server with no other data."""
    with TemporaryDirectory() as folder, open_server(Path(folder)) as server:
        return uvloop.run(_fill(server.url, count))


async def _fill(url: str, count: int) -> PerMatch:
    async with Link(url) as link:
        matches = Matches(link)
        await _play(matches)  # so that Redis knows the scripts
        before = await used(link)
        for begin in range(0, count, AT_ONCE):
            await asyncio.gather(*(_play(matches) for _ in range(begin, min(begin + AT_ONCE, count))))
        total = (await used(link) - before) / count
        keys = await link.call("KEYS", "match:*")
        record = await size_of(link, keys) / (count + 1)
        return PerMatch(total, record, await size_of(link, await link.call("KEYS", "matches:*")) / (count + 1))


async def _play(matches: Matches) -> None:
    kept = await matches.create(GAME, [Sitter("person", name) for name in NAMES])
    while not kept.over:
        kept = await play_turn(matches, kept)


async def used(link: Link) -> int:
    info: bytes = await link.call("INFO", "memory")
    return int(info.partition(b"used_memory:")[2].split()[0])


async def size_of(link: Link, keys: Sequence[bytes | str]) -> int:
    return sum([await link.call("MEMORY", "USAGE", key, "SAMPLES", 0) for key in keys])
