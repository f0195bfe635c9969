"""HTTP requests to a service: bounded in size and time, repeated where that is safe, never redirected.

What answers at a URL need not be a Splito Arena, so an answer is read up to a limit only, and a key is sent to the
given address alone.
"""

import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from math import inf
from typing import Any, TypeAlias

import httpx
import msgspec

from splito_bot.errors import refusal
from splito_bot.messages import MoveProblem

Query: TypeAlias = Mapping[str, str | int | None]

NO_CONTENT = 204
IDEMPOTENT = ("GET", "PUT", "DELETE")
"""Methods of requests that may be repeated without harm."""
REPEATABLE = ("GET", "PUT")
"""Methods of requests that get the same answer again; a repeated DELETE would find nothing to delete."""
BROKEN = (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError)
"""Errors of a connection that breaks after it was made."""
SILENCE = 45.0
"""Seconds without a byte after which an event stream counts as broken; the service sends a comment every 15."""
LARGEST = 64_000_000
"""Bytes of an answer that is no file."""
LONGEST = 60.0
"""Seconds in which an answer that is no file must have come as a whole, beyond the time that the service waits."""


class Transport:
    """The connections to one service."""

    def __init__(self, url: str, retries: int, timeout: float) -> None:
        self._http = httpx.Client(base_url=url, timeout=timeout)
        self._retries = retries
        self._timeout = timeout

    def close(self) -> None:
        self._http.close()

    def send(  # noqa: PLR0913 (the parts of a request)
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: object = None,
        token: str | None = None,
        wait: float = 0.0,
        problem: Any = MoveProblem[Any],
        file: bool = False,
    ) -> bytes:
        """Return the body of the answer. Raise `Refused` if the service refuses the request.

        `wait` is how many seconds the service may take before it answers. A `file` may be of any size and take any
        time.
        """
        headers = _headers(token)
        if body is not None:
            headers["Content-Type"] = "application/json"
        request = self._http.build_request(
            method,
            path,
            params={name: value for name, value in (query or {}).items() if value is not None},
            content=None if body is None else msgspec.json.encode(body),
            headers=headers,
            timeout=httpx.Timeout(self._timeout, read=self._timeout + wait),
        )
        longest = inf if file else wait + LONGEST
        return self._persist(request, problem, self._retries if method in IDEMPOTENT else 0, longest)

    def _persist(self, request: httpx.Request, problem: Any, retries: int, longest: float) -> bytes:
        with closing(self._begin(request)) as response:
            content = _whole(response, longest)
        if response.is_success:
            return content
        refused = refusal(response, problem, content)
        if not (retries and refused.passing):
            raise refused
        time.sleep(refused.retry_after or 0)
        return self._persist(request, problem, retries - 1, longest)

    @contextmanager
    def download(self, path: str, token: str | None = None, wait: float = 0.0) -> Generator[Iterator[bytes]]:
        """Yield the pieces of a file of any size. Raise `Refused` if the service refuses the request."""
        timeout = httpx.Timeout(self._timeout, read=self._timeout + wait)
        request = self._http.build_request("GET", path, headers=_headers(token), timeout=timeout)
        with _granted(self._begin(request)) as response:
            yield response.iter_bytes()

    @contextmanager
    def events(self, path: str, last_event_id: str | None, token: str | None = None) -> Generator[httpx.Response]:
        """Yield the answer that is a stream of server-sent events, or has the status 204 if no more are to come.

        A broken connection is an error here, because the reader of the events decides when to connect again.
        """
        headers = {**_headers(token), "Accept": "text/event-stream"}
        if last_event_id is not None:
            headers["Last-Event-ID"] = last_event_id
        timeout = httpx.Timeout(self._timeout, read=SILENCE)
        request = self._http.build_request("GET", path, headers=headers, timeout=timeout)
        with _granted(self._http.send(request, stream=True)) as response:
            kind = response.headers.get("content-type", "").partition(";")[0]
            if response.status_code != NO_CONTENT and kind != "text/event-stream":
                raise httpx.RemoteProtocolError(f"status {response.status_code} without any events in the answer")
            yield response

    def _begin(self, request: httpx.Request) -> httpx.Response:
        """Send a request and return the beginning of the answer.

        If the connection breaks before the answer begins, a request that may be repeated is sent once more, because a
        server or proxy may close a kept connection at the moment in which the client uses it again.
        """
        try:
            return self._http.send(request, stream=True)
        except BROKEN:
            if request.method not in REPEATABLE:
                raise
            return self._http.send(request, stream=True)


@contextmanager
def _granted(response: httpx.Response) -> Generator[httpx.Response]:
    """Yield an answer whose body is read in pieces. Raise `Refused` if the service refuses the request."""
    with closing(response):
        if not response.is_success:
            raise refusal(response, content=_whole(response, LONGEST))
        yield response


def _headers(token: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}


def _whole(response: httpx.Response, longest: float) -> bytes:
    """Return the body. Raise `httpx.ReadError` if it takes more seconds than that, or has more than `LARGEST` bytes.

    A body that may take for ever, of a file, may have any size too.
    """
    until, found = time.monotonic() + longest, bytearray()
    for piece in response.iter_bytes():
        found += piece
        if time.monotonic() > until or (len(found) > LARGEST and longest < inf):
            raise httpx.ReadError(f"the answer, of status {response.status_code}, is too long or too slow")
    return bytes(found)
