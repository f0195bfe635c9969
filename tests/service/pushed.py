"""A push bot in a thread of its own: it tells of itself, meets challenges, and remembers how it was called."""

import asyncio
import base64
import hmac
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager
from random import Random
from threading import Thread
from typing import Any, NamedTuple

import msgspec

from splito_arena.net.allowed_addresses import PORTS
from splito_arena.net.signing import read_secret
from tests.listening import listening

CHALLENGE = b"splito-challenge."
INFO = {"name": "Marvin", "author": "Ada", "version": "1.0", "games": ["splito"]}


class Called(NamedTuple):
    path: str
    headers: dict[str, str]
    body: bytes


class PushBot:
    """A push bot, made by `serving`. A test may change its answers while it runs."""

    def __init__(self, listener: socket.socket) -> None:
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        self.secret = "whsec_" + base64.b64encode(b"no secret that anybody knows").decode()
        self.info: Any = INFO
        self.status = 200
        self.problem: Any = None
        """Said in place of an answer, if it is set."""
        self.choose: Callable[[Any], Any] = _first
        """From an ask to the answer."""
        self.called: list[Called] = []
        self.meanwhile: Callable[[], object] = list
        """Done once, before the next answer."""
        self._listener = listener
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()

    @property
    def paths(self) -> list[str]:
        return [called.path for called in self.called]

    def run(self) -> None:
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._over.set)

    async def _serve(self) -> None:
        async with listening(self._answer, sock=self._listener):
            await self._over.wait()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        self.called.append(Called(first.split(" ")[1], headers, body))
        said = msgspec.json.encode(self._say(self.called[-1]))
        head = f"HTTP/1.1 {self.status} So\r\nContent-Type: application/json\r\nConnection: close\r\n"
        writer.write(f"{head}Content-Length: {len(said)}\r\n\r\n".encode() + said)
        await writer.drain()

    def _say(self, called: Called) -> Any:
        self.meanwhile, meanwhile = list, self.meanwhile
        meanwhile()
        if b'"hook.challenge"' in called.body:
            return self._proof(msgspec.json.decode(called.body)["data"]["challenge"])
        if self.problem is not None:
            return self.problem
        if called.path == "/ask":
            return self.choose(msgspec.json.decode(called.body))
        if called.path != "/challenge":
            return self.info
        return self._proof(msgspec.json.decode(called.body)["challenge"])

    def _proof(self, text: str) -> Any:
        challenge = CHALLENGE + text.encode()
        return {"answer": base64.b64encode(hmac.digest(read_secret(self.secret), challenge, "sha256")).decode()}


def _first(_: Any) -> Any:
    return {"index": 0}


@contextmanager
def serving() -> Generator[PushBot]:
    """At a port that the arena calls."""
    with _listening() as listener:
        bot = PushBot(listener)
        thread = Thread(target=bot.run)
        thread.start()
        try:
            yield bot
        finally:
            bot.stop()
            thread.join()


def _listening() -> socket.socket:
    for port in Random().sample(sorted(PORTS), len(PORTS)):
        try:
            return socket.create_server(("127.0.0.1", port))
        except OSError:
            continue
    raise OSError("no port is free")
