"""The server of one bot, as a client with a plain socket finds it."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import pytest

from splito_arena.bots import listener
from splito_arena.bots.listener import listening
from splito_arena.bots.serve import Request, Response
from tests.arena.net.servers import HOST, LONG

pytestmark = pytest.mark.anyio

POST = b"POST /ask HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%b"


def echo(request: Request) -> Response:
    said = f"{request.method} {request.path} {request.headers.get('x-word', '')} "
    return Response(200, said.encode() + request.body)


@asynccontextmanager
async def talking(
    respond: Callable[[Request], Response] = echo,
) -> AsyncGenerator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    async with asyncio.timeout(LONG), listening(respond, HOST, 0) as url:
        reader, writer = await asyncio.open_connection(HOST, int(url.rpartition(":")[2]))
        try:
            yield reader, writer
        finally:
            writer.close()
            await writer.wait_closed()


async def response(reader: asyncio.StreamReader) -> tuple[str, bytes]:
    """The status line, and the body."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    [length] = [int(line.partition(": ")[2]) for line in head if line.startswith("Content-Length")]
    return head[0], await reader.readexactly(length)


async def test_requests_of_a_connection_are_answered_one_after_the_other() -> None:
    async with talking() as (reader, writer):
        for word in (b"one", b"other"):
            writer.write(POST % (len(word), word))
            assert await response(reader) == ("HTTP/1.1 200 OK", b"POST /ask  " + word)


async def test_several_requests_at_once_are_answered_in_their_order() -> None:
    async with talking() as (reader, writer):
        writer.write(POST % (3, b"one") + POST % (5, b"other"))
        assert [(await response(reader))[1] for _ in range(2)] == [b"POST /ask  one", b"POST /ask  other"]


async def test_a_request_may_come_byte_by_byte_and_in_chunks() -> None:
    async with talking() as (reader, writer):
        chunked = (
            b"POST /a/b?c HTTP/1.1\r\nX-Word: W\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n1\r\n!\r\n0\r\n\r\n"
        )
        for byte in chunked:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0)
        assert await response(reader) == ("HTTP/1.1 200 OK", b"POST /a/b?c W one!")


@pytest.mark.parametrize("line", [b"GET / HTTP/1.0\r\n", b"GET / HTTP/1.1\r\nConnection: close\r\n"])
async def test_who_wants_no_more_is_let_go(line: bytes) -> None:
    async with talking() as (reader, writer):
        writer.write(line + b"\r\n")
        said = await reader.read()
    assert b"\r\nConnection: close\r\n" in said
    assert said.endswith(b"GET /  ")


async def test_a_head_has_no_body() -> None:
    async with talking() as (reader, writer):
        writer.write(b"HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n")
        assert (await reader.read()).endswith(b"\r\n\r\n")


async def test_who_wants_another_protocol_gets_an_answer_in_this_one() -> None:
    async with talking() as (reader, writer):
        writer.write(b"GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n")
        said = await reader.read()
    assert said.startswith(b"HTTP/1.1 200 OK\r\n")
    assert said.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize(
    "garbage", [b"hello\r\n\r\n", b"\x16\x03\x01\x02\x00", b"POST /ask HTTP/1.1\r\nContent-Length: x\r\n\r\n"]
)
async def test_what_is_no_http_is_refused_and_ended(garbage: bytes) -> None:
    async with talking() as (reader, writer):
        writer.write(garbage)
        said = await reader.read()
    assert said.startswith(b"HTTP/1.1 400 Bad Request\r\nContent-Type: application/problem+json\r\n")


async def test_what_is_too_large_is_refused_and_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "MAX_REQUEST", 1000)
    async with talking() as (reader, writer):
        writer.write(POST % (10_000, 5_000 * b"x"))
        said = await reader.read()
    assert said.startswith(b"HTTP/1.1 413 ")


async def test_who_still_talks_when_it_ends_is_hung_up_on() -> None:
    async with asyncio.timeout(LONG):
        async with listening(echo, HOST, 0) as url:
            port = int(url.rpartition(":")[2])
            reader, writer = await asyncio.open_connection(HOST, port)
            writer.write(POST % (3, b"one"))
            await response(reader)
        assert await reader.read() == b""
        writer.close()
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection(HOST, port)
