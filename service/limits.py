"""How much one client may ask for in a minute, counted in Redis for all processes together.

A process takes permits in lots, so most requests need no call: the total never exceeds the quota, whatever the number
of processes, but what a process has taken and not used is lost to the others until the minute ends.
"""

import time
from typing import NamedTuple

import msgspec

from service.store.link import Link

WINDOW = 60
"""Seconds. Minutes are those of the clock: two quotas may be used within one if it is around the turn of a minute."""
LOTS = 50
"""Into how many lots a quota is divided."""

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
        name = self.quota.name
        found = {
            "ratelimit-policy": f'"{name}";q={self.quota.permits};w={WINDOW}',
            "ratelimit": f'"{name}";r={self.remaining};t={self.seconds}',
        }
        if not self.granted:
            found["retry-after"] = str(self.seconds)
        return [(field.encode(), value.encode()) for field, value in found.items()]


class Limits:
    def __init__(self, link: Link) -> None:
        self._take = link.script(TAKE)
        self._minute = 0
        self._lots: dict[tuple[str, str], tuple[int, int]] = {}
        """By quota and client: permits this process holds, and how many Redis had left."""

    async def spend(self, quota: Quota, client: str, now: float | None = None) -> Spent | None:
        """One request. Nothing to tell if there is no limit."""
        if not quota.permits:
            return None
        now = time.time() if now is None else now
        self._turn_page(int(now) // WINDOW)
        held, rest = self._lots.get((quota.name, client), (0, 0))
        if not held:
            held, rest = await self._more(quota, client)
        self._lots[quota.name, client] = max(held - 1, 0), rest
        return Spent(quota, held > 0, max(held - 1, 0) + rest, WINDOW - int(now) % WINDOW)

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
