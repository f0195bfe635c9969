"""Server process: granian on a socket that the parent process opened, until its standard input ends.

    python -m splito_service.http.process NUMBER-OF-THE-SOCKET

Its input is a pipe of which only `splito_service.http.serve` holds the other end. So it ends when the service stops,
and also when that process is killed. A SIGTERM stops this one process alone.

Granian's own supervisor is not used, because it opens a socket for each process with SO_REUSEPORT, so that a port in
use goes unnoticed and connections that wait at the socket of a killed process are lost; it waits for ever for open
streams, gives up when a process dies twice in a row, and leaves its processes behind when it is killed.
"""

import asyncio
import os
import signal
import socket
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from threading import Thread
from typing import Any

import msgspec
import uvloop
from granian._granian import SocketHolder
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server.embed import Server
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from splito_engine.errors import BadSetting
from splito_service.errors import Unavailable
from splito_service.http.app import create_app
from splito_service.http.fast_path import FastPath
from splito_service.http.limits.admission import Admission
from splito_service.http.limits.connections import (
    Capacity,
    Sweeper,
    capacity_for,
    drop,
    raise_file_limit,
    set_time_limits,
    sweeping,
)
from splito_service.http.serve import BACKLOG
from splito_service.problems import MEDIA_TYPE, Problem, problem_fields
from splito_service.processes.group import log_to_stderr
from splito_service.settings import Settings, read_settings

GRACE = 1.0
"""Seconds that requests have to finish when the process stops."""
STOP_LIMIT = 4.0
"""Seconds after which a process that was told to stop is ended by force."""
BUFFER = 65_536
"""Bytes that granian buffers per connection and direction; the head of a request must fit into them."""

THROUGH_ROOT: dict[str, Any] = {"handlers": {}, "loggers": {"_granian": {"handlers": [], "propagate": True}}}
"""Log configuration of granian, which would write to the standard output otherwise."""


class OpenRequests:
    """The application with its open requests; streams and long polls are ended when the process stops."""

    def __init__(self, app: ASGIApp) -> None:
        self.welcome = asyncio.Event()
        """Set when the application has opened."""
        self._app = app
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closing = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, self._opening(send))
            return
        task: Any = asyncio.current_task()
        self._tasks.add(task)
        answer = Answer(send)
        try:
            await self._app(scope, receive, answer)
        except asyncio.CancelledError:
            if not self._closing:
                raise
            await answer.break_off()
        finally:
            self._tasks.discard(task)

    def _opening(self, send: Send) -> Send:
        async def note(message: Any) -> None:
            await send(message)
            if message["type"] == "lifespan.startup.complete":
                self.welcome.set()

        return note

    def dismiss(self) -> None:
        self._closing = True
        for task in self._tasks:
            task.cancel()


class Answer:
    """An answer that is being sent, and whether it has begun."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._begun = False

    def __call__(self, message: Message) -> Awaitable[None]:
        self._begun = True
        return self._send(message)

    async def break_off(self) -> None:
        """End a stream as if it were complete, because its client then reconnects.

        Answer a waiting request with a retry.
        """
        if self._begun:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})
            return
        problem = Problem(**problem_fields(Unavailable("this process of the service stops: send the request again")))
        headers = [(b"content-type", MEDIA_TYPE.encode()), (b"retry-after", b"1")]
        await self._send({"type": "http.response.start", "status": problem.status, "headers": headers})
        await self._send({"type": "http.response.body", "body": msgspec.json.encode(problem), "more_body": False})


class Granian(Server):
    """Granian on the socket with that number, which all processes of the service share."""

    def __init__(self, app: ASGIApp, listener: int, slots: int, idle_seconds: int) -> None:
        super().__init__(
            app,
            interface=Interfaces.ASGI,
            http=HTTPModes.http1,
            http1_settings=HTTP1Settings(header_read_timeout=1000 * idle_seconds, max_buffer_size=BUFFER),
            websockets=False,
            backpressure=slots,
            log_level=LogLevels.error,
            log_dictconfig=THROUGH_ROOT,
        )
        self._listener = listener

    def _init_shared_socket(self) -> None:
        """Use the open socket, as granian does on systems without SO_REUSEPORT."""
        self._shd = SocketHolder(self._listener, False, BACKLOG)  # pyright: ignore[reportCallIssue]


def main() -> None:
    log_to_stderr()
    try:
        settings = read_settings(os.environ)
        capacity = capacity_for(raise_file_limit(), settings.connections)  # every connection needs a file
    except BadSetting as error:
        sys.exit(f"{error.code}: {error.message}")
    uvloop.run(serve(int(sys.argv[1]), settings, capacity))
    os._exit(0)  # skips the interpreter's shutdown, because granian's threads may crash in it


async def serve(listener: int, settings: Settings, capacity: Capacity) -> None:
    """Answer requests until the process is told to stop. Raise what kept it from starting."""
    app = create_app(settings)
    guests = OpenRequests(FastPath(app))
    port = _port(listener)
    admission = Admission(app, guests, settings, capacity, partial(drop, port))
    set_time_limits(listener, settings)
    server = Granian(admission, listener, capacity.slots, settings.idle_seconds)
    told = _stop_signal()
    serving = asyncio.create_task(server.serve())
    async with sweeping(Sweeper(port, capacity, admission.busy, by_client=not settings.behind_proxy)):
        for event in (guests.welcome, told):  # granian ignores a stop before it has started
            await _first(serving, event)
    server.stop()
    await asyncio.wait([serving], timeout=GRACE)
    guests.dismiss()
    await serving


def _port(listener: int) -> int:
    with socket.socket(fileno=os.dup(listener)) as opened:
        return opened.getsockname()[1]


async def _first(task: asyncio.Task[None], event: asyncio.Event) -> None:
    waiting = asyncio.create_task(event.wait())
    await asyncio.wait([task, waiting], return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()


def _stop_signal() -> asyncio.Event:
    """Return an event that is set when the process is told to stop.

    A thread then enforces the limit, because the loop may be too busy.
    """
    loop, told = asyncio.get_running_loop(), asyncio.Event()

    def stop() -> None:
        loop.call_soon_threadsafe(told.set)
        time.sleep(STOP_LIMIT)
        os._exit(0)

    def stop_after_input() -> None:
        while os.read(sys.stdin.fileno(), 1024):
            pass
        stop()

    loop.add_signal_handler(signal.SIGTERM, _in_background, stop)
    _in_background(stop_after_input)
    return told


def _in_background(work: Callable[[], None]) -> None:
    Thread(target=work, daemon=True).start()


if __name__ == "__main__":
    main()
