"""Whatever one bot does, its call ends in time with the fault it deserves, and the others are answered."""

import asyncio
import contextlib
import socket
import time
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from splito_arena.faults import FAULTS, Fault
from splito_arena.net.http_client import Caller
from splito_arena.net.http_request import Target
from splito_arena.net.http_response import Connection, Reply
from tests.arena.net.servers import (
    GOOD,
    HOST,
    JSON,
    LONG,
    NAME,
    Serve,
    answer,
    bot,
    closes_after,
    echo,
    half_closes_after,
    hangs_up,
    ignores,
    nobody,
    read_request,
    repeats,
    resets,
    says,
    serving,
    trusting,
)

pytestmark = pytest.mark.anyio
SHORT = 0.2


async def post(caller: Caller, target: Target, body: bytes = b"{}", seconds: float = LONG) -> Reply:
    return await caller.post(target, body, {"X-Match": "1"}, time.monotonic() + seconds)


async def outcome(caller: Caller, target: Target, body: bytes = b"{}", seconds: float = LONG) -> str | bytes:
    """The code of the fault, or the body of the reply."""
    try:
        return (await post(caller, target, body, seconds)).body
    except Fault as fault:
        return fault.code


BAD: dict[str, tuple[Serve, str]] = {
    "hangs after accepting": (ignores, "time-out"),
    "hangs after the status": (says(b"HTTP/1.1 200 OK\r\n"), "time-out"),
    "hangs after the headers": (says(JSON + b"Content-Length: 2\r\n\r\n"), "time-out"),
    "drips its headers": (repeats(JSON + b"X: ", b"x", 0.01), "time-out"),
    "drips its body": (repeats(JSON + b"Content-Length: 9999\r\n\r\n", b"x", 0.01), "time-out"),
    "says less than it announced": (says(JSON + b"Content-Length: 3\r\n\r\n{}"), "time-out"),
    "floods in chunks": (
        repeats(JSON + b"Transfer-Encoding: chunked\r\n\r\n", b"100\r\n" + 256 * b"x" + b"\r\n"),
        "too-large",
    ),
    "floods without a length": (repeats(JSON + b"\r\n", 4096 * b"x"), "too-large"),
    "floods the extension of a chunk": (
        repeats(JSON + b"Transfer-Encoding: chunked\r\n\r\n1;", 4096 * b"x"),
        "too-large",
    ),
    "floods a trailer": (repeats(JSON + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX: ", 4096 * b"x"), "too-large"),
    "floods the status": (repeats(b"HTTP/1.1 200 ", 4096 * b"x"), "too-large"),
    "one huge header": (says(JSON + b"X: " + 20_000 * b"x" + b"\r\nContent-Length: 2\r\n\r\n{}"), "too-large"),
    "many headers": (says(JSON + 5000 * b"X: x\r\n" + b"Content-Length: 2\r\n\r\n{}"), "too-large"),
    "headers without end": (repeats(JSON, b"X: x\r\n"), "too-large"),
    "a large body": (says(JSON + b"Content-Length: 65537\r\n\r\n"), "too-large"),
    "server error": (says(b"HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n"), "bad-status"),
    "no content": (says(b"HTTP/1.1 204 No Content\r\n\r\n"), "bad-status"),
    "another protocol": (says(b"HTTP/1.1 101 Go\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nx"), "bad-status"),
    "redirect": (says(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n"), "redirect"),
    "a page": (says(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\n{}"), "bad-type"),
    "no type": (says(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"), "bad-type"),
    "two types": (says(JSON + b"Content-Type: text/html\r\nContent-Length: 2\r\n\r\n{}"), "bad-type"),
    "gzip": (says(JSON + b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}"), "bad-type"),
    "gzip on the way": (says(JSON + b"Transfer-Encoding: gzip, chunked\r\n\r\n"), "bad-http"),
    "closes at once": (hangs_up, "reset"),
    "closes without an answer": (closes_after(), "reset"),
    "closes within the headers": (closes_after(JSON), "reset"),
    "closes within the body": (closes_after(JSON + b"Content-Length: 3\r\n\r\n{}"), "reset"),
    "closes within the chunks": (closes_after(JSON + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"), "reset"),
    "half-closes without an answer": (half_closes_after(), "reset"),
    "half-closes within the body": (half_closes_after(JSON + b"Content-Length: 3\r\n\r\n{}"), "reset"),
    "resets": (resets, "reset"),
    "garbage": (says(b"\x00\xff\x15\x03 garbage\r\n\r\n"), "bad-http"),
    "a mail server": (says(b"220 mail.example ESMTP\r\n"), "bad-http"),
    "HTTP/2": (says(JSON.replace(b"1.1", b"2.0") + b"Content-Length: 2\r\n\r\n{}"), "bad-http"),
    "negative length": (says(JSON + b"Content-Length: -2\r\n\r\n{}"), "bad-http"),
    "absurd length": (says(JSON + b"Content-Length: " + 40 * b"9" + b"\r\n\r\n{}"), "bad-http"),
    "two lengths": (says(JSON + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"), "bad-http"),
    "length and chunks": (
        says(JSON + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
        "bad-http",
    ),
    "chunks and length": (
        says(JSON + b"Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
        "bad-http",
    ),
    "absurd chunk": (says(JSON + b"Transfer-Encoding: chunked\r\n\r\n" + 40 * b"f" + b"\r\n"), "bad-http"),
    "interim answers without end": (repeats(b"", b"HTTP/1.1 102 Wait\r\n\r\n"), "bad-http"),
}


@pytest.mark.parametrize("name", BAD)
async def test_a_bad_bot_is_told_its_fault_while_a_good_one_is_answered(name: str) -> None:
    serve, code = BAD[name]
    async with bot(echo) as good, Caller() as caller, bot(serve) as bad:
        calls = outcome(caller, bad, seconds=SHORT if code == "time-out" else LONG), outcome(caller, good, b"[1]")
        assert await asyncio.gather(*calls) == [code, b"[1]"]
        assert await outcome(caller, good, b"[2]") == b"[2]"


def test_every_fault_is_known_and_tested() -> None:
    elsewhere = {"refused", "bad-address"}
    of_answers = {"bad-json", "wrong-schema", "wrong-ask", "illegal-move", "bad-nudge", "crashed"}
    assert {code for _, code in BAD.values()} | elsewhere == FAULTS.keys() - of_answers
    assert str(Fault("redirect", "302")) == "redirects are not followed: 302"


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


async def test_the_largest_body_is_let_through() -> None:
    async with bot(echo) as target, Caller() as caller:
        assert await outcome(caller, target, 65536 * b"1") == 65536 * b"1"
        assert await outcome(caller, target, 65537 * b"1") == "too-large"


async def test_what_is_sent_is_what_was_asked_for() -> None:
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


async def test_hundreds_who_call_at_once_get_their_own_replies() -> None:
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


async def test_an_answer_that_nobody_asked_for_is_never_taken_for_a_later_one() -> None:
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


async def test_who_answers_before_being_asked_hurts_nobody_else() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(answer(b"early") + b"!")
        await reader.read()

    async with bot(echo) as good, Caller() as caller, bot(serve) as early:
        calls = outcome(caller, early), outcome(caller, good, b"[1]")
        found, answered = await asyncio.gather(*calls)
        assert found in {b"early", "bad-http"}  # it may still arrive after the request
        assert answered == b"[1]"


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


async def test_few_connections_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
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


async def test_a_connection_that_nobody_uses_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("splito_arena.net.http_client.IDLE_LIMIT", 0.05)
    async with Caller() as caller, bot(echo) as target:
        assert await outcome(caller, target) == b"{}"


async def test_who_goes_away_closes_the_connection() -> None:
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


async def test_who_goes_away_while_connecting_leaves_nothing_behind() -> None:
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


async def test_who_still_waits_when_it_is_closed_is_told_and_so_is_who_comes_later() -> None:
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


async def test_a_port_where_nobody_listens_is_refused() -> None:
    async with Caller() as caller:
        assert await outcome(caller, Target(NAME, HOST, nobody(), tls=False, path="/")) == "refused"


@pytest.mark.parametrize("address", ["localhost", "bot.example", "", "127.0.0.1 ", "127.1"])
async def test_only_an_ip_is_an_address_since_nobody_has_vetted_what_a_name_would_lead_to(address: str) -> None:
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
async def test_nothing_can_be_smuggled_into_a_request(path: str, host: str, headers: dict[str, str]) -> None:
    async with Caller() as caller:
        with pytest.raises(ValueError, match="cannot be"):
            await caller.post(Target(host, HOST, 1, tls=False, path=path), b"", headers, time.monotonic() + LONG)


@pytest.mark.parametrize(("serve", "code", "seconds"), [(ignores, "time-out", SHORT), (hangs_up, "reset", LONG)])
async def test_who_does_not_speak_tls_is_given_up(serve: Serve, code: str, seconds: float) -> None:
    async with bot(echo) as good, Caller() as caller, bot(serve) as bad:
        secure = msgspec.structs.replace(bad, tls=True)
        assert await outcome(caller, secure, seconds=seconds) == code
        assert await outcome(caller, good, b"[1]") == b"[1]"


async def test_who_answers_plainly_on_a_tls_port_is_no_http() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(GOOD)
        await reader.read()

    async with Caller() as caller, bot(serve) as bad:
        assert await outcome(caller, msgspec.structs.replace(bad, tls=True)) == "bad-http"


async def test_a_bot_must_have_a_certificate_of_its_own_name() -> None:
    other = "other.example"
    async with bot(echo, serving(other)) as impostor, Caller(tls=trusting(other)) as caller, Caller() as strict:
        named = msgspec.structs.replace(impostor, host=other)
        assert await asyncio.gather(outcome(caller, impostor), outcome(caller, named)) == ["bad-address", b"{}"]
        assert await outcome(caller, named, b"[1]") == b"[1]"
        assert await outcome(strict, named) == "bad-address"


async def test_who_gives_up_at_once_sends_nothing_and_the_connection_is_kept() -> None:
    async with bot(echo) as target, Caller() as caller:
        await post(caller, target, b"1")
        given_up = asyncio.create_task(post(caller, target, b"2"))
        await asyncio.sleep(0)
        given_up.cancel()
        with pytest.raises(asyncio.CancelledError):
            await given_up
        assert (await post(caller, target, b"3")).body == b"3"


async def test_the_time_of_a_call_begins_when_it_is_sent() -> None:
    late = 0.0
    async with bot(echo) as target, Caller(lambda: time.monotonic() + late) as caller:
        await post(caller, target, b"1")
        waiting = asyncio.create_task(post(caller, target, b"2", LONG))
        await asyncio.sleep(0)
        late = 10 * LONG  # as if something had held us up before we could send it
        await asyncio.sleep(0)
        assert [deadline > caller.clock() for deadline in caller.calls.values()] == [True]
        assert (await waiting).body == b"2"


async def test_a_request_that_cannot_be_written_holds_up_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
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
