"""Calendar of tournaments: each second it attends to what is due, as the start of a tournament.

It runs in every server process and in that of `splito worker`; one of them is enough. The time is that of Redis.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import TypeAlias

from splito_service.errors import Unavailable

PAUSE = 1.0
"""Seconds between two looks."""
Look: TypeAlias = Callable[[], Awaitable[object]]

log = logging.getLogger("splito.calendar")


@asynccontextmanager
async def calendar(*looks: Look) -> AsyncGenerator[None]:
    """Take these looks each second in the background, also while Redis does not answer."""
    tasks = [asyncio.create_task(_repeat(look)) for look in looks]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def _repeat(look: Look) -> None:
    while True:
        try:
            await look()
        except Unavailable:
            pass  # what is due stays due until the next look
        except Exception:
            log.exception("the calendar could not be read")
        await asyncio.sleep(PAUSE)
