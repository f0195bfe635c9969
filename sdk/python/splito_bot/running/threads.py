"""Threads in which a bot thinks. They are daemons, because a function that hangs must not keep the program alive."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, Self, TypeAlias, TypeVar

T = TypeVar("T")
Job: TypeAlias = "tuple[Future[Any], Callable[[], Any]]"


class Threads:
    """The threads in which a bot thinks; each takes the next job when it is free."""

    def __init__(self, threads: int) -> None:
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(threads)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        """End idle threads now, and the others after their current job."""
        for _ in self._threads:
            self._jobs.put(None)

    async def run(self, job: Callable[[], T]) -> T:
        """Run the job in the next free thread and return its result."""
        done: Future[T] = Future()
        self._jobs.put((done, job))
        return await asyncio.wrap_future(done)

    def _work(self) -> None:
        while (found := self._jobs.get()) is not None:
            done, job = found
            if done.set_running_or_notify_cancel():
                try:
                    done.set_result(job())
                except Exception as error:  # noqa: BLE001 (it is raised where the result is awaited)
                    done.set_exception(error)
