"""A service somewhere, as the commands speak to it: JSON there and back, events, and refusals in its own words.

No redirect is followed: a key is for this service alone.
"""

import time
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import msgspec

from arena.errors import Unreachable
from engine.errors import BadOption

LIMIT = 30.0
"""Seconds for the service to answer; of events there is something to be heard more often than that."""
LARGEST = 256_000_000
"""Bytes of what it may answer."""
PAUSE = 1.0
"""Seconds between two tries to hear more."""
TRIES = 30
"""In a row that may fail."""
KINDS: dict[str, Any] = {"http": HTTPConnection, "https": HTTPSConnection}

T = TypeVar("T")


class Problem(msgspec.Struct, frozen=True):
    """What we read of a refusal (RFC 9457)."""

    code: str
    detail: str


class Event(NamedTuple):
    id: str
    """Its own, or that of the one before."""
    kind: str
    body: bytes


class Remote:
    def __init__(self, url: str, key: str | None = None) -> None:
        self.url = url.rstrip("/")
        self._place = urlsplit(url)
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        with closing(self._connection()):
            pass  # what is no address is refused here

    def get(self, path: str, kind: type[T]) -> T:
        return self._decoded(*self._read("GET", path), kind)

    def send(self, method: str, path: str, body: object, kind: type[T]) -> T:
        return self._decoded(*self._read(method, path, msgspec.json.encode(body)), kind)

    def fetch(self, path: str) -> bytes:
        return self._read("GET", path)[1]

    def events(self, path: str) -> Generator[Event]:
        """As they come, whatever happens to the connection meanwhile, until the service has no more."""
        last, failed = "", 0
        while True:
            try:
                with self._answer("GET", path, headers={"Last-Event-ID": last} if last else {}) as answer:
                    if answer.status == 204:
                        return
                    self._check(answer.status, b"" if answer.status == 200 else answer.read(LARGEST))
                    for event in _events(answer, last):
                        last, failed = event.id, 0
                        yield event
            except Unreachable:
                failed += 1
                if failed == TRIES:
                    raise
            time.sleep(PAUSE)

    def _read(self, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        with self._answer(method, path, body) as answer:
            found = answer.read(LARGEST)
            self._check(answer.status, found)
            return answer.status, found

    @contextmanager
    def _answer(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Generator[HTTPResponse]:
        typed = {} if body is None else {"Content-Type": "application/json"}
        with closing(self._connection()) as connection:
            try:
                connection.request(
                    method, self._place.path.rstrip("/") + path, body, {**self._headers, **typed, **(headers or {})}
                )
                yield connection.getresponse()
            except (OSError, HTTPException) as error:
                why = error or type(error).__name__
                raise Unreachable(f"no service at {self.url}: {why}", field="url") from None

    def _connection(self) -> HTTPConnection:
        try:
            return KINDS[self._place.scheme](self._place.hostname, self._place.port, timeout=LIMIT)
        except (KeyError, ValueError, HTTPException):
            form = "write https://host or http://host:port"
            raise BadOption(f"{self.url!r} is no address of a service: {form}", field="url") from None

    def _check(self, status: int, body: bytes) -> None:
        if not 200 <= status < 300:
            problem = self._decoded(status, body, Problem)
            raise BadOption(f"the service refuses it, {problem.code}: {problem.detail}")

    def _decoded(self, status: int, body: bytes, kind: type[T]) -> T:
        try:
            return msgspec.json.decode(body, type=kind)
        except msgspec.DecodeError:
            what = f"answers with status {status}, and not as the service does"
            raise Unreachable(f"{self.url} {what}", field="url") from None


def _events(lines: HTTPResponse, last: str) -> Iterator[Event]:
    kind, body = "message", b""
    for raw in lines:
        name, _, value = raw.strip(b"\r\n").partition(b": ")
        if name == b"id":
            last = value.decode()
        elif name == b"event":
            kind = value.decode()
        elif name == b"data":
            body += value
        elif not name and body:
            yield Event(last, kind, body)
            kind, body = "message", b""
