"""Values that many requests share: made once for all that ask at the same time, and good for a while."""

import asyncio
from collections.abc import Callable, Coroutine
from time import monotonic
from typing import Any, Generic, TypeVar

T = TypeVar("T")
SHARE = 10
"""Lifetime of a value as a multiple of the time that it took to compute it."""


class Shared(Generic[T]):
    """One value for each key, of which there are few. Used in one event loop."""

    def __init__(self) -> None:
        self._making: dict[str, asyncio.Task[T]] = {}
        self._made: dict[str, tuple[T, float]] = {}
        """Value and the time until which it is valid, by key."""
        self.computed = 0
        """Number of values that were computed."""

    async def get(self, key: str, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return the value of the key. Raise what `make` raises; it is then tried again by the next request."""
        value, until = self._made.get(key, (None, 0.0))
        if value is not None and monotonic() < until:
            return value
        if key not in self._making:
            task = self._making[key] = asyncio.create_task(self._make(key, make))
            task.add_done_callback(lambda _: self._making.pop(key))
        return await asyncio.shield(self._making[key])

    async def _make(self, key: str, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        self.computed += 1
        began = monotonic()
        value = await make()
        now = monotonic()
        self._made[key] = value, now + SHARE * (now - began)
        return value
