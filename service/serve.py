"""The service on this machine: a socket, the processes that answer on it, and a Redis if none is named.

    with open_service(settings, "127.0.0.1", 8000) as service:
        if service.await_ready():
            service.run()

The process that does this answers nothing itself. It holds the socket, so nobody who connects is turned away while a
process is replaced; it holds the embedded server, which lives as long as any service of the same folder does; and it
holds the input of every process, so that they end with it, however it ends.
"""

import http.client
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

import msgspec

from engine.errors import BadOption, NoServer
from service.embedded import Server, open_server
from service.errors import NoPort, NoWorker
from service.settings import Settings, masked, variable

POLL = 0.1
"""Seconds between two looks at the processes."""
RESTART = 1.0
"""Seconds that lie at least between two starts of the same process."""
REVIVE = 0.5
"""Seconds between two looks at the embedded server."""
STOP_LIMIT = 5.0
"""Seconds for the processes to stop; a little more than they give themselves."""
ANSWER_LIMIT = 1.0
"""Seconds to be told how we are. Before the first process runs, nobody answers."""
BACKLOG = 2048
READY = 200
ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 (if somebody asks for it)
"""Where to find us here if we listen everywhere."""

log = logging.getLogger("splito.serve")


def log_to_stderr() -> None:
    """Warnings of everybody, and what we find worth telling."""
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s", level=logging.WARNING)
    logging.getLogger("splito").setLevel(logging.INFO)


class Service:
    """Made by `open_service`. It goes on until the program is told to stop, by SIGTERM or by Ctrl-C."""

    def __init__(self, address: tuple[str, int], redis_url: str, crew: "Crew", told: Callable[[], bool]) -> None:
        self._address = address
        self._crew = crew
        self._told = told
        host, port = address
        self.url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        self.redis_url = masked(redis_url)

    def await_ready(self) -> bool:
        """As long as it takes; false if we are told to stop before. Raises `NoWorker`."""
        reason = ""
        while not self._told():
            status, answer = self._health()
            if status == READY:
                return True
            if answer not in ("", reason):
                reason = answer
                log.warning("not ready yet: %s", reason)
            self._crew.check_start()
            self._crew.replace_dead()
            time.sleep(POLL)
        return False

    def run(self) -> None:
        while not self._told():
            self._crew.replace_dead()
            time.sleep(POLL)

    def _health(self) -> tuple[int, str]:
        """The status, and what is wrong."""
        host, port = self._address
        connection = http.client.HTTPConnection(host, port, timeout=ANSWER_LIMIT)
        try:
            connection.request("GET", "/health/ready")
            answer = connection.getresponse()
            return answer.status, msgspec.json.decode(answer.read()).get("detail", "")
        except (OSError, http.client.HTTPException, msgspec.DecodeError):
            return 0, ""
        finally:
            connection.close()


@contextmanager
def open_service(settings: Settings, host: str, port: int, workers: int = 1) -> Generator[Service]:
    """At once, also when Redis does not answer; port 0 is any that is free.

    For the main thread, where signals arrive. Raises `BadOption`, `NoPort` and `NoServer`.
    """
    if workers < 1:
        raise BadOption("there must be at least 1 worker", field="workers")
    with _listening(host, port) as listener, _stop_signals() as told, _redis(settings) as redis_url:
        crew = Crew(workers, listener, {**os.environ, variable("redis_url"): redis_url})
        try:
            address = ANYWHERE.get(host, host), listener.getsockname()[1]
            yield Service(address, redis_url, crew, told)
        finally:
            listener.close()
            crew.stop()


class Crew:
    """The processes that answer, each started in the background; `service.worker` is the life of one."""

    def __init__(self, size: int, listener: socket.socket, environ: dict[str, str]) -> None:
        self._listener = listener
        self._environ = environ
        self._workers = [self._start() for _ in range(size)]

    def check_start(self) -> None:
        """A process that failed, and was not killed, has said why; so would the next. Raises `NoWorker`."""
        for process, _ in self._workers:
            if (process.poll() or 0) > 0:
                raise NoWorker(f"a process of the service ended with code {process.returncode} before it could answer")

    def replace_dead(self) -> None:
        for place, (process, since) in enumerate(self._workers):
            if process.poll() is not None and time.monotonic() >= since + RESTART:
                log.warning("process %d ended with code %d and is replaced", process.pid, process.returncode)
                self._workers[place] = self._start()

    def stop(self) -> None:
        limit = time.monotonic() + STOP_LIMIT
        for process, _ in self._workers:
            if process.stdin:
                process.stdin.close()
        for process, _ in self._workers:
            try:
                process.wait(max(0.0, limit - time.monotonic()))
            except subprocess.TimeoutExpired:
                log.warning("process %d did not stop and is killed", process.pid)
                process.kill()
                process.wait()

    def _start(self) -> tuple["subprocess.Popen[bytes]", float]:
        """In a session of its own: the terminal's Ctrl-C is for us."""
        number = self._listener.fileno()
        process = subprocess.Popen(  # noqa: S603 (ourselves)
            [sys.executable, "-P", "-m", "service.worker", str(number)],
            stdin=subprocess.PIPE,
            bufsize=0,
            pass_fds=[number],
            env=self._environ,
            start_new_session=True,
        )
        return process, time.monotonic()


@contextmanager
def _listening(host: str, port: int) -> Generator[socket.socket]:
    """Ours alone: a port that anybody else listens at is refused."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as listener:
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # only what is left of old connections
            listener.bind((host, port))
            listener.listen(BACKLOG)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or error
            raise NoPort(f"cannot listen at {host}, port {port}: {reason}", field="port") from error
        listener.setblocking(False)
        yield listener


@contextmanager
def _stop_signals() -> Generator[Callable[[], bool]]:
    """Whether one has come. The handler does nothing that might be unsafe in the middle of something else."""
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
def _redis(settings: Settings) -> Generator[str]:
    """The address of the one that is named, or of our own."""
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
        thread.join(REVIVE)  # longer only while it starts a server; then that finds out that nobody uses it


def _revive(server: Server, left: Event) -> None:
    said = ""
    while not left.wait(REVIVE):
        try:
            server.ensure()
            said = ""
        except NoServer as error:
            if error.message != said:
                said = error.message
                log.error("%s", said)  # noqa: TRY400 (it says all)
