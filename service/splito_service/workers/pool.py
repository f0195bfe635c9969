"""Workers on this machine: the processes that play, a Redis if none is named, and the scheduler of shifts.

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
from splito_service.tournaments.organiser import open_starter
from splito_service.workers.calendar import calendar
from splito_service.workers.scheduler import tending


class Workers:
    """The workers of this machine. Made by `open_workers`; they run until SIGTERM or Ctrl-C."""

    def __init__(self, redis_url: str, crew: ProcessGroup, told: Callable[[], bool]) -> None:
        self.redis_url = masked(redis_url)
        self._crew, self._told = crew, told

    def run(self) -> None:
        """Run the workers. Raise `NoWorker` if a process fails on its own, because another would fail too."""
        while not self._told():
            self._crew.check_start()
            self._crew.replace_dead()
            time.sleep(POLL)


@contextmanager
def open_workers(settings: Settings, processes: int) -> Generator[Workers]:
    """Open the workers at once, also when Redis does not answer. Only for the main thread, where signals arrive.

    Raise `BadOption` or `NoServer`.
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
    """Run the scheduler of shifts in a thread with an event loop of its own."""
    loop, over = asyncio.new_event_loop(), asyncio.Event()

    async def tend() -> None:
        async with Link(redis_url) as link, watching(link), tending(link, redis_url), calendar(open_starter(link).look):
            await over.wait()

    thread = Thread(target=loop.run_until_complete, args=[tend()], daemon=True)
    thread.start()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()
