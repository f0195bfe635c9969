"""Time for which writes are refused when the embedded server is killed under load.

`splito serve` runs with its defaults. Clients create matches over HTTP without a pause, and twice as many processes as
there are cores use the CPU. Then the server is killed (SIGKILL), and the benchmark measures the time until the next
match is acknowledged.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import msgspec
import redis

from benchmarks.report import Report, at_most, plain

KILLS = 10
CLIENTS = 4
GOAL = 2.0
"""Seconds, as in docs/deploy.md."""
BETWEEN = 1.5
"""Seconds of undisturbed writing before each kill."""
LIMIT = 30.0
MATCHES = "/v1/splito/matches"
WANTED = msgspec.json.encode({"seats": [{"kind": "person", "name": "Ada"}, {"kind": "person", "name": "Ben"}]})
BURN = "while True: pass"


class Writing:
    """Clients that create matches, one after the other, and record when each was acknowledged."""

    def __init__(self, port: int) -> None:
        self.acknowledged = 0
        self._port = port
        self._told = threading.Event()
        self._came = threading.Condition()
        self._threads = [threading.Thread(target=self._write, daemon=True) for _ in range(CLIENTS)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._told.set()
        for thread in self._threads:
            thread.join(LIMIT)

    _mark, _found = float("inf"), 0.0
    """Writes that began after `_mark` count; `_found` is when the first of them was acknowledged."""

    def begun_after(self, moment: float) -> float:
        """Return when the first write was acknowledged that began after that moment."""
        with self._came:
            self._mark, self._found = moment, 0.0
            if not self._came.wait_for(lambda: self._found, LIMIT):
                raise TimeoutError(f"no write was acknowledged in {LIMIT:.0f} s")
            return self._found

    def _write(self) -> None:
        while not self._told.is_set():
            connection = HTTPConnection("127.0.0.1", self._port, timeout=LIMIT)
            try:
                while not self._told.is_set() and self._make(connection):
                    pass
            except (OSError, HTTPException):
                time.sleep(0.01)
            finally:
                connection.close()

    def _make(self, connection: HTTPConnection) -> bool:
        """Create one match; return False if it was refused."""
        begun = time.monotonic()
        connection.request("POST", MATCHES, WANTED, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        if answer.status != 201:
            return False
        with self._came:
            self.acknowledged += 1
            if begun >= self._mark and not self._found:
                self._found = time.monotonic()
                self._came.notify_all()
        return True


def measured() -> Report:
    with TemporaryDirectory() as folder, _served(Path(folder)) as (port, url), Writing(port) as writing, _busy():
        taken = [_kill(writing, url) for _ in range(KILLS)]
        writes = writing.acknowledged
    ranked = sorted(taken)
    cores = len(os.sched_getaffinity(0))
    return Report(
        [
            at_most("seconds until writes are acknowledged again, the longest", ranked[-1], GOAL),
            plain("the median", f"{ranked[len(ranked) // 2]:.2f}"),
            plain("the shortest", f"{ranked[0]:.2f}"),
            plain("kills", f"{KILLS}"),
            plain("matches made meanwhile", f"{writes:,}"),
        ],
        f"`splito serve` with its own server, {CLIENTS} clients that make matches, and {2 * cores} processes that use"
        f" up {cores} cores. Each kill is SIGKILL to the server.",
    )


def _kill(writing: Writing, url: str) -> float:
    time.sleep(BETWEEN)
    clients: Any = redis.Redis
    with clients.from_url(url) as connection:
        pid = connection.info("server")["process_id"]
    os.kill(pid, signal.SIGKILL)
    killed = time.monotonic()
    return writing.begun_after(killed) - killed


@contextmanager
def _served(folder: Path) -> Generator[tuple[int, str]]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SPLITO_")}
    environ = {**clean, "SPLITO_DATA": str(folder), "SPLITO_RATE": "0", "SPLITO_CREATE_RATE": "0"}
    command = [sys.executable, "-m", "splito_cli", "serve", "--port", "0", "--json"]
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            ready = msgspec.json.decode(process.stdout.readline() if process.stdout else b"")
            yield int(ready["url"].rpartition(":")[2]), ready["redis"]
        finally:
            process.terminate()


@contextmanager
def _busy() -> Generator[None]:
    with ExitStack() as stack:
        burning = [
            stack.enter_context(subprocess.Popen([sys.executable, "-c", BURN]))
            for _ in range(2 * len(os.sched_getaffinity(0)))
        ]
        try:
            yield
        finally:
            for process in burning:
                process.kill()
