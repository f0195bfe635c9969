"""Keys of the whole service in Redis that can be rotated while it runs: a new key, then the previous ones for a while.

A new key is accepted at once, but used only `LEAD` seconds later, because every process reads the keys anew every
`REFRESH` seconds: so no process meets a signature by a key that it does not know. A previous key stays accepted for the
overlap that the operator chose.
"""

import base64
import time
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from splito_engine.errors import BadOption
from splito_service.errors import Unavailable
from splito_service.ids import Milliseconds
from splito_service.storage.client import Link
from splito_service.storage.scripts import source

REFRESH = 5.0
"""Seconds for which a process uses the keys that it has read."""
LEAD: Milliseconds = 10_000
"""Milliseconds between the rotation and the first use of the new key; twice `REFRESH`."""
MOST = 8
"""Keys that are accepted at the same time."""
MOST_RETIRED = 64
"""Public keys that are listed after they have ended, so that old signatures can be checked."""
BARE = 32
"""Bytes of a key. Before keys could be rotated, the stored value was the key itself."""


class RotatingKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key and the period in which it is valid."""

    secret: bytes
    since_ms: Milliseconds = 0
    """Time of its first use."""
    until_ms: Milliseconds | None = None
    """Time from which it is not accepted any more; None for the newest key."""

    def __repr__(self) -> str:
        return f"RotatingKey(since_ms={self.since_ms}, until_ms={self.until_ms})"


class RetiredKey(msgspec.Struct, frozen=True, kw_only=True):
    """The public half of a key that has ended; its private half is forgotten."""

    public: bytes
    since_ms: Milliseconds
    until_ms: Milliseconds


class Keys(msgspec.Struct, frozen=True, kw_only=True):
    """All keys of one kind."""

    keys: tuple[RotatingKey, ...]
    """The newest first, then the previous ones."""
    retired: tuple[RetiredKey, ...] = ()
    """The last to end first."""

    def accepted(self, now: Milliseconds) -> tuple[RotatingKey, ...]:
        return tuple(key for key in self.keys if key.until_ms is None or key.until_ms > now)

    def current(self, now: Milliseconds) -> RotatingKey:
        """Return the newest key whose time has begun."""
        return next((key for key in self.accepted(now) if key.since_ms <= now), self.keys[0])


class KeyKind(NamedTuple):
    """A kind of keys: its place in Redis, how a key is made, and how to get the public half, if there is one."""

    place: str
    make: Callable[[], bytes]
    public: Callable[[bytes], bytes] | None = None


class Keyring:
    """The keys of one kind. Used in one event loop."""

    def __init__(self, link: Link, kind: KeyKind) -> None:
        self._link, self._kind = link, kind
        self._swap = link.script(source("storage/swap_keys"))
        self._keys: Keys | None = None
        self._read_at = 0.0

    async def read(self) -> Keys:
        """Return the keys, which are at most `REFRESH` seconds old while Redis answers. The first reader makes them."""
        if self._keys is None or time.monotonic() >= self._read_at + REFRESH:
            return await self.refresh()
        return self._keys

    async def rotate(self, overlap: Milliseconds) -> Keys:
        """Add a new key, and let the others be accepted for the overlap; 0 drops them at once."""
        while True:
            raw = await self._load()
            seconds, micros = await self._link.call("TIME")
            after = self._rotated(_decode(raw), 1000 * int(seconds) + int(micros) // 1000, overlap)
            if await self._swap([self._kind.place], [raw, _encode(after)]):
                self._keys, self._read_at = after, time.monotonic()
                return after

    def _rotated(self, before: Keys, now: Milliseconds, overlap: Milliseconds) -> Keys:
        since = now + LEAD if overlap else now
        ended = [
            msgspec.structs.replace(key, until_ms=min(key.until_ms or since + overlap, since + overlap))
            for key in before.keys
        ]
        still = [key for key in ended if (key.until_ms or 0) > now]
        if len(still) >= MOST:
            raise BadOption(
                f"{MOST} keys are accepted already: wait for one to end, or use --keep-days 0", field="keep_days"
            )
        retired = [self._retired(key) for key in ended if key not in still] if self._kind.public else []
        new = RotatingKey(secret=self._kind.make(), since_ms=since)
        return Keys(keys=(new, *still), retired=(*retired, *before.retired)[:MOST_RETIRED])

    def _retired(self, key: RotatingKey) -> RetiredKey:
        public = self._kind.public(key.secret) if self._kind.public else b""
        return RetiredKey(public=public, since_ms=key.since_ms, until_ms=key.until_ms or 0)

    async def refresh(self) -> Keys:
        """Return the keys as they are now; those of before while Redis does not answer."""
        try:
            self._keys = _decode(await self._load())
        except Unavailable:
            if self._keys is None:
                raise
        self._read_at = time.monotonic()
        return self._keys

    async def _load(self) -> bytes:
        raw = await self._link.call("GET", self._kind.place)
        if raw is None:
            first = _encode(Keys(keys=(RotatingKey(secret=self._kind.make()),)))
            await self._link.call("SET", self._kind.place, first, "NX")
            raw = await self._link.call("GET", self._kind.place)
        return raw


def now_ms() -> Milliseconds:
    return int(1000 * time.time())


def _encode(keys: Keys) -> bytes:
    return msgspec.json.encode(keys)


def _decode(raw: bytes) -> Keys:
    if len(raw) == BARE:
        return Keys(keys=(RotatingKey(secret=raw),))
    return msgspec.json.decode(raw, type=Keys)


def text_of(public: bytes, prefix: str) -> str:
    return prefix + base64.b64encode(public).decode()
