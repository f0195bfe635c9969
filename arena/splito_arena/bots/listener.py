"""A small HTTP/1.1 server for one bot: requests of a connection are answered one after the other, where they arrive.

Whoever thinks here keeps everybody else waiting. That is what a bot wants that declares to take one request at a time.
What is HTTP and what is not, httptools knows; here is only how large a request may be, and when a connection ends.
"""

import asyncio
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import TypeAlias

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser

from splito_arena.bots.serve import Refusal, Request, Response

MAX_REQUEST = 16 * 1024 * 1024
"""Bytes. A batch of 64 asks near the end of long matches has some five million."""
BACKLOG = 1024

Respond: TypeAlias = Callable[[Request], Response]


@asynccontextmanager
async def listening(respond: Respond, host: str, port: int) -> AsyncGenerator[str]:
    """Its address; port 0 is any that is free. Who is being answered when this is left still gets the answer.

    Raises `OSError` and `OverflowError`.
    """
    talks: set[Talk] = set()
    if port not in range(65536):
        raise OverflowError("the last port is 65535")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
    server = await asyncio.get_running_loop().create_server(lambda: Talk(respond, talks), sock=listener)
    try:
        yield _url(listener)
    finally:
        server.close()
        for talk in [*talks]:
            talk.close()


class Talk(asyncio.Protocol):
    """One connection."""

    def __init__(self, respond: Respond, talks: "set[Talk]") -> None:
        self._respond, self._talks = respond, talks
        self._parser = HttpRequestParser(self)
        self._transport: asyncio.Transport | None = None
        self._size = 0
        self.on_message_begin()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # pyright: ignore[reportAttributeAccessIssue] (uvloop's is one in all but name)
        self._talks.add(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 (whatever the reason)
        self._transport = None
        self._talks.discard(self)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def data_received(self, data: bytes) -> None:
        self._size += len(data)
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade:  # it has its answer, and we speak nothing else
            self.close()
        except HttpParserError as error:
            self._end(Refusal(400, "bad-request", f"this is not HTTP/1.1 as we speak it: {error}"))
        if self._size > MAX_REQUEST:
            self._end(Refusal(413, "too-large", f"no more than {MAX_REQUEST} bytes are read"))

    def on_message_begin(self) -> None:
        self._url = b""
        self._headers: dict[str, str] = {}
        self._parts: list[bytes] = []

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_body(self, part: bytes) -> None:
        self._parts.append(part)

    def on_message_complete(self) -> None:
        self._size = 0
        method, path = self._parser.get_method().decode(), self._url.decode("latin-1")
        response = self._respond(Request(method, path, self._headers, b"".join(self._parts)))
        stays = self._parser.should_keep_alive()
        self._write(response, stays, with_body=method != "HEAD")
        if not stays:
            self.close()

    def _end(self, refusal: Refusal) -> None:
        self._write(refusal.response, stays=False)
        self.close()

    def _write(self, response: Response, stays: bool, *, with_body: bool = True) -> None:
        if self._transport is None or self._transport.is_closing():
            return
        status, body, kind = response
        head = (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        )
        last = "\r\n" if stays else "Connection: close\r\n\r\n"
        self._transport.write(f"{head}{last}".encode() + (body if with_body else b""))


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
