"""Redis servers, sentinels and relays that a test starts, and waiting for them."""

import asyncio
import socket
import ssl
import subprocess
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from splito_service.errors import Unavailable
from splito_service.processes.embedded_redis import find_binary
from splito_service.storage.client import Link
from tests.listening import Serve, listening

LONG = 20.0
HOST = "127.0.0.1"
PASSWORD = "a/b@c:d"  # noqa: S105 (of servers that live for a test)
QUOTED = "a%2Fb%40c%3Ad"


class Started(NamedTuple):
    process: subprocess.Popen[bytes]
    port: int

    @property
    def url(self) -> str:
        return f"redis://:{QUOTED}@{HOST}:{self.port}"


@contextmanager
def started(folder: Path, *words: str) -> Generator[Started]:
    """A server of its own, on a free port, with a password."""
    port = free_port()
    common = ["--bind", HOST, "--port", str(port), "--dir", str(folder), "--save", "", "--requirepass", PASSWORD]
    replicating = ["--masterauth", PASSWORD, "--repl-diskless-sync-delay", "0"]
    with ending([find_binary(), *common, *replicating, *words]) as process:
        yield Started(process, port)


@contextmanager
def ending(command: list[str]) -> Generator[subprocess.Popen[bytes]]:
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


def free_port() -> int:
    with socket.create_server((HOST, 0)) as found:
        return found.getsockname()[1]


async def until(true: Callable[[], Awaitable[object]]) -> None:
    """Wait until the call returns a true value; an unavailable server counts as false."""
    async with asyncio.timeout(LONG):
        while True:
            with suppress(Unavailable):
                if await true():
                    return
            await asyncio.sleep(0.02)


async def serving(link: Link) -> None:
    await until(lambda: link.call("PING"))


@asynccontextmanager
async def relay(url: str, context: ssl.SSLContext | None = None, piece: int = 65536) -> AsyncGenerator[int]:
    """Yield a port that relays to a server, with TLS if `context` is given, in pieces of `piece` bytes."""

    async def pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await source.read(65536):
                for start in range(0, len(data), piece):
                    target.write(data[start : start + piece])
                    await asyncio.sleep(0)
        target.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_unix_connection(url.removeprefix("unix://"))
        await asyncio.gather(pump(reader, back), pump(there, writer))

    async with listener(serve, context) as port:
        yield port


@asynccontextmanager
async def listener(serve: Serve, context: ssl.SSLContext | None = None) -> AsyncGenerator[int]:
    """Yield the port of a server that ends when its last client has disconnected."""
    async with listening(serve, cut=False, host=HOST, port=0, ssl=context) as server:
        yield server.sockets[0].getsockname()[1]


async def refused(link: Link, why: str) -> bool:
    with pytest.raises(Unavailable) as caught:
        await link.call("PING")
    return why in str(caught.value.__cause__)
