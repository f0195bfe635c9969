"""What is played at the same time, but counts in the order of its deals: short games must not count first."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable
from itertools import islice
from typing import Any, TypeVar

T = TypeVar("T")


async def in_order(
    play: Callable[[int], Coroutine[Any, Any, T]], deals: Iterable[int], ahead: int
) -> AsyncGenerator[T]:
    """What comes of each deal, so many of them being played at once. Those are given up with the generator."""
    waiting = iter(deals)
    playing = deque(asyncio.create_task(play(deal)) for deal in islice(waiting, ahead))
    try:
        while playing:
            played = await playing[0]
            playing.popleft()
            playing.extend(asyncio.create_task(play(deal)) for deal in islice(waiting, 1))
            yield played
    finally:
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
