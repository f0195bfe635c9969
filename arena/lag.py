"""A monitor of how late the event loop of this process runs, to tell our own slowness apart from that of a bot."""

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import NamedTuple, Self

TICK = 0.02  # seconds between two looks at the clock
GRACE = 0.01  # seconds that a look may be late: any loop is, by that little
BUSY = 0.1  # share of the time above which the process counts as busy


class Moment(NamedTuple):
    """A point in time, and how many seconds the loop had been late by then."""

    time: float
    late: float


class Lag:
    """Measures while it is entered, in the event loop that enters it."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._late = 0.0
        self._last = clock()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._last = self._clock()
        self._task = asyncio.create_task(self._watch())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def now(self) -> Moment:
        """Return the present moment, a delay that still lasts included."""
        now = self._clock()
        return Moment(now, self._late + _lateness(now - self._last))

    def since(self, start: Moment) -> Moment:
        """Return the seconds since that moment, and for how many of them the loop was late."""
        now = self.now()
        return Moment(now.time - start.time, now.late - start.late)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            now = self._clock()
            self._late += _lateness(now - self._last)
            self._last = now


def is_busy(passed: Moment) -> bool:
    """True if the loop was late for too much of that time to judge how fast a bot is."""
    return passed.late > BUSY * passed.time


def _lateness(gap: float) -> float:
    late = gap - TICK
    return late if late > GRACE else 0.0
