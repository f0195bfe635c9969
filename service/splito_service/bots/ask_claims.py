"""Claims of asks in Redis: one process at a time asks a registered bot a question.

A claim is a key that expires soon unless the process renews it. Two processes that play the same match therefore do not
ask a bot twice, and another process asks again soon after the first was killed.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from secrets import token_hex
from time import monotonic

from splito_service.storage.client import Link

LEASE = 3000
"""Lease of a claim in milliseconds, the same as the lease of a match."""
RENEWAL = 1.0
"""Seconds between two renewals of a claim."""


class Claims:
    """The claims of one process."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._name = token_hex(8)
        self._held: set[str] = set()
        self._renewed = 0.0

    @asynccontextmanager
    async def holding(self, ask_id: str) -> AsyncGenerator[bool]:
        """Yield True if this process got the claim of the ask.

        The claim is left to expire, because the move is sealed by then.
        """
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
        """Return True if no process has done the deed within the last `seconds`."""
        return await self._link.call("SET", deed, self._name, "NX", "EX", seconds) is not None

    async def renew(self) -> None:
        """Renew the held claims if the last renewal is more than `RENEWAL` seconds ago."""
        if self._held and monotonic() - self._renewed > RENEWAL:
            self._renewed = monotonic()
            for key in tuple(self._held):
                await self._link.call("PEXPIRE", key, LEASE)
