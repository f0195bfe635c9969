"""How far something is, as server-sent events: whenever there is news, at most once a second, and at last its end.

An event says how everything stands, so a client that comes back needs only the newest; its id says which that was.
Events are not stored, they follow from the tournament.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from time import monotonic
from typing import Any, NamedTuple

from litestar.types import ASGIApp

from splito_service.errors import BadRequest, Busy, Unavailable, UnknownTournament
from splito_service.http.common import AnyRequest, encode, header
from splito_service.http.context import Context, context_of
from splito_service.http.responses import Answer
from splito_service.http.routes.match_events import BEAT, STEP, event_stream
from splito_service.storage.notices import seen
from splito_service.tournaments.store import OVER, State

FORM = re.compile(r"(\d{1,12})-(\d{1,12})-(running|paused|finished|cancelled)")
PACE = 1.0
"""Seconds between two events, at least."""


class News(NamedTuple):
    done: int
    """Blocks."""
    round: int
    state: State
    body: Any
    waiting: str | None = None

    @property
    def id(self) -> str:
        return f"{self.done}-{self.round}-{self.state}"

    @property
    def over(self) -> bool:
        return self.state in OVER


Look = Callable[[], Awaitable[News]]


def watch(request: AnyRequest, about: str, look: Look, seconds: float) -> ASGIApp:
    """The answer to who wants to watch that for so long. It is known to be there."""
    last = header(request, b"last-event-id")
    if last is not None and read_place(last) in OVER:
        return Answer(status=204)  # the browser's way to be told not to come back
    return event_stream(request, _stream(context_of(request), about, look, last, seconds))


async def _stream(context: Context, about: str, look: Look, last: str | None, seconds: float) -> AsyncGenerator[bytes]:
    """Until it is over or the time has passed; browsers then come back by themselves."""
    yield b"retry: 1000\n\n"
    limit, waiting = monotonic() + seconds, None
    with context.notices.about(about) as notice:
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


def event(news: News) -> bytes:
    kind = b"over" if news.over else b"progress"
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (news.id.encode(), kind, encode(news.body))


def read_place(text: str) -> str:
    """The state that its client has seen."""
    form = FORM.fullmatch(text)
    if form is None:
        raise BadRequest("this is no id of an event of ours", field="Last-Event-ID")
    return form[3]
