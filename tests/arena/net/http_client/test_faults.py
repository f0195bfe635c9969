"""Faults of bots over HTTP: every bad answer has a code, and other bots are still answered."""

import asyncio

import msgspec
import pytest

from splito_arena.faults import FAULTS, Fault, Refusal
from splito_arena.net.http_client import Caller
from splito_arena.net.http_request import Target
from splito_arena.net.http_response import REFUSAL_LIMIT
from tests.arena.net.http_client.calls import SHORT, outcome, post
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
    repeats,
    resets,
    says,
    serving,
    trusting,
)

pytestmark = pytest.mark.anyio

REFUSALS: dict[str, tuple[Serve, str, int, bytes]] = {
    "in one piece": (says(b"HTTP/1.1 401 No\r\nContent-Length: 5\r\n\r\nwrong"), "bad-status", 401, b"wrong"),
    "in chunks": (
        says(b"HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nwr\r\n3\r\nong\r\n0\r\n\r\n"),
        "bad-status",
        500,
        b"wrong",
    ),
    "to the end": (closes_after(b"HTTP/1.1 500 No\r\nConnection: close\r\n\r\nwrong"), "bad-status", 500, b"wrong"),
    "never completely": (says(b"HTTP/1.1 503 No\r\nContent-Length: 99\r\n\r\nwrong"), "bad-status", 503, b"wrong"),
    "closed too early": (
        closes_after(b"HTTP/1.1 503 No\r\nContent-Length: 99\r\n\r\nwrong"),
        "bad-status",
        503,
        b"wrong",
    ),
    "without end": (
        repeats(b"HTTP/1.1 500 No\r\n\r\n", 4096 * b"x"),
        "bad-status",
        500,
        REFUSAL_LIMIT * b"x",
    ),
    "as a page": (
        says(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n<p/>"),
        "bad-type",
        200,
        b"<p/>",
    ),
    "packed": (
        says(b"HTTP/1.1 500 No\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n\x1f\x8b"),
        "bad-status",
        500,
        b"",
    ),
    "as a redirect": (says(b"HTTP/1.1 308 Go\r\nContent-Length: 3\r\n\r\nup!"), "redirect", 308, b"up!"),
}


@pytest.mark.parametrize(("serve", "code", "status", "body"), REFUSALS.values(), ids=REFUSALS)
async def test_the_beginning_of_a_response_that_is_no_answer_is_kept(
    serve: Serve, code: str, status: int, body: bytes
) -> None:
    async with bot(serve) as target, Caller() as caller:
        with pytest.raises(Fault) as caught:
            await post(caller, target)
    assert (caught.value.code, caught.value.refusal) == (code, Refusal(status, body))


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
async def test_a_bad_answer_is_a_fault_and_calls_to_other_bots_succeed(name: str) -> None:
    serve, code = BAD[name]
    async with bot(echo) as good, Caller() as caller, bot(serve) as bad:
        calls = outcome(caller, bad, seconds=SHORT if code == "time-out" else LONG), outcome(caller, good, b"[1]")
        assert await asyncio.gather(*calls) == [code, b"[1]"]
        assert await outcome(caller, good, b"[2]") == b"[2]"


def test_every_fault_of_a_connection_has_a_test() -> None:
    elsewhere = {"refused", "bad-address"}
    of_answers = {"bad-json", "wrong-schema", "wrong-ask", "illegal-move", "bad-nudge", "crashed"}
    assert {code for _, code in BAD.values()} | elsewhere == FAULTS.keys() - of_answers
    assert str(Fault("redirect", "302")) == "redirects are not followed: 302"


async def test_a_bot_that_answers_before_the_request_does_not_affect_other_bots() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(answer(b"early") + b"!")
        await reader.read()

    async with bot(echo) as good, Caller() as caller, bot(serve) as early:
        calls = outcome(caller, early), outcome(caller, good, b"[1]")
        found, answered = await asyncio.gather(*calls)
        assert found in {b"early", "bad-http"}  # it may still arrive after the request
        assert answered == b"[1]"


async def test_a_port_without_a_server_is_the_fault_refused() -> None:
    async with Caller() as caller:
        assert await outcome(caller, Target(NAME, HOST, nobody(), tls=False, path="/")) == "refused"


@pytest.mark.parametrize(("serve", "code", "seconds"), [(ignores, "time-out", SHORT), (hangs_up, "reset", LONG)])
async def test_a_server_without_tls_is_a_fault_and_calls_to_other_bots_succeed(
    serve: Serve, code: str, seconds: float
) -> None:
    async with bot(echo) as good, Caller() as caller, bot(serve) as bad:
        secure = msgspec.structs.replace(bad, tls=True)
        assert await outcome(caller, secure, seconds=seconds) == code
        assert await outcome(caller, good, b"[1]") == b"[1]"


async def test_a_plain_answer_on_a_tls_port_is_the_fault_bad_http() -> None:
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
