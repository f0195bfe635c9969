"""Which process asks a registered bot: one at a time, for as long as it lives.

A claim is a key that lapses by itself soon; whoever holds it renews it. So a bot is not asked twice because two
processes attend to its table, and it is asked again soon after the one that asked was killed.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from secrets import token_hex
from time import monotonic

from splito_service.storage.client import Link

LEASE = 3000
"""Milliseconds, as for tables."""
RENEWAL = 1.0
"""Seconds between two renewals."""


class Claims:
    """Those of one process."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._name = token_hex(8)
        self._held: set[str] = set()
        self._renewed = 0.0

    @asynccontextmanager
    async def holding(self, ask_id: str) -> AsyncGenerator[bool]:
        """Whether it is ours. It is left to lapse: by then, what was decided has been sealed."""
        key = f"asking:{ask_id}"
        ours = await self._link.call("SET", key, self._name, "NX", "PX", LEASE) is not None
        if ours:
            self._held.add(key)
        try:
            yield ours
        finally:
            if ours:
                self._held.discard(key)

    async def first(self, deed: str, seconds: int) -> bool:
        """Whether nobody has done it within that time."""
        return await self._link.call("SET", deed, self._name, "NX", "EX", seconds) is not None

    async def renew(self) -> None:
        """To be called more often than is needed."""
        if self._held and monotonic() - self._renewed > RENEWAL:
            self._renewed = monotonic()
            for key in tuple(self._held):
                await self._link.call("PEXPIRE", key, LEASE)
