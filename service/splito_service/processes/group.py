"""Group of child processes: started in the background, replaced when they die, stopped with the parent.

The parent process answers no requests itself. It holds the standard input of every child, so that the children end
when the parent ends or is killed. It also holds the embedded server, which runs as long as any process uses its folder.
"""

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

from splito_engine.errors import NoServer
from splito_service.errors import NoWorker
from splito_service.processes.embedded_redis import Server, open_server
from splito_service.settings import Settings, variable

POLL = 0.1
"""Seconds between two looks at the processes."""
RESTART = 1.0
"""Shortest time in seconds between two starts of the same process."""
REVIVE = 0.5
"""Seconds between two looks at the embedded server."""
STOP_LIMIT = 5.0
"""Seconds after which a process that does not stop is killed; more than the process gives itself."""

log = logging.getLogger("splito.crew")


def log_to_stderr() -> None:
    """Log warnings of all libraries, and also the information of our own modules, to the standard error."""
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s", level=logging.WARNING)
    logging.getLogger("splito").setLevel(logging.INFO)


class ProcessGroup:
    """A group of `size` processes that run the same module with the same arguments and inherit these files."""

    def __init__(self, size: int, words: Sequence[str], redis_url: str, files: Sequence[int] = ()) -> None:
        self._words, self._files = words, files
        self._environ = {**os.environ, variable("redis_url"): redis_url}
        self._processes = [self._start() for _ in range(size)]

    def check_start(self) -> None:
        """Raise `NoWorker` if a process ended with an error, because the next one would fail for the same reason."""
        for process, _ in self._processes:
            if (process.poll() or 0) > 0:
                raise NoWorker(f"a process of the service ended with code {process.returncode} before it could answer")

    def replace_dead(self) -> None:
        for place, (process, since) in enumerate(self._processes):
            if process.poll() is not None and time.monotonic() >= since + RESTART:
                log.warning("process %d ended with code %d and is replaced", process.pid, process.returncode)
                self._processes[place] = self._start()

    def stop(self) -> None:
        limit = time.monotonic() + STOP_LIMIT
        for process, _ in self._processes:
            if process.stdin:
                process.stdin.close()
        for process, _ in self._processes:
            try:
                process.wait(max(0.0, limit - time.monotonic()))
            except subprocess.TimeoutExpired:
                log.warning("process %d did not stop and is killed", process.pid)
                process.kill()
                process.wait()

    def _start(self) -> tuple["subprocess.Popen[bytes]", float]:
        """Start a process in its own session, so that Ctrl-C in the terminal reaches the parent alone."""
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", *self._words],
            stdin=subprocess.PIPE,
            bufsize=0,
            pass_fds=self._files,
            env=self._environ,
            start_new_session=True,
        )
        return process, time.monotonic()


@contextmanager
def stop_signals() -> Generator[Callable[[], bool]]:
    """Yield a function that returns True after SIGTERM or Ctrl-C.

    The handler only notes the signal, because it may run in the middle of any other code.
    """
    came: list[int] = []

    def note(number: int, _frame: Any) -> None:
        came.append(number)

    before = {number: signal.signal(number, note) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield lambda: bool(came)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def open_redis(settings: Settings) -> Generator[str]:
    """Yield the address of the Redis that the settings name, or of the embedded server."""
    if settings.redis_url is not None:
        yield settings.redis_url
        return
    with open_server(settings.data, settings.durability) as server, _kept_alive(server):
        yield server.url


@contextmanager
def _kept_alive(server: Server) -> Generator[None]:
    left = Event()
    thread = Thread(target=_revive, args=(server, left), daemon=True)
    thread.start()
    try:
        yield
    finally:
        left.set()
        thread.join(REVIVE)  # it takes longer only while it starts a server, which will stop because it has no users


def _revive(server: Server, left: Event) -> None:
    said = ""
    while not left.wait(REVIVE):
        try:
            server.ensure()
            said = ""
        except NoServer as error:
            if error.message != said:
                said = error.message
                log.error("%s", said)  # noqa: TRY400 (the message is complete)
