"""Connections of the HTTP client are kept, replaced once, and closed."""

import asyncio
from collections.abc import Mapping

import msgspec
import pytest

from splito_arena.net.http_client import Caller
from tests.arena.net.http_client.calls import outcome, post
from tests.arena.net.servers import (
    GOOD,
    JSON,
    LONG,
    Serve,
    answer,
    bot,
    closes_after,
    echo,
    half_closes_after,
    ignores,
    read_request,
    says,
)

pytestmark = pytest.mark.anyio

ENDING: dict[str, Serve] = {
    "Connection: close": says(JSON + b"Connection: close\r\nContent-Length: 2\r\n\r\n{}"),
    "HTTP/1.0": says(GOOD.replace(b"1.1", b"1.0")),
    "HTTP/1.0 until the end": closes_after(JSON.replace(b"1.1", b"1.0") + b"\r\n{", b"}"),
    "HTTP/1.1 until the end": closes_after(JSON + b"\r\n{", b"}"),
    "half-closed after the answer": half_closes_after(GOOD),
    "half-closed without a length": half_closes_after(JSON + b"\r\n{}"),
    "a second answer": says(GOOD + GOOD),
    "a body longer than announced": says(GOOD + b"{}"),
    "more, but later": says(GOOD, b"{}"),
}


@pytest.mark.parametrize("name", ENDING)
async def test_an_answer_may_be_the_last_of_its_connection(name: str) -> None:
    async with bot(echo) as good, Caller() as caller, bot(ENDING[name]) as ending:
        assert await outcome(caller, ending) == b"{}"
        assert await outcome(caller, good, b"[1]") == b"[1]"


KEEPING: dict[str, tuple[bytes, ...]] = {
    "in one piece": (GOOD,),
    "byte by byte": tuple(bytes([byte]) for byte in GOOD),
    "in chunks": (JSON + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", b"1;x=y\r\n}\r\n0\r\nX-Trailer: x\r\n\r\n"),
    "after interim answers": (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\n", GOOD),
    "with a charset": (GOOD.replace(b"/json", b"/JSON ; charset=utf-8"),),
    "with no encoding": (JSON + b"Content-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}",),
    "by HTTP/1.0 that keeps alive": (
        GOOD.replace(b"1.1", b"1.0").replace(b"OK\r\n", b"OK\r\nConnection: keep-alive\r\n"),
    ),
}


@pytest.mark.parametrize("name", KEEPING)
async def test_after_a_good_answer_the_connection_is_used_again(name: str) -> None:
    connections = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        while True:
            await read_request(reader)
            for part in KEEPING[name]:
                writer.write(part)
                await asyncio.sleep(0)

    async with bot(serve) as target, Caller() as caller:
        assert [await outcome(caller, target) for _ in range(5)] == 5 * [b"{}"]
    assert connections == 1


async def test_a_second_answer_to_a_request_is_never_taken_for_the_next_one() -> None:
    gone = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _, body = await read_request(reader)
        writer.write(answer(body))
        if body == b"1":
            await asyncio.sleep(0.01)
            writer.write(answer(b"666"))
            await reader.read()
            gone.set()

    async with Caller() as caller, bot(serve) as target:
        assert await outcome(caller, target, b"1") == b"1"
        await asyncio.wait_for(gone.wait(), LONG)
        assert await outcome(caller, target, b"2") == b"2"


def closing_on(requests: Mapping[int, bytes], connections: list[int]) -> Serve:
    """Answers by echo, but closes the connection after the numbered request with no more of an answer than this."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(0)
        while True:
            _, body = await read_request(reader)
            connections[-1] += 1
            if sum(connections) in requests:
                writer.write(requests[sum(connections)])
                return
            writer.write(answer(body))

    return serve


async def test_a_kept_connection_that_is_closed_is_replaced_once() -> None:
    connections: list[int] = []
    async with bot(closing_on({2: b""}, connections)) as target, Caller() as caller:
        assert [await outcome(caller, target, body) for body in (b"1", b"2")] == [b"1", b"2"]
    assert connections == [2, 1]


async def test_a_kept_connection_is_not_replaced_twice() -> None:
    connections: list[int] = []
    async with bot(closing_on({2: b"", 3: b""}, connections)) as target, Caller() as caller:
        assert [await outcome(caller, target, body) for body in (b"1", b"2", b"3")] == [b"1", "reset", b"3"]
    assert connections == [2, 1, 1]


async def test_a_call_is_not_made_again_once_an_answer_has_begun() -> None:
    connections: list[int] = []
    async with bot(closing_on({2: b"H"}, connections)) as target, Caller() as caller:
        assert [await outcome(caller, target, body) for body in (b"1", b"2")] == [b"1", "reset"]
    assert connections == [2]


async def test_only_a_limited_number_of_idle_connections_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("splito_arena.net.http_client.IDLE_COUNT", 2)
    open_now = 0
    few = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal open_now
        open_now += 1
        try:
            await echo(reader, writer)
        finally:
            open_now -= 1
            if open_now == 2:
                few.set()

    async with bot(serve) as target, Caller() as caller:
        await asyncio.gather(*(post(caller, target) for _ in range(9)))
        await asyncio.wait_for(few.wait(), LONG)
        assert open_now == 2


async def test_an_idle_connection_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("splito_arena.net.http_client.IDLE_LIMIT", 0.05)
    async with Caller() as caller, bot(echo) as target:
        assert await outcome(caller, target) == b"{}"


async def test_a_cancelled_call_closes_its_connection() -> None:
    asked = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await read_request(reader)
        asked.set()
        assert await reader.read() == b""

    async with Caller() as caller, bot(serve) as target:
        call = asyncio.create_task(post(caller, target))
        await asked.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call


async def test_a_call_that_is_cancelled_while_connecting_leaves_no_connection() -> None:
    async with Caller() as caller, bot(ignores) as target, bot(ignores) as silent:
        secure = msgspec.structs.replace(silent, tls=True)
        for turns in range(8):
            calls = [asyncio.create_task(post(caller, called)) for called in (target, secure)]
            for _ in range(turns):
                await asyncio.sleep(0)
            for call in calls:
                call.cancel()
            found = await asyncio.gather(*calls, return_exceptions=True)
            assert [type(end) for end in found] == 2 * [asyncio.CancelledError]


async def test_calls_during_and_after_the_close_of_the_client_raise_an_error() -> None:
    asked = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.readexactly(1)
        asked.set()
        await reader.read()

    caller = Caller()
    async with bot(serve) as target, bot(ignores) as silent:
        secure = msgspec.structs.replace(silent, tls=True)
        calls = [asyncio.create_task(post(caller, called)) for called in (target, secure)]
        await asked.wait()
        await caller.aclose()
        for call in [*calls, post(caller, target)]:
            with pytest.raises(ConnectionAbortedError):
                await call
    await caller.aclose()


async def test_a_call_that_is_cancelled_at_once_sends_nothing_and_keeps_the_connection() -> None:
    async with bot(echo) as target, Caller() as caller:
        await post(caller, target, b"1")
        given_up = asyncio.create_task(post(caller, target, b"2"))
        await asyncio.sleep(0)
        given_up.cancel()
        with pytest.raises(asyncio.CancelledError):
            await given_up
        assert (await post(caller, target, b"3")).body == b"3"
