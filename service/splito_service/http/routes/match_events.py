"""What happens in a match, as server-sent events: who sits down, what each turn reveals, how it ends.

Everything here is public. An event's id says where the client is: how many turns it has seen, and which seating. So a
client that comes back with its last id is told what it has missed, by whatever process, however much later: events are
not stored, they follow from the match.
"""

import asyncio
import re
from collections.abc import AsyncGenerator
from time import monotonic
from typing import Any
from zlib import crc32

import msgspec
from litestar import get
from litestar.params import FromPath
from litestar.types import ASGIApp

from splito_arena.match.messages import turn_of
from splito_service.errors import BadRequest, Unavailable
from splito_service.http.common import AnyRequest, client_of, encode, header
from splito_service.http.context import Context, context_of
from splito_service.http.queries import EventsQuery, read_query
from splito_service.http.responses import Answer, packed
from splito_service.http.routes.matches import find
from splito_service.http.streamed import Streamed
from splito_service.matches.model import StoredMatch
from splito_service.matches.schemas import Over, Seats, game_schemas, seat_info
from splito_service.storage.notices import seen

BEAT = 15.0
"""Seconds after which a comment is sent if there is nothing else to send; and after which we look for ourselves."""
STEP = 1.0
"""Seconds between two tries when Redis does not answer."""


HEADERS = packed({"Cache-Control": "no-store", "X-Accel-Buffering": "no"})

FORM = re.compile(r"([0-9]{1,7})-([0-9a-f]{8})(-over)?")


class Place(msgspec.Struct, frozen=True):
    """Where a client is."""

    turns: int = 0
    seating: int | None = None
    over: bool = False

    @property
    def id(self) -> str:
        return f"{self.turns}-{self.seating:08x}{'-over' if self.over else ''}"


@get("/{game:str}/matches/{match:str}/events")
async def watch_match(request: AnyRequest, game: FromPath[str], match: FromPath[str]) -> ASGIApp:
    context, query = context_of(request), read_query(request, EventsQuery)
    await find(context, game, match)
    last = header(request, b"last-event-id")
    place = Place(query.after + 1) if last is None else read_place(last)
    if place.over:
        return Answer(status=204)  # the browser's way to be told not to come back
    return event_stream(request, _stream(context, match, place, query.seconds))


def event_stream(request: AnyRequest, events: AsyncGenerator[bytes]) -> Streamed:
    """Return the answer that sends these events. Raise `TooManyStreams`."""
    place = context_of(request).streams.take(client_of(request))
    return Streamed(events, "text/event-stream", HEADERS, place)


async def _stream(context: Context, match_id: str, place: Place, seconds: float) -> AsyncGenerator[bytes]:
    """Until the match is over or the time has passed; browsers then come back by themselves."""
    yield b"retry: 1000\n\n"
    limit = monotonic() + seconds
    with context.notices.about(match_id) as notice:
        while not place.over:
            try:
                kept = await context.matches.get(match_id)
            except Unavailable:
                yield b": waiting for Redis\n\n"
                await asyncio.sleep(STEP)
                continue
            place, news = news_since(kept, place)
            for event in news:
                yield event
            left = limit - monotonic()
            if left <= 0:
                return
            if not place.over and not await seen(notice, min(BEAT, left)):
                yield b": still here\n\n"


def news_since(kept: StoredMatch, place: Place) -> tuple[Place, list[bytes]]:
    """What a client there has to be told, and where it is then."""
    news: list[bytes] = []
    wire, turns = game_schemas(kept.match.game), kept.match.turns
    infos = [seat_info(sitter) for sitter in kept.sitters]
    seating = crc32(encode(infos))
    if seating != place.seating:
        place = Place(place.turns, seating)
        news.append(_event("seats", place, Seats(kept.status, infos)))
    for number in range(place.turns, len(turns)):
        place = Place(number + 1, seating)
        news.append(_event("turn", place, turn_of(wire.game, number, turns[number])))
    if kept.over:
        place = Place(len(turns), seating, over=True)
        news.append(_event("over", place, Over([list(points) for points in kept.match.scores])))
    return place, news


def read_place(text: str) -> Place:
    form = FORM.fullmatch(text)
    if form is None:
        raise BadRequest("this is no id of an event of ours", field="Last-Event-ID")
    return Place(int(form[1]), int(form[2], 16), form[3] is not None)


def _event(kind: str, place: Place, body: Any) -> bytes:
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (place.id.encode(), kind.encode(), encode(body))
