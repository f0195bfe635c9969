"""Workers on this machine: the processes that play, a Redis if none is named, and somebody who sees to the shifts.

    with open_workers(settings, 4) as workers:
        workers.run()

`splito_service.workers.rq_process` is the life of a process.
"""

import asyncio
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Thread

from splito_engine.errors import BadOption
from splito_service.processes.group import POLL, ProcessGroup, open_redis, stop_signals
from splito_service.redis_address import masked
from splito_service.settings import Settings
from splito_service.storage.client import Link
from splito_service.storage.health import watching
from splito_service.workers.scheduler import tending


class Workers:
    """Made by `open_workers`. They go on until the program is told to stop, by SIGTERM or by Ctrl-C."""

    def __init__(self, redis_url: str, crew: ProcessGroup, told: Callable[[], bool]) -> None:
        self.redis_url = masked(redis_url)
        self._crew, self._told = crew, told

    def run(self) -> None:
        """Raises `NoWorker` if a process fails by itself: another would too."""
        while not self._told():
            self._crew.check_start()
            self._crew.replace_dead()
            time.sleep(POLL)


@contextmanager
def open_workers(settings: Settings, processes: int) -> Generator[Workers]:
    """At once, also when Redis does not answer. For the main thread, where signals arrive.

    Raises `BadOption` and `NoServer`.
    """
    if processes < 1:
        raise BadOption("there must be at least 1 process", field="processes")
    with stop_signals() as told, open_redis(settings) as redis_url, _tended(redis_url):
        crew = ProcessGroup(processes, ["splito_service.workers.rq_process"], redis_url)
        try:
            yield Workers(redis_url, crew, told)
        finally:
            crew.stop()


@contextmanager
def _tended(redis_url: str) -> Generator[None]:
    """In a thread with an event loop of its own."""
    loop, over = asyncio.new_event_loop(), asyncio.Event()

    async def tend() -> None:
        async with Link(redis_url) as link, watching(link), tending(link, redis_url):
            await over.wait()

    thread = Thread(target=loop.run_until_complete, args=[tend()], daemon=True)
    thread.start()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()
