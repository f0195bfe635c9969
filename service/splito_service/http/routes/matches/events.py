"""Endpoint of the event stream of a match: persons that sit down or leave, revealed turns, and the end.

All events are public and follow from the match (`splito_service.matches.events`), so any process can send a client that
reconnects with its last id all events that it missed.
"""

import asyncio
from collections.abc import AsyncGenerator
from time import monotonic

from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.types import ASGIApp

from splito_service.errors import Unavailable
from splito_service.http.access import everybody
from splito_service.http.answers.event_stream import BEAT, STEP, event_stream
from splito_service.http.answers.responses import Answer
from splito_service.http.common import AnyRequest, header
from splito_service.http.endpoint import EVENTS, MATCH, Endpoints
from splito_service.http.examples import matches as examples
from splito_service.http.queries import EventsQuery, read_query
from splito_service.http.services.matches import MatchServices
from splito_service.matches.events import Place, news_since, read_place
from splito_service.matches.schemas import Over, Seats
from splito_service.storage.notices import seen

ENDPOINTS = Endpoints("Matches")


@ENDPOINTS.declare(
    "GET /v1/{game}/matches/{match}/events",
    id="watch{Game}Match",
    summary="Watch a match",
    description="Sends server-sent events, all of them public: `seats` (a person sat down or left; also the first"
    " event), `turn` (a turn was revealed) and `over`, after which the stream ends. A client that reconnects with the"
    " last `id` in `Last-Event-ID`, as browsers do, misses nothing. A comment is sent every 15 seconds if there is no"
    " event.",
    parameters=("match", "after", "seconds", "Last-Event-ID"),
    answer="Turn",
    media=EVENTS,
    events={"seats": Seats, "turn": "Turn", "over": Over},
    also={204: "The client has seen the end. A browser does not come back then."},
    errors=("bad-request", *MATCH),
    access=everybody("Only revealed turns, also with a seat token."),
    example=examples.watch_match,
)
async def watch_match(
    request: AnyRequest, services: NamedDependency[MatchServices], game: FromPath[str], match: FromPath[str]
) -> ASGIApp:
    query = read_query(request, EventsQuery)
    await services.find(game, match)
    last = header(request, b"last-event-id")
    place = Place(query.after + 1) if last is None else read_place(last)
    if place.over:
        return Answer(status=204)  # 204 tells a browser not to reconnect
    return event_stream(request, _stream(services, match, place, query.seconds))


async def _stream(services: MatchServices, match_id: str, place: Place, seconds: float) -> AsyncGenerator[bytes]:
    """Yield events until the match is over or the time has passed; browsers then reconnect."""
    yield b"retry: 1000\n\n"
    limit = monotonic() + seconds
    with services.notices.about(match_id) as notice:
        while not place.over:
            try:
                kept = await services.store.get(match_id)
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
