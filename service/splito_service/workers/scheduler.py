"""Sees to it that there are shifts while there are tournaments to play. In every process of the service, and in that of
`splito worker`: any of them is enough, and all of them together put no shift twice into the queue.

It looks every second. So what was lost with a killed worker, or with the last writes of a killed Redis, is back
soon, and nothing has to remember it.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing, suppress

from splito_service.errors import Unavailable
from splito_service.storage.client import Link
from splito_service.tournaments.store import Tournaments
from splito_service.workers.queue import Jobs, ShiftSlots

PAUSE = 1.0
"""Seconds between two looks."""

log = logging.getLogger("splito.tender")


class ShiftScheduler:
    """Used in the event loop of its link."""

    def __init__(self, tournaments: Tournaments, rota: ShiftSlots, jobs: Jobs) -> None:
        self._tournaments, self._rota, self._jobs = tournaments, rota, jobs

    async def tend(self) -> None:
        """For ever."""
        while True:
            try:
                await self.look()
            except Unavailable:
                pass  # what is wanted stays wanted
            except Exception:
                log.exception("shifts could not be looked after")
            await asyncio.sleep(PAUSE)

    async def look(self) -> int:
        """How many shifts were missing, and are in the queue now."""
        if not await self._tournaments.running():
            return 0
        missing = [await self._fill(number) for number in range(await self._rota.places())]
        return sum(missing)

    async def _fill(self, number: int) -> bool:
        job = await self._rota.wants(number)
        if job is None:
            return False
        await self._jobs.put(number, job)
        return True


@asynccontextmanager
async def tending(link: Link, url: str) -> AsyncGenerator[ShiftScheduler]:
    """At once, also when Redis does not answer yet."""
    with closing(Jobs(url)) as jobs:
        tender = ShiftScheduler(Tournaments(link), ShiftSlots(link), jobs)
        task = asyncio.create_task(tender.tend())
        try:
            yield tender
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
