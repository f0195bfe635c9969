"""Server-sent events of a service, over as many connections as needed: each event comes exactly once.

A client that reconnects sends the id of the last event that it got, and the service continues after that one.
"""

from collections.abc import Iterable, Iterator
from time import monotonic, sleep
from typing import Any, Generic, NamedTuple

import httpx
import msgspec
from msgspec import Struct

from splito_bot.errors import Refused
from splito_bot.game import Game
from splito_bot.messages import MoveT, Over, Seats, Turn
from splito_bot.transport import NO_CONTENT, Transport

PAUSE = 1.0
"""Seconds between two connections."""
PATIENCE = 120.0
"""Seconds for which a lost service is tried again."""
LARGEST_EVENT = 64_000_000
"""Bytes."""


class EndlessEvent(httpx.ReadError):
    """An event is larger than `LARGEST_EVENT`."""


class Event(Struct, Generic[MoveT], frozen=True):
    """An event of a match."""

    id: str
    """Keep it: a later `Client.events` that gets it continues after this event."""
    news: Seats | Turn[MoveT] | Over


class Frame(NamedTuple):
    """An event whose data is not decoded yet."""

    id: str
    kind: str
    data: str


def watch(transport: Transport, path: str, game: Game[Any, Any, MoveT], place: str | None) -> Iterator[Event[MoveT]]:
    """Yield the events of a match until it is over. Events of unknown kinds are left out."""
    news = {"seats": Seats, "turn": game.typed(Turn), "over": Over}
    decoders = {kind: msgspec.json.Decoder(message) for kind, message in news.items()}
    for frame in Frames(transport, path, place):
        if frame.kind in decoders:
            yield Event(frame.id, decoders[frame.kind].decode(frame.data))
        if frame.kind == "over":
            return


class Frames:
    """The events of a stream, over one connection after the other.

    A stream that breaks is continued after the last event that came, until the service cannot be reached for
    `PATIENCE` seconds. A first connection that fails is not tried again, because the address may be wrong, unless the
    caller is `patient`.
    """

    def __init__(
        self, transport: Transport, path: str, place: str | None, *, token: str | None = None, patient: bool = False
    ) -> None:
        self._transport, self._path, self._place, self._token = transport, path, place, token
        self._reached = patient
        self._give_up_at: float | None = None
        self._done = False

    def __iter__(self) -> Iterator[Frame]:
        while not self._done:
            try:
                yield from self._connection()
            except (httpx.TransportError, Refused) as error:
                if not self._is_worth_another(error):
                    raise
                sleep(getattr(error, "retry_after", None) or PAUSE)

    def _connection(self) -> Iterator[Frame]:
        with self._transport.events(self._path, self._place, self._token) as response:
            self._reached = True
            self._done = response.status_code == NO_CONTENT
            for frame in read_frames(self._chunks(response), self._place):
                self._place = frame.id
                yield frame
        if not self._done:
            raise httpx.ReadError("the stream has ended before its last event")

    def _chunks(self, response: httpx.Response) -> Iterator[bytes]:
        for chunk in response.iter_bytes():
            self._give_up_at = None
            yield chunk

    def _is_worth_another(self, error: httpx.TransportError | Refused) -> bool:
        if not self._reached or isinstance(error, EndlessEvent):
            return False
        if isinstance(error, Refused) and not error.temporary:
            return False
        now = monotonic()
        self._give_up_at = self._give_up_at or now + PATIENCE
        return now < self._give_up_at


def read_frames(chunks: Iterable[bytes], place: str | None = None) -> Iterator[Frame]:
    """Yield the events in the chunks of a stream.

    An event counts when its empty line has come; the beginning of a broken one is dropped, and the service sends it
    again. An event without an id has the id of the event before it, at first `place`.
    """
    fields: dict[str, list[str]] = {}
    size, last = 0, place or ""
    for line in _lines(chunks):
        size += len(line)
        if size > LARGEST_EVENT:
            raise EndlessEvent("an event of the stream is too long")
        if line:
            name, _, value = line.partition(":")
            fields.setdefault(name, []).append(value.removeprefix(" "))
            continue
        last = next((one for one in reversed(fields.get("id", ())) if one.isprintable()), last)
        if "data" in fields:
            yield Frame(last, fields.get("event", ["message"])[-1], "\n".join(fields["data"]))
        fields, size = {}, 0


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        if len(rest) > LARGEST_EVENT:
            raise EndlessEvent("an event of the stream is too long")
        yield from (line.decode(errors="replace").removesuffix("\r") for line in whole)
