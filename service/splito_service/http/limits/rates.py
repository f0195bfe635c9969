"""Rates of clients: requests per minute, counted in Redis for all processes together.

A process takes permits in lots, so most requests need no call of Redis. The total never exceeds the quota, whatever the
number of processes, but permits that a process has taken and not used are lost to the others until the minute ends.
"""

import time
from typing import Any, NamedTuple

import msgspec

from splito_service.errors import TooMany
from splito_service.storage.client import Link
from splito_service.storage.scripts import source

WINDOW = 60
"""Length of a window in seconds.

Windows are minutes of the clock, so a client may use two quotas around the turn of a minute.
"""
LOTS = 50
"""Number of lots that a quota is divided into."""

SPENT = "splito.spent"
"""Key of a request's scope that holds the headers about its limits."""


class Quota(msgspec.Struct, frozen=True):
    """A limit of requests per minute; 0 means no limit."""

    name: str
    permits: int
    policy: bytes = b""
    """Text of the quota for the header `RateLimit-Policy`. It follows from the other fields."""
    mark: bytes = b""

    def __post_init__(self) -> None:
        mark = f'"{self.name}"'.encode()
        msgspec.structs.force_setattr(self, "mark", mark)
        msgspec.structs.force_setattr(self, "policy", b"%b;q=%d;w=%d" % (mark, self.permits, WINDOW))


class Spent(NamedTuple):
    """The outcome of taking a permit."""

    quota: Quota
    granted: bool
    remaining: int
    seconds: int
    """Seconds until the quota is full again."""

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        """Return the headers of the IETF's draft of RateLimit fields for HTTP."""
        left = b"%b;r=%d;t=%d" % (self.quota.mark, self.remaining, self.seconds)
        found = [(b"ratelimit-policy", self.quota.policy), (b"ratelimit", left)]
        return found if self.granted else [*found, (b"retry-after", b"%d" % self.seconds)]


class Limits:
    def __init__(self, link: Link) -> None:
        self._take = link.script(source("http/take_permits"))
        self._minute = 0
        self._lots: dict[tuple[str, str], tuple[int, int]] = {}
        """Permits that this process holds, and permits left in Redis, by quota and client."""

    def spend_held(self, quota: Quota, client: str, now: float) -> Spent | None:
        """Take a permit that this process holds, without waiting; None if it holds none."""
        self._turn_page(int(now) // WINDOW)
        held, rest = self._lots.get((quota.name, client), (0, 0))
        if not held:
            return None
        self._lots[quota.name, client] = held - 1, rest
        return Spent(quota, True, held - 1 + rest, WINDOW - int(now) % WINDOW)

    async def spend(self, quota: Quota, client: str, now: float | None = None) -> Spent | None:
        """Take a permit, from Redis if needed; None if there is no limit."""
        if not quota.permits:
            return None
        now = time.time() if now is None else now
        spent = self.spend_held(quota, client, now)
        if spent is None:
            self._lots[quota.name, client] = await self._more(quota, client)
            spent = self.spend_held(quota, client, now)
        if spent is None:
            _, rest = self._lots[quota.name, client]
            spent = Spent(quota, False, rest, WINDOW - int(now) % WINDOW)
        return spent

    async def _more(self, quota: Quota, client: str) -> tuple[int, int]:
        lot = max(1, quota.permits // LOTS)
        given, rest = await self._take(
            [f"limit:{quota.name}:{client}:{self._minute}"], [quota.permits, lot, 2 * WINDOW]
        )
        held, _ = self._lots.get((quota.name, client), (0, 0))  # another task may have fetched a lot in between
        return held + given, rest

    def _turn_page(self, minute: int) -> None:
        if minute != self._minute:
            self._minute, self._lots = minute, {}


async def spend_permit(scope: Any, limits: Limits, quota: Quota, client: str) -> None:
    """Take one permit for a request and note its headers in the scope. Raise `TooMany` if none is left."""
    spent = limits.spend_held(quota, client, time.time()) or await limits.spend(quota, client)
    if spent is None:
        return
    scope[SPENT] = spent.headers
    if not spent.granted:
        raise TooMany(f"at most {quota.permits} a minute; try again in {spent.seconds} s", field=quota.name)
