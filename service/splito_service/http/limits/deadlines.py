"""Deadlines of many short waits, kept by one timer.

Nearly all waits for a body end at once, because the body came with the head of the request. A timer of its own for each
(`asyncio.timeout`) takes about 8 µs, a tenth of the time in which a move is sealed; an entry in a dictionary takes less
than one.
"""

import asyncio
from collections.abc import Coroutine
from time import monotonic
from typing import Any, TypeVar

T = TypeVar("T")
TICKS = 10  # looks at the waits within the time that each of them has


class Deadlines:
    """Waits of the tasks of one event loop, each of at most `seconds` and a tenth more."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._begun: dict[asyncio.Task[Any], float] = {}
        self._ended: set[asyncio.Task[Any]] = set()
        """Tasks whose waits have been cancelled because they took too long."""
        self._timer: asyncio.TimerHandle | None = None

    async def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of the work. Raise `TimeoutError` if it takes too long. A task has one wait at a time."""
        task: Any = asyncio.current_task()
        self._begun[task] = monotonic()
        if self._timer is None:
            self._set_timer()
        try:
            return await work
        except asyncio.CancelledError:
            if task not in self._ended or task.uncancel() > 0:  # another caller has cancelled the task too
                raise
            raise TimeoutError from None
        finally:
            del self._begun[task]
            self._ended.discard(task)

    def _set_timer(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self.seconds / TICKS, self._end_late_waits)

    def _end_late_waits(self) -> None:
        late = monotonic() - self.seconds
        for task, begun in self._begun.items():
            if begun <= late and task not in self._ended:
                self._ended.add(task)
                task.cancel()
        self._timer = None
        if self._begun:
            self._set_timer()
