"""An answer that is a stream of server-sent events."""

from collections.abc import AsyncGenerator

from splito_service.http.answers.responses import packed
from splito_service.http.answers.streamed import Streamed
from splito_service.http.common import AnyRequest
from splito_service.http.limits.client_limits import client_of, limits_of

BEAT = 15.0
"""Seconds after which a comment is sent if there is nothing else to send; and after which we look for ourselves."""


STEP = 1.0
"""Seconds between two tries when Redis does not answer."""


HEADERS = packed({"Cache-Control": "no-store", "X-Accel-Buffering": "no"})


def event_stream(request: AnyRequest, events: AsyncGenerator[bytes]) -> Streamed:
    """Return the answer that sends these events. Raise `TooManyStreams`."""
    permit = limits_of(request.scope).streams.take(client_of(request.scope))
    return Streamed(events, "text/event-stream", HEADERS, permit)
