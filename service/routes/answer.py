"""An answer on its way out: bytes that are ready, and headers that are.

Litestar sends it as it is. Its own `Response` could do more than we need, and that showed in the benchmarks.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from litestar.types import Receive, Scope, Send

from service.limits import SPENT

JSON = "application/json"
JSON_HEADER = (b"content-type", JSON.encode())
Headers = Sequence[tuple[bytes, bytes]]


class Answer:
    """JSON, or nothing at all."""

    __slots__ = ("_body", "_headers", "_status")

    def __init__(self, body: bytes = b"", status: int = 200, headers: Headers = (), kind: str = JSON) -> None:
        self._body, self._status = body, status
        self._headers = [*headers]
        if body:
            self._headers.append(JSON_HEADER if kind is JSON else (b"content-type", kind.encode()))
            self._headers.append((b"content-length", b"%d" % len(body)))

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        headers = self._headers + limit_headers(scope)
        await send({"type": "http.response.start", "status": self._status, "headers": headers})
        await send({"type": "http.response.body", "body": self._body, "more_body": False})


def limit_headers(scope: Scope) -> list[tuple[bytes, bytes]]:
    """What is left to the client, if there is a limit."""
    found: Any = scope
    return found.get(SPENT, [])


def packed(headers: Mapping[str, str]) -> Headers:
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]
