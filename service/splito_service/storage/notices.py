"""Notices of changes: a task that waits for a change in a match is told to look again.

A notice on one Redis channel only says "look"; the change is read from the match itself. So a lost notice costs time
but no data, and after every gap in listening all waiting tasks look again.
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
    """The notices of one process over one connection. Made by `listening`."""

    def __init__(self) -> None:
        self._waiting: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    @contextmanager
    def about(self, match_id: str) -> Generator[asyncio.Event]:
        """Yield an event that is set after each possible change.

        Enter it before the first look, so that no change is missed.
        """
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
        """Listen until cancelled."""
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
    """Protocol that takes over a connection of redis-py, because redis-py costs several times as much per notice."""

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
                case _:  # an error: the connection is closed, because a new one may work
                    self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 (the reason does not matter)
        self.deaf.set()


@asynccontextmanager
async def listening(url: str) -> AsyncGenerator[Notices]:
    """Open the notices at once, also when Redis does not answer yet."""
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
    """Wait for a notice, at most `seconds`. Return True if it came."""
    try:
        async with asyncio.timeout(seconds):
            await notice.wait()
    except TimeoutError:
        return False
    notice.clear()
    return True
