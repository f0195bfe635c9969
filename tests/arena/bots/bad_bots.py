"""Bots that do wrong whatever the arena has to live with, each of them a real server."""

import asyncio
import gzip
import json
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from tests.arena.net.servers import (
    JSON,
    Serve,
    answer,
    closes_after,
    half_closes_after,
    hangs_up,
    ignores,
    read_request,
    repeats,
    resets,
    says,
)

Json: TypeAlias = dict[str, Any]
Reply: TypeAlias = Callable[[Json], bytes]
"""From an ask to the whole of what is sent back."""

STRIKES = 3


class Bad(NamedTuple):
    serve: Serve
    faults: list[str]
    """Faults that the bot is blamed for, turn by turn; with three of them it is replaced."""
    tls: str | None = None
    """Host of the bot's certificate, if it is called by HTTPS."""
    dies: asyncio.Event | None = None
    """When nobody listens there any more."""
    tries: int | None = None
    """How often it is asked in all, where that is not plain from its faults."""


def replies(reply: Reply) -> Serve:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            _, body = await read_request(reader)
            writer.write(reply(json.loads(body)))

    return serve


def good(ask: Json) -> bytes:
    """Names its ask and the last of its moves."""
    return answer(json.dumps({"ask": ask["id"], "move": ask["moves"][-1]}).encode())


def always(code: str, body: bytes) -> Bad:
    """The same body to every ask."""
    return Bad(replies(lambda _: answer(body)), STRIKES * [code])


def bad(code: str, serve: Serve) -> Bad:
    return Bad(serve, STRIKES * [code])


def status(line: bytes, headers: bytes = b"") -> Serve:
    return replies(lambda _: b"HTTP/1.1 " + line + b"\r\n" + headers + b"Content-Length: 0\r\n\r\n")


async def drips_handshake(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"\x16\x03\x03\x3f\xff")  # a record of TLS with 16 kB to come
    while not (reader.at_eof() or writer.is_closing()):
        writer.write(b"\x02")
        await writer.drain()
        await asyncio.sleep(0.01)
        await reader.read(1)


def of_yesterday() -> Bad:
    """Answers every ask but the first as it answered the one before."""
    last: list[Json] = []

    def reply(ask: Json) -> bytes:
        if not last or last[-1]["turn"] < ask["turn"]:
            last.append(ask)
        return good(last[-2] if len(last) > 1 else ask)

    return Bad(replies(reply), STRIKES * ["wrong-ask"])


def of_another_seat() -> Bad:
    def reply(ask: Json) -> bytes:
        other = {**ask, "id": f"{ask['match']}-{ask['turn']}-{(ask['seat'] + 1) % ask['players']}"}
        return good(other)

    return Bad(replies(reply), STRIKES * ["wrong-ask"])


def alternates() -> Bad:
    return Bad(
        replies(lambda ask: good(ask) if ask["turn"] % 2 else answer(b'{"index":999}')), STRIKES * ["illegal-move"]
    )


def fails_twice() -> Bad:
    return Bad(replies(lambda ask: good(ask) if ask["turn"] > 1 else answer(b"")), 2 * ["bad-json"])


def corrects_itself() -> Bad:
    return Bad(replies(lambda ask: good(ask) if ask["rejected"] else answer(b"{}")), [], tries=26)


def dies() -> Bad:
    """In the fifth turn, with a bang: its connections end, and nobody listens any more."""
    dead = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while not dead.is_set():
            _, body = await read_request(reader)
            ask = json.loads(body)
            if ask["turn"] < 4:
                writer.write(good(ask))
            else:
                dead.set()
        await asyncio.sleep(0)

    return Bad(serve, STRIKES * ["refused"], dies=dead)


def refuses() -> Bad:
    dead = asyncio.Event()
    dead.set()
    return Bad(ignores, STRIKES * ["refused"], dies=dead)


CHUNKED = JSON + b"Transfer-Encoding: chunked\r\n\r\n"
BOMB = gzip.compress(10_000_000 * b"0")
HTTP2 = b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"  # an empty SETTINGS frame, as a server begins
LOOP = b"Location: /ask\r\n"

BAD_BOTS: dict[str, Callable[[], Bad]] = {
    # it takes too long
    "hangs": lambda: bad("time-out", ignores),
    "hangs after its headers": lambda: bad("time-out", says(JSON + b"Content-Length: 2\r\n\r\n")),
    "drips its headers": lambda: bad("time-out", repeats(JSON + b"X: ", b"x", 0.01)),
    "drips its body": lambda: bad("time-out", repeats(JSON + b"Content-Length: 60000\r\n\r\n{", b" ", 0.01)),
    "never shakes hands": lambda: Bad(ignores, STRIKES * ["time-out"], tls=""),
    "shakes hands byte by byte": lambda: Bad(drips_handshake, STRIKES * ["time-out"], tls=""),
    # it says too much
    "floods": lambda: bad("too-large", repeats(CHUNKED, b"100\r\n" + 256 * b"x" + b"\r\n")),
    "floods without a length": lambda: bad("too-large", repeats(JSON + b"\r\n", 4096 * b"x")),
    "has headers without end": lambda: bad("too-large", repeats(JSON, b"X: x\r\n")),
    "announces too much": lambda: bad("too-large", says(JSON + b"Content-Length: 99999999\r\n\r\n")),
    "sends a gzip bomb": lambda: bad(
        "bad-type", says(JSON + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(BOMB) + BOMB)
    ),
    # it goes away
    "refuses": refuses,
    "hangs up": lambda: bad("reset", hangs_up),
    "closes within its body": lambda: bad("reset", closes_after(JSON + b"Content-Length: 20\r\n\r\n{")),
    "half-closes": lambda: bad("reset", half_closes_after()),
    "half-closes within its body": lambda: bad("reset", half_closes_after(JSON + b"Content-Length: 20\r\n\r\n{")),
    "resets": lambda: bad("reset", resets),
    "dies": dies,
    # it is somebody else
    "has the certificate of another": lambda: Bad(replies(good), STRIKES * ["bad-address"], tls="other.example"),
    "speaks plainly where TLS is expected": lambda: Bad(hangs_up_after_a_page, STRIKES * ["bad-http"], tls=""),
    "speaks HTTP/2": lambda: bad("bad-http", says(HTTP2)),
    "is a mail server": lambda: bad("bad-http", says(b"220 mail.example ESMTP\r\n")),
    "asks for patience without end": lambda: bad("bad-http", repeats(b"", b"HTTP/1.1 102 Wait\r\n\r\n")),
    "sends elsewhere by 302": lambda: bad("redirect", status(b"302 Found", b"Location: http://169.254.169.254/\r\n")),
    "sends elsewhere by 307": lambda: bad("redirect", status(b"307 Temporary Redirect", b"Location: //other/\r\n")),
    "sends to itself": lambda: bad("redirect", status(b"308 Permanent Redirect", LOOP)),
    "fails with 500": lambda: bad("bad-status", status(b"500 Oops")),
    "does not know the path": lambda: bad("bad-status", status(b"404 Not Found")),
    "has no content": lambda: bad("bad-status", status(b"204 No Content")),
    "answers with a page": lambda: bad(
        "bad-type", says(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\n{}")
    ),
    # it talks nonsense
    "says nothing": lambda: always("bad-json", b""),
    "says NaN": lambda: always("bad-json", b'{"index":NaN}'),
    "says it in Latin-1": lambda: always("bad-json", b'{"index":0,"debug":"\xe9"}'),
    "marks the byte order": lambda: always("bad-json", b'\xef\xbb\xbf{"index":0}'),
    "says it in a list": lambda: always("wrong-schema", b'[{"index":0}]'),
    "goes very deep": lambda: always("wrong-schema", 30_000 * b"[" + 30_000 * b"]"),
    "goes deep where nothing is expected": lambda: always("wrong-schema", b'{"x":' + 30_000 * b"["),
    "has huge numbers": lambda: always("wrong-schema", b'{"index":%b}' % (60_000 * b"9")),
    "has huge exponents": lambda: always("wrong-schema", b'{"index":1e999999999}'),
    "has fields of its own": lambda: always("wrong-schema", b'{"index":0,"confidence":0.9}'),
    "names move and index": lambda: Bad(
        replies(lambda ask: answer(json.dumps({"move": ask["moves"][0], "index": 0}).encode())),
        STRIKES * ["wrong-schema"],
    ),
    "names neither": lambda: always("wrong-schema", b"{}"),
    "writes its move as text": lambda: always("wrong-schema", b'{"move":"r4<"}'),
    "counts from -1": lambda: always("wrong-schema", b'{"index":-1}'),
    "has too much to tell": lambda: always("wrong-schema", b'{"index":0,"debug":"%b"}' % (5000 * b"x")),
    "answers for another seat": of_another_seat,
    "answers the turn before": of_yesterday,
    "invents a card": lambda: always("illegal-move", b'{"move":{"card":"joker","side":"left"}}'),
    "counts too far": lambda: always("illegal-move", b'{"index":999}'),
    "says what cannot be said": lambda: always("bad-nudge", b'{"index":0,"nudge":"you cheat"}'),
    "fails every other time": alternates,
    # it is only odd
    "fails twice": fails_twice,
    "corrects itself": corrects_itself,
    "has its key twice": lambda: Bad(replies(lambda _: answer(b'{"index":999,"index":0}')), []),
    "answers twice": lambda: Bad(replies(lambda ask: 2 * good(ask)), []),
    "goes on talking": lambda: Bad(replies(lambda ask: good(ask) + b"garbage\r\n\r\n"), []),
}


async def hangs_up_after_a_page(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    await reader.read()
