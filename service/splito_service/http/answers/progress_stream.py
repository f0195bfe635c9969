"""Progress of a tournament or experiment as server-sent events: at most one a second, and the end.

An event contains the whole state, so a client that reconnects needs only the newest event; its id names that state.
Events are not stored, they follow from the tournament.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from time import monotonic

from litestar.types import ASGIApp

from splito_service.errors import Busy, Unavailable, UnknownTournament
from splito_service.http.answers.event_stream import BEAT, STEP, event_stream
from splito_service.http.answers.responses import Answer
from splito_service.http.common import AnyRequest, header
from splito_service.storage.notices import Notices, seen
from splito_service.tournaments.model import OVER
from splito_service.tournaments.schemas.progress_events import News, event, read_place

PACE = 1.0
"""Shortest pause in seconds between two events."""


Look = Callable[[], Awaitable[News]]


def watch(request: AnyRequest, notices: Notices, about: str, look: Look, seconds: float) -> ASGIApp:
    """Return the answer that streams the progress for `seconds`. The caller has checked that the object exists."""
    last = header(request, b"last-event-id")
    if last is not None and read_place(last) in OVER:
        return Answer(status=204)  # 204 tells a browser not to reconnect
    return event_stream(request, _stream(notices, about, look, last, seconds))


async def _stream(notices: Notices, about: str, look: Look, last: str | None, seconds: float) -> AsyncGenerator[bytes]:
    """Yield events until the end, or until the time has passed; browsers then reconnect."""
    yield b"retry: 1000\n\n"
    limit, besides = monotonic() + seconds, None
    with notices.about(about) as notice:
        while True:
            try:
                news = await look()
            except (Unavailable, Busy) as error:
                yield b": waiting for Redis\n\n" if isinstance(error, Unavailable) else b": waiting for results\n\n"
                await asyncio.sleep(STEP)
                continue
            except UnknownTournament:
                return  # the object was deleted; a client that reconnects gets the error
            if news.id != last or news.besides != besides:
                last, besides = news.id, news.besides
                yield event(news)
            left = limit - monotonic()
            if news.over or left <= 0:
                return
            await asyncio.sleep(min(left, PACE))
            if not await seen(notice, min(BEAT, max(0.0, limit - monotonic()))):
                yield b": still here\n\n"
