"""Who waits for something to happen in a match is told to look again.

A notice on one channel of Redis only says "look"; what happened is read from the match itself. So a notice that is
lost costs time, never news; and after every gap in listening, everybody looks for themselves.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress

from redis.exceptions import RedisError

from service.store.connection import Client, connect

CHANNEL = "matches"
RETRY = 0.5
"""Seconds between two tries to listen again."""


class Notices:
    """Made by `listening`: one connection for all who wait in this process."""

    def __init__(self) -> None:
        self._waiting: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    @contextmanager
    def about(self, match_id: str) -> Generator[asyncio.Event]:
        """Set whenever something may have happened. Enter it before the first look, so nothing falls in between."""
        notice = asyncio.Event()
        self._waiting[match_id].add(notice)
        try:
            yield notice
        finally:
            self._waiting[match_id].discard(notice)
            if not self._waiting[match_id]:
                del self._waiting[match_id]

    def wake(self, match_ids: list[str]) -> None:
        for match_id in match_ids:
            for notice in self._waiting.get(match_id, ()):
                notice.set()

    async def listen(self, redis: Client) -> None:
        """For ever."""
        while True:
            with suppress(RedisError, OSError):
                async with redis.pubsub(ignore_subscribe_messages=False) as channel:
                    await channel.subscribe(CHANNEL)
                    async for message in channel.listen():
                        heard = message["type"] == "message"
                        self.wake([message["data"].decode()] if heard else [*self._waiting])
            await asyncio.sleep(RETRY)


@asynccontextmanager
async def listening(url: str) -> AsyncGenerator[Notices]:
    """At once, also when Redis is not there yet."""
    notices = Notices()
    async with connect(url) as redis:
        task = asyncio.create_task(notices.listen(redis))
        try:
            yield notices
        finally:
            while not task.done():  # redis-py may swallow a cancellation while it connects
                task.cancel()
                await asyncio.wait([task], timeout=RETRY)


async def seen(notice: asyncio.Event, seconds: float) -> bool:
    """Wait for a notice, but no longer than that."""
    try:
        async with asyncio.timeout(seconds):
            await notice.wait()
    except TimeoutError:
        return False
    notice.clear()
    return True
