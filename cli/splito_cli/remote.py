"""A service somewhere, as the commands speak to it: JSON there and back, files, events, and refusals in its own words.

No redirect is followed: a key is for this service alone. Whatever is sent back is bounded in size and, but for files
and events, in time, for what answers at a URL need not be a service of ours.
"""

import os
import re
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from pathlib import Path
from typing import NamedTuple, TypeVar
from urllib.parse import urlsplit

import msgspec

from splito_arena.errors import Unreachable
from splito_engine.errors import BadOption, GameError

FIRST = 10.0
"""Seconds for the service to be there at all."""
LIMIT = 60.0
"""Seconds for it to answer: large tables take it a while. Of events there is something to be heard more often."""
LARGEST = 64_000_000
"""Bytes of an answer that is no file, and of an event."""
PIECE = 65_536
LONGEST = 500
"""Characters of what is passed on to a person."""
PAUSE = 1.0
"""Seconds between two tries to hear more."""
TRIES = 30
"""In a row that may fail."""
LATER = 429
"""The first status of those that say nothing against the request itself."""
FORM = re.compile(
    r"(?i:https?)://(\[[0-9a-fA-F.]*:[0-9a-fA-F:.]*\]|[^\s:/?#@\[\]\\]+)(:[0-9]*)?(/[\w./~%+-]*)?", re.ASCII
)
KINDS: dict[str, tuple[type[HTTPConnection], int]] = {"http": (HTTPConnection, 80), "https": (HTTPSConnection, 443)}
ADVICE = {
    "no-key": "give a key of yours with --key; POST /v1/owners makes the first",
    "wrong-scope": "make a key with that scope: POST /v1/keys",
    "not-allowed": "ask the owner of the bot to open it: PUT /v1/bots/{bot} with open_to",
    "wrong-owner": "give a key of who it belongs to with --key",
    "unknown-tournament": "see that --url is the service where it was begun: GET /v1/tournaments lists what is there",
    "too-many-requests": "wait a little, and try again",
    "too-many-matches": "wait until one of your matches among bots alone is over, and try again",
    "too-many-streams": "close what else watches or waits at this service, and try again",
    "too-many-connections": "wait a little, and try again",
    "too-slow": "see that the connection is good, and try again",
    "busy": "wait a little, and try again",
    "lookup-failed": "wait a little, and try again; see that the name servers of the bot's name answer",
    "unavailable": "wait a little, and try again",
    "unexpected": "try again; it is a bug of the service, and its log has it",
}
"""What to do about a refusal, by its code."""
NO_EVENTS = "there are no events in it"
OTHERWISE = "set that right; docs/errors.md says what each code means"

T = TypeVar("T")


class Refused(GameError):
    """The service says no."""

    code = "refused"

    def __init__(self, status: int, problem: "Problem") -> None:
        super().__init__(f"{problem.code}: {problem.detail}"[:LONGEST])
        self.passing = status >= LATER
        self.advice = ADVICE.get(problem.code, OTHERWISE)


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
        """Raises `BadOption` for what cannot be an address or a key."""
        self.url = url.rstrip("/")
        self._host, self._path, self._kind, self._port = _place(url)
        self._headers = {"Authorization": f"Bearer {_checked(key)}"} if key else {}

    def get(self, path: str, kind: type[T]) -> T:
        return self._asked("GET", path, None, kind)

    def send(self, method: str, path: str, body: object, kind: type[T]) -> T:
        return self._asked(method, path, msgspec.json.encode(body), kind)

    def save(self, path: str, file: Path) -> None:
        """The whole of it, or nothing."""
        draft = file.with_name(f".{file.name}.{os.getpid()}")
        try:
            with self._answer("GET", path) as answer, draft.open("wb") as out:
                out.writelines(self._pieces(answer))
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)

    def events(self, path: str) -> Generator[Event]:
        """As they come, whatever happens to the connection meanwhile, until the service has no more."""
        last, failed = "", 0
        while True:
            try:
                with self._answer("GET", path, headers={"Last-Event-ID": last} if last else {}) as answer:
                    if answer.status == 204:
                        return
                    if answer.headers.get_content_type() != "text/event-stream":
                        raise self._nonsense(f"status {answer.status}", NO_EVENTS)
                    for event in _events(self._lines(answer), last):
                        last, failed = event.id, 0
                        yield event
            except (Unreachable, Refused) as error:
                failed += 1
                if failed == TRIES or (isinstance(error, Refused) and not error.passing):
                    raise
            time.sleep(PAUSE)

    def decoded(self, body: bytes, kind: type[T], status: int = 200) -> T:
        """What it says, which need not be what it should."""
        try:
            return msgspec.json.decode(body, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise self._nonsense(f"status {status}", error) from None

    def _asked(self, method: str, path: str, body: bytes | None, kind: type[T]) -> T:
        with self._answer(method, path, body) as answer:
            return self.decoded(self._whole(answer), kind, answer.status)

    @contextmanager
    def _answer(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Generator[HTTPResponse]:
        """What is no refusal."""
        typed = {} if body is None else {"Content-Type": "application/json"}
        with closing(self._kind(self._host, self._port, timeout=FIRST)) as connection:
            with self._reached():
                connection.connect()
                connection.sock.settimeout(LIMIT)
                connection.request(method, self._path + path, body, {**self._headers, **typed, **(headers or {})})
                answer = connection.getresponse()
            with closing(answer):
                if not 200 <= answer.status < 300:
                    raise Refused(answer.status, self.decoded(self._whole(answer), Problem, answer.status))
                yield answer

    @contextmanager
    def _reached(self) -> Generator[None]:
        """Around whatever is heard of it."""
        try:
            yield
        except (OSError, HTTPException) as error:
            why = f"{error or type(error).__name__}"[:LONGEST]
            raise Unreachable(f"no service at {self.url}: {why}", field="url") from None

    def _whole(self, answer: HTTPResponse) -> bytes:
        until, found = time.monotonic() + LIMIT, bytearray()
        for piece in self._pieces(answer):
            found += piece
            if len(found) > LARGEST or time.monotonic() > until:
                raise self._nonsense(f"status {answer.status}", "it does not come to an end")
        return bytes(found)

    def _pieces(self, answer: HTTPResponse) -> Iterator[bytes]:
        left = answer.length
        with self._reached():
            while left != 0 and (piece := answer.read1(PIECE)):
                left = None if left is None else left - len(piece)
                yield piece
        if left:
            raise self._nonsense(f"status {answer.status}", "it breaks off")

    def _lines(self, answer: HTTPResponse) -> Iterator[tuple[bytes, bytes]]:
        """Name and value of each, for as long as the connection lasts. One without a word is as good as none."""
        size = heard = 0
        with self._reached():
            while line := answer.readline(LARGEST + 1):
                name, _, value = line.rstrip(b"\r\n").partition(b":")
                size, heard = size + len(line) if name else 0, heard + 1
                if size > LARGEST:
                    raise self._nonsense("an event", "it does not come to an end")
                yield name, value.removeprefix(b" ")
        if not heard:
            raise self._nonsense(f"status {answer.status}", NO_EVENTS)

    def _nonsense(self, what: str, why: object) -> Unreachable:
        text = f"{self.url} answers with {what}, and not as the service does: {why}"
        return Unreachable(text[:LONGEST], field="url")


def _events(lines: Iterable[tuple[bytes, bytes]], last: str) -> Iterator[Event]:
    kind, body = "message", b""
    for name, value in lines:
        if name == b"id" and _is_plain(value):
            last = value.decode()
        elif name == b"event":
            kind = value.decode(errors="replace")
        elif name == b"data":
            body += value
        elif not name and not value:
            if body:
                yield Event(last, kind, body)
            kind, body = "message", b""


def _place(url: str) -> tuple[str, str, type[HTTPConnection], int]:
    """Host, path, and how to connect."""
    try:
        parts = urlsplit(url if FORM.fullmatch(url) else "")
        host, port = parts.hostname or "", parts.port
        host.encode("idna")
        kind, usual = KINDS[parts.scheme]
    except (KeyError, ValueError):
        form = "write https://host or http://host:port"
        raise BadOption(f"{url!r} is no address of a service: {form}", field="url") from None
    return host, parts.path.rstrip("/"), kind, port or usual


def _checked(key: str) -> str:
    """It is not quoted: it may be one of something else."""
    if not _is_plain(key.encode()):
        raise BadOption("--key is no key: copy the whole of it, `key-` included, and nothing else", field="key")
    return key


def _is_plain(text: bytes) -> bool:
    return re.fullmatch(rb"[!-~]+", text) is not None
