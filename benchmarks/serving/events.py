"""A spectator of a match: reads its event stream, may lose it, and reconnects with the last id that it has read."""

import asyncio
from collections.abc import Iterator
from itertools import zip_longest
from random import Random
from time import perf_counter
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from benchmarks.serving.load import HEAD_END
from benchmarks.serving.server import HOST
from benchmarks.serving.tables import Table, request

PIECE = 65536
LONGEST_AWAY = 3.0
"""Seconds between two connections."""
RNG = Random(2)


class Event(NamedTuple):
    id: str
    kind: str
    body: bytes


class Heard(NamedTuple):
    event: Event
    at: float


class Events:
    """Parser that splits the answer to one request into events, wherever the network has split it."""

    def __init__(self) -> None:
        self._raw = b""
        self._text = b""
        self._begun = False
        self.ended = False

    def feed(self, data: bytes) -> list[Event]:
        """Return the events that are complete now. Raise `ValueError` if this is no event stream."""
        self._raw += data
        if not self._begun and not self._begin():
            return []
        *blocks, self._text = (self._text + b"".join(self._chunks())).split(b"\n\n")
        return [event for block in blocks if (event := _event(block))]

    def _begin(self) -> bool:
        head, end, rest = self._raw.partition(HEAD_END)
        if not end:
            return False
        if not head.startswith(b"HTTP/1.1 200") or b"text/event-stream" not in head:
            raise ValueError(f"no event stream: {head!r}")
        self._begun, self._raw = True, rest
        return True

    def _chunks(self) -> Iterator[bytes]:
        """Return the complete chunks of the chunked transfer."""
        while True:
            size, end, rest = self._raw.partition(b"\r\n")
            length = int(size, 16) if end else 0
            if not end or len(rest) < length + 2:
                return
            yield rest[:length]
            self._raw = rest[length + 2 :]
            self.ended = not length


def _event(block: bytes) -> Event | None:
    """Return the event; None for a comment or a retry time."""
    fields = dict(line.split(": ", 1) for line in block.decode().split("\n") if line and not line.startswith(":"))
    return Event(fields["id"], fields["event"], fields["data"].encode()) if "data" in fields else None


class Watcher:
    def __init__(self, port: int, table: Table, cut: int | None) -> None:
        """Create a watcher of the match; `cut` is the number of events after which it loses its connection."""
        self.table = table
        self.cut = cut
        self.heard: list[Heard] = []
        self.begun = asyncio.Event()
        self._port = port

    async def watch(self) -> None:
        """Watch until the match is over."""
        if await self._connect(self.cut):
            await asyncio.sleep(RNG.uniform(0, LONGEST_AWAY))
            await self._connect(None)

    async def _connect(self, cut: int | None) -> bool:
        """Read the stream; return True if it was cut."""
        reader, writer = await asyncio.open_connection(HOST, self._port)
        try:
            writer.write(self._request())
            events = Events()
            while not events.ended:
                if self._hear(events.feed(await _read(reader)), cut):
                    return True
            return False
        finally:
            writer.transport.abort()

    def _request(self) -> bytes:
        last = [f"Last-Event-ID: {self.heard[-1].event.id}"] if self.heard else []
        return request("GET", f"{self.table.path}/events", "Accept: text/event-stream", *last)

    def _hear(self, events: list[Event], cut: int | None) -> bool:
        """Cut the stream; events after the cut are lost."""
        now = perf_counter()
        for event in events:
            self.heard.append(Heard(event, now))
            self.begun.set()
            if len(self.heard) == cut:
                return True
        return False

    def faults(self) -> int:
        """Return the number of events that are missing, repeated, out of order, or different from the match."""
        pairs = zip_longest((told(heard.event) for heard in self.heard), _expected(self.table))
        return sum(found != wanted for found, wanted in pairs)


class Revealed(Struct, frozen=True):
    seat: int
    move: Any


class Told(Struct, frozen=True):
    """The part of an event that is known beforehand."""

    turn: int | None = None
    moves: list[Revealed] = []
    scores: list[list[int]] = []


def told(event: Event) -> tuple[str, Told]:
    return event.kind, msgspec.json.decode(event.body, type=Told)


def _expected(table: Table) -> Iterator[tuple[str, Told]]:
    """Yield all events of a match, each exactly once."""
    yield "seats", Told()
    for number, turn in enumerate(table.turns):
        decisions = sorted(turn, key=lambda decision: decision.seat)
        moves = [Revealed(decision.seat, msgspec.to_builtins(decision.move)) for decision in decisions]
        yield "turn", Told(turn=number, moves=moves)
    yield "over", Told(scores=[list(points) for points in table.scores])


async def _read(reader: asyncio.StreamReader) -> bytes:
    if data := await reader.read(PIECE):
        return data
    raise ConnectionResetError("the server has closed an event stream")
