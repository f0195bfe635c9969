"""How much one client may ask for in a minute, counted in Redis for all processes together.

A process takes permits in lots, so most requests need no call: the total never exceeds the quota, whatever the number
of processes, but what a process has taken and not used is lost to the others until the minute ends.
"""

import time
from typing import Any, NamedTuple

import msgspec

from splito_service.errors import TooMany
from splito_service.storage.client import Link

WINDOW = 60
"""Seconds. Minutes are those of the clock: two quotas may be used within one if it is around the turn of a minute."""
LOTS = 50
"""Into how many lots a quota is divided."""

SPENT = "splito.spent"
"""Where a request carries the headers about its limits: a key of its scope."""

TAKE = """
-- KEYS  1 what was taken in this minute  ARGV  1 the quota, 2 the lot wanted, 3 seconds to keep the count
-- Returns how many permits are given, and how many are left for others.
local taken = tonumber(redis.call('GET', KEYS[1]) or 0)
local given = math.max(0, math.min(ARGV[2], ARGV[1] - taken))
if given > 0 then
  redis.call('INCRBY', KEYS[1], given)
  redis.call('EXPIRE', KEYS[1], ARGV[3])
end
return {given, ARGV[1] - taken - given}
"""


class Quota(msgspec.Struct, frozen=True):
    """A limit of so many requests a minute; 0 is none."""

    name: str
    permits: int
    policy: bytes = b""
    """As clients are told of it. It follows from the rest."""
    mark: bytes = b""

    def __post_init__(self) -> None:
        mark = f'"{self.name}"'.encode()
        msgspec.structs.force_setattr(self, "mark", mark)
        msgspec.structs.force_setattr(self, "policy", b"%b;q=%d;w=%d" % (mark, self.permits, WINDOW))


class Spent(NamedTuple):
    """What came of asking for a permit."""

    quota: Quota
    granted: bool
    remaining: int
    seconds: int
    """Until the quota is full again."""

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        """As in the IETF's draft of RateLimit fields for HTTP."""
        left = b"%b;r=%d;t=%d" % (self.quota.mark, self.remaining, self.seconds)
        found = [(b"ratelimit-policy", self.quota.policy), (b"ratelimit", left)]
        return found if self.granted else [*found, (b"retry-after", b"%d" % self.seconds)]


class Limits:
    def __init__(self, link: Link) -> None:
        self._take = link.script(TAKE)
        self._minute = 0
        self._lots: dict[tuple[str, str], tuple[int, int]] = {}
        """By quota and client: permits this process holds, and how many Redis had left."""

    def spend_held(self, quota: Quota, client: str, now: float) -> Spent | None:
        """One request, if this process holds a permit for it: mostly it does, and then nobody has to wait."""
        self._turn_page(int(now) // WINDOW)
        held, rest = self._lots.get((quota.name, client), (0, 0))
        if not held:
            return None
        self._lots[quota.name, client] = held - 1, rest
        return Spent(quota, True, held - 1 + rest, WINDOW - int(now) % WINDOW)

    async def spend(self, quota: Quota, client: str, now: float | None = None) -> Spent | None:
        """One request. Nothing to tell if there is no limit."""
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
        held, _ = self._lots.get((quota.name, client), (0, 0))  # another task may have fetched a lot meanwhile
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
