"""Server-sent events, over as many connections as it takes: nothing missed, nothing twice.

An event's id says where the client is. Whoever comes back with the last one is told what happened since.
"""

import time
from collections.abc import Iterable, Iterator
from typing import Any, Generic, NamedTuple

import httpx
import msgspec
from msgspec import Struct

from splito_bot.errors import Refused
from splito_bot.game import Game
from splito_bot.messages import MoveT, Over, Seats, Turn
from splito_bot.transport import Transport

PAUSE = 1.0
"""Seconds between two connections, as the service asks for."""
PATIENCE = 120.0
"""Seconds. A service that was lost and cannot be reached for so long has gone for good."""
NO_CONTENT = 204


class Event(Struct, Generic[MoveT], frozen=True):
    id: str
    """Where you are: keep it, and a later `Client.events` goes on from there."""
    news: Seats | Turn[MoveT] | Over


class Frame(NamedTuple):
    """An event before anybody looks into it."""

    id: str
    kind: str
    data: str


def watch(transport: Transport, path: str, game: Game[Any, Any, MoveT], place: str | None) -> Iterator[Event[MoveT]]:
    """Until the match is over. A kind of event that we do not know is passed over."""
    news = {"seats": Seats, "turn": game.typed(Turn), "over": Over}
    decoders = {kind: msgspec.json.Decoder(message) for kind, message in news.items()}
    for frame in Frames(transport, path, place):
        if frame.kind in decoders:
            yield Event(frame.id, decoders[frame.kind].decode(frame.data))
        if frame.kind == "over":
            return


class Frames:
    """One connection after the other. A first one that fails is not tried again: the address may be wrong."""

    def __init__(self, transport: Transport, path: str, place: str | None) -> None:
        self._transport = transport
        self._path = path
        self._place = place
        self._lost_at: float | None = -PATIENCE
        self._done = False

    def __iter__(self) -> Iterator[Frame]:
        while not self._done:
            try:
                yield from self._connection()
            except (httpx.TransportError, Refused) as error:
                if not self._is_worth_another(error):
                    raise
                time.sleep(getattr(error, "retry_after", PAUSE))

    def _connection(self) -> Iterator[Frame]:
        with self._transport.stream(self._path, self._place) as response:
            self._lost_at = None
            self._done = response.status_code == NO_CONTENT
            for frame in read_frames(response.iter_bytes()):
                self._place = frame.id
                yield frame
        if not self._done:
            raise httpx.ReadError("the stream has ended, and the match has not")

    def _is_worth_another(self, error: httpx.TransportError | Refused) -> bool:
        if isinstance(error, Refused) and not error.passing:
            return False
        self._lost_at = self._lost_at or time.monotonic()
        return time.monotonic() < self._lost_at + PATIENCE


def read_frames(chunks: Iterable[bytes]) -> Iterator[Frame]:
    """An event counts when its empty line has come: the beginning of a broken one is lost, and is sent again."""
    fields: dict[str, list[str]] = {}
    for line in _lines(chunks):
        if line:
            name, _, value = line.partition(":")
            fields.setdefault(name, []).append(value.removeprefix(" "))
        else:
            if "data" in fields:
                yield Frame(fields["id"][-1], fields["event"][-1], "\n".join(fields["data"]))
            fields = {}


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        yield from (line.decode() for line in whole)
