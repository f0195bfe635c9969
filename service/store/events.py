"""What happens in matches, for whoever waits: turns that are revealed, and the end.

The events of a match are a stream in Redis, written by the scripts that seal and archive, so they are exactly the
turns. A notice on a channel only wakes who waits for that match; what happened is then read from the stream, after the
last event that was seen. So nobody misses anything: not a client that comes back, not one whose process lost its
connection.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec
from redis.exceptions import RedisError

from engine.game import Seat
from service.store.connection import Client

CHANNEL = "matches"
BEGINNING = "0"
"""Before the first event of a match."""
RETRY = 0.5
"""Seconds between two tries to listen again."""


class Event(msgspec.Struct, frozen=True):
    """Either a turn that was revealed, with what each seat did in the notation of records; or the end."""

    id: str
    turn: int
    """The turn that was revealed; at the end, how many there were."""
    moves: dict[Seat, str] | None = None

    @property
    def over(self) -> bool:
        return self.moves is None


class Events:
    """Made by `listening`: one connection for all who wait in this process."""

    def __init__(self, redis: Client) -> None:
        self._redis = redis
        self._waiting: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    async def after(self, match_id: str, last: str = BEGINNING, wait: float = 0.0) -> list[Event]:
        """The events after the last one seen; if there are none yet, wait so many seconds for one."""
        notice, limit = asyncio.Event(), asyncio.get_running_loop().time() + wait
        self._waiting[match_id].add(notice)  # before the first look, so that nothing falls between the two
        try:
            while not (found := await self._read(match_id, last)):
                left = limit - asyncio.get_running_loop().time()
                if left <= 0:
                    return []
                with suppress(TimeoutError):
                    await asyncio.wait_for(notice.wait(), left)
                notice.clear()  # it may have been about an event that was seen already: look, and wait again
            return found
        finally:
            self._waiting[match_id].discard(notice)
            if not self._waiting[match_id]:
                del self._waiting[match_id]

    async def _read(self, match_id: str, last: str) -> list[Event]:
        found = await self._redis.xrange(f"match:{{{match_id}}}:events", min=f"({last}")
        return [_event(event_id.decode(), fields) for event_id, fields in found]

    def _wake(self, match_ids: list[str]) -> None:
        for match_id in match_ids:
            for notice in self._waiting.get(match_id, ()):
                notice.set()

    async def listen(self, ready: asyncio.Event) -> None:
        """The task behind `listening`, for ever. After every gap in listening, everybody looks for themselves."""
        while True:
            with suppress(RedisError, OSError):
                async with self._redis.pubsub(ignore_subscribe_messages=False) as channel:
                    await channel.subscribe(CHANNEL)
                    async for message in channel.listen():
                        if message["type"] == "subscribe":
                            ready.set()
                            self._wake([*self._waiting])
                        else:
                            self._wake([message["data"].decode()])
            await asyncio.sleep(RETRY)


@asynccontextmanager
async def listening(redis: Client) -> AsyncGenerator[Events]:
    events, ready = Events(redis), asyncio.Event()
    task = asyncio.create_task(events.listen(ready))
    try:
        await ready.wait()
        yield events
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def _event(event_id: str, fields: dict[bytes, Any]) -> Event:
    if b"over" in fields:
        return Event(event_id, int(fields[b"over"]))
    return Event(
        event_id, int(fields[b"turn"]), msgspec.json.decode(fields[b"moves"], type=dict[Seat, str], strict=False)
    )
