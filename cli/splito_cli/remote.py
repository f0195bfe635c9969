"""A service as the commands speak to it, over the client of the SDK: JSON, files, events, and refusals with advice."""

import os
import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Self, TypeVar
from urllib.parse import urlsplit

import httpx
import msgspec

from splito_arena.errors import Unreachable
from splito_bot import errors as sdk_errors
from splito_bot.events import Frame, Frames
from splito_bot.transport import Transport
from splito_engine.errors import BadOption, GameError

CONNECT = 10.0
"""Seconds to connect to the service."""
WAIT = 50.0
"""Seconds that the service may take longer than that to answer, because large tables take long to compute."""
LONGEST = 500
"""Characters of a message to a person."""
FORM = re.compile(
    r"(?i:https?)://(\[[0-9a-fA-F.]*:[0-9a-fA-F:.]*\]|[^\s:/?#@\[\]\\]+)(:[0-9]*)?(/[\w./~%+-]*)?", re.ASCII
)
ADVICE = {
    "no-key": "give a key of yours with --key; POST /v1/owners creates the first",
    "wrong-scope": "create a key with that scope: POST /v1/keys",
    "not-allowed": "ask the owner of the bot to open it: PUT /v1/bots/{bot} with open_to",
    "banned": "ask the organisers of the arena about it",
    "protected": "ask the operator of the service",
    "wrong-owner": "give a key of its owner with --key",
    "unknown-tournament": "check that --url is the service that holds it: GET /v1/tournaments lists its tournaments",
    "unknown-series": "check that --url is the service that holds it: GET /v1/series lists its series",
    "too-many-requests": "wait a little, and try again",
    "too-many-matches": "wait until one of your matches among bots alone is over, and try again",
    "too-many-streams": "close your other programs that watch or wait at this service, and try again",
    "too-many-connections": "wait a little, and try again",
    "too-slow": "check that the connection is good, and try again",
    "busy": "wait a little, and try again",
    "lookup-failed": "wait a little, and try again; check that the name servers of the bot's name answer",
    "unavailable": "wait a little, and try again",
    "unexpected": "try again; this is a bug of the service, and its log has the details",
}
"""Advice about a refusal, by its code."""
OTHERWISE = "correct the request; docs/errors.md explains each code"

T = TypeVar("T")


class Refused(GameError):
    """The service refuses a request."""

    code = "refused"

    def __init__(self, refused: sdk_errors.Refused) -> None:
        super().__init__(f"{refused.code}: {refused.detail}"[:LONGEST])
        self.advice = ADVICE.get(refused.code, OTHERWISE)


class Remote:
    """A service at a URL. It is a context manager, because it keeps connections open."""

    def __init__(self, url: str, key: str | None = None) -> None:
        """Raise `BadOption` if the URL or the key cannot be one."""
        _check_url(url)
        self.url = url.rstrip("/")
        self._key = key and _checked(key)
        self._transport = Transport(self.url, retries=0, timeout=CONNECT)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._transport.close()

    def get(self, path: str, kind: type[T], limit: int | None = None) -> T:
        """Return the answer; of a list, a page with at most `limit` entries."""
        return self._asked("GET", path, None, kind, limit)

    def send(self, method: str, path: str, body: object, kind: type[T]) -> T:
        return self._asked(method, path, body, kind)

    def delete(self, path: str) -> None:
        with self._errors_translated():
            self._transport.send("DELETE", path, token=self._key, wait=WAIT)

    def save(self, path: str, file: Path) -> None:
        """Write the answer to the file: all of it, or nothing."""
        draft = file.with_name(f".{file.name}.{os.getpid()}")
        try:
            with (
                self._errors_translated(),
                self._transport.download(path, self._key, WAIT) as pieces,
                draft.open("wb") as out,
            ):
                out.writelines(pieces)
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)

    def events(self, path: str) -> Generator[Frame]:
        """Yield the events of a stream until the service has no more, over as many connections as needed."""
        with self._errors_translated():
            yield from Frames(self._transport, path, None, token=self._key, patient=True)

    def decoded(self, body: bytes | str, kind: type[T]) -> T:
        """Return the answer as that type. Raise `Unreachable` if it is something else."""
        try:
            return msgspec.json.decode(body, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise self._nonsense(error) from None

    def _asked(self, method: str, path: str, body: object, kind: type[T], limit: int | None = None) -> T:
        with self._errors_translated():
            answer = self._transport.send(method, path, body=body, query={"limit": limit}, token=self._key, wait=WAIT)
        return self.decoded(answer, kind)

    @contextmanager
    def _errors_translated(self) -> Generator[None]:
        """Raise errors of the SDK and of httpx as errors of this program."""
        try:
            yield
        except sdk_errors.Refused as error:
            if error.code == "unreadable":
                raise self._nonsense(f"status {error.status} without a problem document") from None
            raise Refused(error) from None
        except (httpx.ConnectError, httpx.TimeoutException) as error:
            text = f"no service at {self.url}: {str(error) or type(error).__name__}"
            raise Unreachable(text[:LONGEST], field="url") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self._nonsense(str(error) or type(error).__name__) from None

    def _nonsense(self, why: object) -> Unreachable:
        return Unreachable(f"{self.url} does not answer as the service does: {why}"[:LONGEST], field="url")


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url if FORM.fullmatch(url) else "")
        _ = parts.port
        (parts.hostname or "").encode("idna")
    except ValueError:
        parts = urlsplit("")
    if not parts.hostname:
        form = "write https://host or http://host:port"
        raise BadOption(f"{url!r} is no address of a service: {form}", field="url")


def _checked(key: str) -> str:
    """Return the key. The message never quotes it, because it may be a secret of something else."""
    if re.fullmatch(r"[!-~]+", key) is None:
        raise BadOption("--key is no key: copy the whole of it, `key-` included, and nothing else", field="key")
    return key
