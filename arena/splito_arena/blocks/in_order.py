"""Blocks played at once but yielded in the order of their numbers, because short games must not count first."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable
from itertools import islice
from typing import Any, TypeVar

T = TypeVar("T")


async def in_order(
    play: Callable[[int], Coroutine[Any, Any, T]], numbers: Iterable[int], ahead: int
) -> AsyncGenerator[T]:
    """Yield the outcome of each block, playing `ahead` blocks at once; they are cancelled with the generator."""
    waiting = iter(numbers)
    playing = deque(asyncio.create_task(play(number)) for number in islice(waiting, ahead))
    try:
        while playing:
            played = await playing[0]
            playing.popleft()
            playing.extend(asyncio.create_task(play(number)) for number in islice(waiting, 1))
            yield played
    finally:
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
