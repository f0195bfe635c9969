"""Monitor of how late the event loop of this process runs, to tell the arena's slowness from that of a bot.

On Linux it also measures how long the thread was ready to run while other programs had all processors.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import NamedTuple, Self

TICK = 0.02  # seconds between two looks at the clock
GRACE = 0.01  # seconds that a look may be late, because every loop is by that little
BUSY = 0.1  # share of the time above which the process counts as busy
CROWDED = 2  # a machine counts as busy if a thread waits this many times as long for a processor as it runs
LEAST = 0.05  # seconds of waiting for a processor that are ignored
SCHEDULER = Path("/proc/thread-self/schedstat")  # nanoseconds on a processor, nanoseconds of waiting for one


class Moment(NamedTuple):
    """A point in time, with the seconds that the loop had been late, had run and had waited to run by then."""

    time: float
    late: float
    ran: float = 0.0
    waited: float = 0.0


class Lag:
    """A monitor that measures while its context is entered, in the event loop that enters it."""

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
        """Return the present moment, including a delay that still lasts."""
        now = self._clock()
        return Moment(now, self._late + _lateness(now - self._last), *_scheduled())

    def since(self, start: Moment) -> Moment:
        """Return the seconds since that moment, and for how many of them the loop was late, ran and waited to run."""
        return Moment(*(after - before for after, before in zip(self.now(), start, strict=True)))

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            now = self._clock()
            self._late += _lateness(now - self._last)
            self._last = now


def is_busy(passed: Moment) -> bool:
    """True if the loop was late, or without a processor, for too much of that time to judge the speed of a bot."""
    is_crowded = passed.waited > max(CROWDED * passed.ran, BUSY * passed.time, LEAST)
    return is_crowded or passed.late > BUSY * passed.time


def _scheduled() -> tuple[float, float]:
    """Return the seconds that this thread has run and waited for a processor; 0 if the system has no such counts."""
    try:
        ran, waited, _ = SCHEDULER.read_text("ascii").split()
    except (OSError, ValueError):
        return 0.0, 0.0
    return int(ran) / 1e9, int(waited) / 1e9


def _lateness(gap: float) -> float:
    late = gap - TICK
    return late if late > GRACE else 0.0
