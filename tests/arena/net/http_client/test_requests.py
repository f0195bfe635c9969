"""Requests of the HTTP client: what is sent, what is refused, and how long a call may take."""

import asyncio
import contextlib
import socket
import time
from typing import Any

import pytest

from splito_arena.net.http_client import Caller
from splito_arena.net.http_request import Target
from splito_arena.net.http_response import Connection, Reply
from tests.arena.net.http_client.calls import SHORT, outcome, post
from tests.arena.net.servers import (
    GOOD,
    HOST,
    LONG,
    NAME,
    answer,
    bot,
    echo,
    ignores,
    read_request,
)

pytestmark = pytest.mark.anyio


async def test_a_body_of_64_kib_is_accepted_and_a_larger_one_is_too_large() -> None:
    async with bot(echo) as target, Caller() as caller:
        assert await outcome(caller, target, 65536 * b"1") == 65536 * b"1"
        assert await outcome(caller, target, 65537 * b"1") == "too-large"


async def test_a_request_has_exactly_the_expected_headers() -> None:
    heads: list[list[bytes]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append((await read_request(reader))[0])
        writer.write(GOOD)

    async with bot(serve) as target, Caller() as caller:
        reply = await post(caller, target, b'{"turn":1}')
    assert heads == [
        [
            b"POST /move HTTP/1.1",
            b"Host: bot.example:%d" % target.port,
            b"Content-Type: application/json",
            b"Accept: application/json",
            b"Accept-Encoding: identity",
            b"X-Match: 1",
            b"Content-Length: 10",
        ]
    ]
    assert reply.elapsed > 0


async def test_two_hundred_calls_at_once_get_their_own_replies() -> None:
    arrived = 0
    all_here = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal arrived
        while True:
            _, body = await read_request(reader)
            arrived += 1
            if arrived == 200:
                all_here.set()
            await all_here.wait()
            writer.write(answer(body))

    bodies = [b"%d" % number for number in range(200)]
    async with bot(serve) as target, Caller() as caller:
        assert await asyncio.gather(*(outcome(caller, target, body) for body in bodies)) == bodies
        assert await asyncio.gather(*(outcome(caller, target, body) for body in bodies)) == bodies


async def test_a_deadline_that_has_passed_is_a_time_out() -> None:
    async with bot(echo) as target, Caller() as caller:
        assert await outcome(caller, target, seconds=-1) == "time-out"
        assert await outcome(caller, target) == b"{}"


async def test_every_call_has_its_own_deadline() -> None:
    async with Caller() as caller, bot(ignores) as target, bot(echo) as good:
        late = [outcome(caller, target, seconds=seconds) for seconds in (0.3, 0.1, 0.2, 0.15, 0.25)]
        found = await asyncio.gather(*late, *(outcome(caller, good) for _ in range(5)))
        assert found == 5 * ["time-out"] + 5 * [b"{}"]
        await caller.aclose()


async def test_a_bot_that_does_not_accept_is_a_time_out() -> None:
    with contextlib.ExitStack() as stack:
        full = stack.enter_context(socket.create_server((HOST, 0), backlog=0))
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        target = Target(NAME, HOST, full.getsockname()[1], tls=False, path="/")
        async with Caller() as caller:
            assert await outcome(caller, target, seconds=SHORT) == "time-out"


@pytest.mark.parametrize("address", ["localhost", "bot.example", "", "127.0.0.1 ", "127.1"])
async def test_a_target_that_is_no_ip_address_is_the_fault_bad_address(address: str) -> None:
    async with Caller() as caller:
        assert await outcome(caller, Target(NAME, address, 80, tls=False, path="/")) == "bad-address"


@pytest.mark.parametrize(
    ("path", "host", "headers"),
    [
        ("/a\r\nX: y", NAME, {}),
        ("/a b", NAME, {}),
        ("move", NAME, {}),
        ("/é", NAME, {}),
        ("/", "a\r\nX: y", {}),
        ("/", "", {}),
        ("/", NAME, {"X": "a\r\nY: b"}),
        ("/", NAME, {"X": "a\n"}),
        ("/", NAME, {"X": "a\0"}),
        ("/", NAME, {"X": "€"}),
        ("/", NAME, {"X\r\nY": "a"}),
        ("/", NAME, {"X:": "a"}),
        ("/", NAME, {"": "a"}),
        ("/", NAME, {"content-length": "0"}),
        ("/", NAME, {"Transfer-Encoding": "chunked"}),
    ],
)
async def test_a_path_host_or_header_that_would_change_the_request_is_refused(
    path: str, host: str, headers: dict[str, str]
) -> None:
    async with Caller() as caller:
        with pytest.raises(ValueError, match="cannot be"):
            await caller.post(Target(host, HOST, 1, tls=False, path=path), b"", headers, time.monotonic() + LONG)


async def test_the_measured_time_of_a_call_begins_when_it_is_sent() -> None:
    late = 0.0
    async with bot(echo) as target, Caller(lambda: time.monotonic() + late) as caller:
        await post(caller, target, b"1")
        waiting = asyncio.create_task(post(caller, target, b"2", LONG))
        await asyncio.sleep(0)
        late = 10 * LONG  # as if something had held us up before we could send it
        await asyncio.sleep(0)
        assert [deadline > caller.clock() for deadline in caller.calls.values()] == [True]
        assert (await waiting).body == b"2"


async def test_a_request_that_cannot_be_written_does_not_delay_other_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    send = Connection.send

    def breaks(self: Connection, request: bytes, call: Any) -> None:
        send(self, request, call)
        if request.endswith(b"2"):
            raise MemoryError

    async with bot(echo) as target, Caller() as caller:
        await asyncio.gather(*(post(caller, target, body) for body in (b"1", b"2", b"3")))
        monkeypatch.setattr(Connection, "send", breaks)
        calls = (post(caller, target, body) for body in (b"1", b"2", b"3"))
        first, second, third = await asyncio.gather(*calls, return_exceptions=True)
    assert isinstance(first, Reply)
    assert isinstance(second, MemoryError)
    assert isinstance(third, Reply)
