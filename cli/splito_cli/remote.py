"""A service as the commands speak to it, over the client of the SDK: JSON, files, events, and refusals with advice."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Self, TypeVar

import msgspec

from splito_arena.errors import Unreachable
from splito_bot.account.access import checked_key
from splito_bot.account.address import read_address
from splito_bot.account.trouble import Trouble, nonsense, of_splito, translated
from splito_bot.events import Frame, Frames
from splito_bot.transport import Transport
from splito_engine.errors import BadOption, GameError

CONNECT = 10.0
"""Seconds to connect to the service."""
WAIT = 50.0
"""Seconds that the service may take longer than that to answer, because large tables take long to compute."""

T = TypeVar("T")


class Refused(GameError):
    """The service refuses a request."""

    code = "refused"

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.cause)
        self.advice = of_splito(trouble.advice)


class Away(Unreachable):
    """No service answers at the address, or something else does."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.cause, field="url")
        self.advice = of_splito(trouble.advice)


class Remote:
    """A service at a URL. It is a context manager, because it keeps connections open."""

    def __init__(self, url: str, key: str | None = None) -> None:
        """Raise `BadOption` if the URL or the key cannot be one."""
        try:
            self.url, self._key = read_address(url), key and checked_key(key)
        except Trouble as trouble:
            raise BadOption(f"{trouble.cause}: {trouble.advice}") from None
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
            with translated(self.url):
                yield
        except Trouble as trouble:
            if trouble.code == Refused.code:
                raise Refused(trouble) from None
            raise Away(trouble) from None

    def _nonsense(self, why: object) -> Away:
        return Away(nonsense(self.url, why))
