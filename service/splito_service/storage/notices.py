"""Who waits for something to happen in a match is told to look again.

A notice on one channel of Redis only says "look"; what happened is read from the match itself. So a notice that is
lost costs time, never news; and after every gap in listening, everybody looks for themselves.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

import hiredis
from redis.exceptions import RedisError

from splito_service.storage.connect import Client, connect

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

    def wake(self, match_id: str) -> None:
        for notice in self._waiting.get(match_id, ()):
            notice.set()

    def wake_all(self) -> None:
        for match_id in self._waiting:
            self.wake(match_id)

    async def listen(self, redis: Client) -> None:
        """For ever."""
        connection = redis.connection_pool.make_connection()
        connection.protocol = 2
        while True:
            try:
                with suppress(RedisError, OSError):
                    await connection.connect()
                    await Ear(self, connection).deaf.wait()
            finally:
                await connection.disconnect(nowait=True)
            await asyncio.sleep(RETRY)


class Ear(asyncio.Protocol):
    """Takes over a connection of redis-py's, which would cost several times as much for a notice that nobody needs."""

    def __init__(self, notices: Notices, connection: Any) -> None:
        self.deaf = asyncio.Event()
        self._notices = notices
        self._reader = hiredis.Reader()
        self._transport: asyncio.Transport = connection._writer.transport  # noqa: SLF001 (redis-py has no other way)
        self._transport.set_protocol(self)
        self._transport.write(b"SUBSCRIBE %b\r\n" % CHANNEL.encode())
        if self._transport.is_closing():
            self.deaf.set()

    def data_received(self, data: bytes) -> None:
        self._reader.feed(data)
        while (heard := self._reader.gets()) is not False:
            match heard:
                case [b"message", _, match_id]:
                    self._notices.wake(match_id.decode())
                case [b"subscribe", _, _]:
                    self._notices.wake_all()
                case _:  # an error: it may be better to connect anew
                    self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 (why does not matter)
        self.deaf.set()


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
