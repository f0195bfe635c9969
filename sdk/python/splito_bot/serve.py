"""Push: the bot is a small HTTP server that the arena calls.

    splito-bot serve my_bot:choose --secret whsec_...

One thread reads requests, and others think: as many as the `concurrency` of the bot. So `/info` is answered even while
the bot thinks.
"""

import asyncio
import errno
import threading
from collections.abc import Generator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Self

from splito_bot.bot import Bot
from splito_bot.running.connection import Connection
from splito_bot.running.console import GRACE, say, stop_at_signals
from splito_bot.running.limited_log import SPAN
from splito_bot.running.request_log import RequestLog
from splito_bot.running.routes import Gate, Routes
from splito_bot.running.threads import Threads

HOST, PORT = "127.0.0.1", 8001
PORTS = 65536
BACKLOG = 1024
"""Connections that the system holds until the server accepts them."""


def serve(bot: Bot, gate: Gate, host: str = HOST, port: int = PORT) -> None:
    """Serve the bot until Ctrl-C or SIGTERM; requests that came before that are still answered."""
    asyncio.run(_serve(bot, gate, host, port))


@contextmanager
def serving(bot: Bot, gate: Gate | None = None, host: str = HOST, port: int = 0) -> Generator[str]:
    """Serve the bot in a background thread, for tests; yield the address."""
    ready: Future[tuple[str, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def run() -> None:
        stop = asyncio.Event()
        async with Server(bot, gate or Gate(), host, port) as server:
            ready.set_result((server.url, asyncio.get_running_loop(), stop))
            await stop.wait()

    def thread() -> None:
        try:
            asyncio.run(run())
        except OSError as error:
            ready.set_exception(error)

    background = threading.Thread(target=thread)
    background.start()
    url, loop, stop = ready.result()
    try:
        yield url
    finally:
        loop.call_soon_threadsafe(stop.set)
        background.join()


class Server:
    """The HTTP server of one bot. It listens while it is entered as a context manager.

    `threads` is the number of threads in which the bot thinks; without it, as many as the bot's `concurrency`.
    """

    def __init__(self, bot: Bot, gate: Gate, host: str, port: int, threads: int | None = None) -> None:
        self._host, self._port = host, port
        self._threads = Threads(threads or bot.info.concurrency)
        self._routes = Routes(bot, gate, self._threads)
        self._log, self._requests = bot.log, RequestLog(bot.log)
        self._talking: dict[asyncio.Task[None], Connection] = {}
        self.url = ""

    async def __aenter__(self) -> Self:
        """Listen. Raise `OSError` if that is not possible at this host and port."""
        if self._port not in range(PORTS):  # uvloop would take another port
            raise OSError(errno.EINVAL, f"there is no port {self._port}: the last one is {PORTS - 1}")
        self._server = await asyncio.start_server(self._accept, self._host, self._port, backlog=BACKLOG)
        host, port = self._server.sockets[0].getsockname()[:2]
        self.url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        self._threads.__enter__()
        self._summaries = asyncio.create_task(self._summarise())
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._server.close()
        for task, connection in self._talking.items():
            connection.finish()
            if connection.idle:
                task.cancel()
        if self._talking:
            _, late = await asyncio.wait([*self._talking], timeout=GRACE)
            for task in late:
                task.cancel()
        self._threads.__exit__()
        self._summaries.cancel()
        self._log.summarise(all_kinds=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = Connection(reader, writer, self._routes.respond, self._requests)
        task = asyncio.create_task(connection.run())
        self._talking[task] = connection
        task.add_done_callback(self._talking.pop)

    async def _summarise(self) -> None:
        """Have the log print the numbers of lines that it left out, in time."""
        while True:
            await asyncio.sleep(SPAN / 4)
            self._log.summarise()


async def _serve(bot: Bot, gate: Gate, host: str, port: int) -> None:
    stop = stop_at_signals()
    async with Server(bot, gate, host, port) as server:
        info = bot.info
        say(f"{info.name} {info.version} plays {', '.join(info.games)} at {server.url}; Ctrl-C stops it")
        if gate.is_open:
            say("WARNING: without --secret, every program that reaches this address may ask the bot")
        await stop.wait()
        say("stopping")
