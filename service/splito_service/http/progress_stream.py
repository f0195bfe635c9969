"""How far something is, as server-sent events: whenever there is news, at most once a second, and at last its end.

An event says how everything stands, so a client that comes back needs only the newest; its id says which that was.
Events are not stored, they follow from the tournament.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from time import monotonic

from litestar.types import ASGIApp

from splito_service.errors import Busy, Unavailable, UnknownTournament
from splito_service.http.common import AnyRequest, header
from splito_service.http.event_stream import BEAT, STEP, event_stream
from splito_service.http.responses import Answer
from splito_service.storage.notices import Notices, seen
from splito_service.tournaments.model import OVER
from splito_service.tournaments.progress_events import News, event, read_place

PACE = 1.0
"""Seconds between two events, at least."""


Look = Callable[[], Awaitable[News]]


def watch(request: AnyRequest, notices: Notices, about: str, look: Look, seconds: float) -> ASGIApp:
    """The answer to who wants to watch that for so long. It is known to be there."""
    last = header(request, b"last-event-id")
    if last is not None and read_place(last) in OVER:
        return Answer(status=204)  # the browser's way to be told not to come back
    return event_stream(request, _stream(notices, about, look, last, seconds))


async def _stream(notices: Notices, about: str, look: Look, last: str | None, seconds: float) -> AsyncGenerator[bytes]:
    """Until it is over or the time has passed; browsers then come back by themselves."""
    yield b"retry: 1000\n\n"
    limit, waiting = monotonic() + seconds, None
    with notices.about(about) as notice:
        while True:
            try:
                news = await look()
            except (Unavailable, Busy) as error:
                yield b": waiting for Redis\n\n" if isinstance(error, Unavailable) else b": waiting for results\n\n"
                await asyncio.sleep(STEP)
                continue
            except UnknownTournament:
                return  # it was deleted; who comes back is told so
            if news.id != last or news.waiting != waiting:
                last, waiting = news.id, news.waiting
                yield event(news)
            left = limit - monotonic()
            if news.over or left <= 0:
                return
            await asyncio.sleep(min(left, PACE))
            if not await seen(notice, min(BEAT, max(0.0, limit - monotonic()))):
                yield b": still here\n\n"
