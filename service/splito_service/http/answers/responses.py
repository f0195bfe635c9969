"""Answers with a ready body and ready headers.

Litestar sends them as they are. Its own `Response` does more than is needed, which showed in the benchmarks.
"""

from collections.abc import Mapping, Sequence

from litestar.types import Receive, Scope, Send

JSON = "application/json"
JSON_HEADER = (b"content-type", JSON.encode())
PIECE = 65_536
"""Bytes that are handed to the server at a time."""
Headers = Sequence[tuple[bytes, bytes]]


class Answer:
    """An answer with a JSON body, or without a body."""

    __slots__ = ("_body", "_headers", "_status")

    def __init__(self, body: bytes = b"", status: int = 200, headers: Headers = (), kind: str = JSON) -> None:
        self._body, self._status = body, status
        self._headers = [*headers]
        if body:
            self._headers.append(JSON_HEADER if kind is JSON else (b"content-type", kind.encode()))
            self._headers.append((b"content-length", b"%d" % len(body)))

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        """Send the answer; a long one in pieces, so that the server holds no more of it than the client reads."""
        await send({"type": "http.response.start", "status": self._status, "headers": self._headers})
        body, sent = self._body, 0
        while len(body) - sent > PIECE:
            await send({"type": "http.response.body", "body": body[sent : sent + PIECE], "more_body": True})
            sent += PIECE
        await send({"type": "http.response.body", "body": body[sent:], "more_body": False})


def has_tag(wanted: str | None, tag: str) -> bool:
    """True if `If-None-Match` names this answer; a proxy may have made the tag a weak one."""
    return wanted is not None and any(one.strip().removeprefix("W/") in (tag, "*") for one in wanted.split(","))


def packed(headers: Mapping[str, str]) -> Headers:
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]
