"""Scheduler of shifts: it queues shifts while there are tournaments to play.

It runs in every server process and in that of `splito worker`. One of them is enough, and together they queue no shift
twice. It looks every second, so a shift that was lost with a killed worker or with the last writes of a killed Redis is
soon replaced.
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
"""Seconds between two looks for missing shifts."""

log = logging.getLogger("splito.tender")


class ShiftScheduler:
    """The scheduler of shifts. Used in the event loop of its link."""

    def __init__(self, tournaments: Tournaments, rota: ShiftSlots, jobs: Jobs) -> None:
        self._tournaments, self._rota, self._jobs = tournaments, rota, jobs

    async def tend(self) -> None:
        """Queue missing shifts until cancelled."""
        while True:
            try:
                await self.look()
            except Unavailable:
                pass  # missing shifts stay missing until the next look
            except Exception:
                log.exception("shifts could not be queued")
            await asyncio.sleep(PAUSE)

    async def look(self) -> int:
        """Queue the missing shifts and return their number."""
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
    """Run the scheduler in the background, also while Redis does not answer."""
    with closing(Jobs(url)) as jobs:
        tender = ShiftScheduler(Tournaments(link), ShiftSlots(link), jobs)
        task = asyncio.create_task(tender.tend())
        try:
            yield tender
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
