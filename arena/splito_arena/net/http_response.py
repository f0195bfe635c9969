"""Reader of a bot's HTTP responses: only a small JSON document with status 200 is a reply, all else is a fault.

The limits below bound the memory that a bot can make the arena use, and nothing is ever decompressed.
"""

import asyncio
from collections.abc import Callable
from typing import Protocol, cast

import msgspec
from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from splito_arena.faults import Fault, Refusal

HEAD_LIMIT = 16 * 1024
"""Bytes of all headers together, including interim responses and trailers."""
BODY_LIMIT = 64 * 1024
WIRE_LIMIT = HEAD_LIMIT + 8 * BODY_LIMIT
"""Bytes of a whole response, because a body in chunks of one byte takes six times its size."""
HEAD_KEPT, HEADS_KEPT = 1024, 4
"""Bytes of a head that is remembered at most, and number of heads that a connection remembers."""
REFUSAL_LIMIT = 4 * 1024
"""Bytes that are read of a body that is no answer; its beginning is for the log of the bot's owner."""
REFUSAL_PATIENCE = 0.5
"""Seconds after its head in which that body must arrive."""
READ_ON = ("bad-status", "redirect", "bad-type")
"""Faults in a head after which the body is read, because it may say why the bot failed."""
INTERIM_LIMIT = 8
"""Responses with a status of 1xx allowed before the final one."""

JSON = b"application/json"
IDENTITY = b"identity"
FRAMING = frozenset([b"content-length", b"transfer-encoding"])
NEEDED = FRAMING | {b"content-type", b"content-encoding"}
HEAD_END = b"\r\n\r\n"


class Reply(msgspec.Struct, frozen=True, gc=False):
    """A reply of a bot. `elapsed` is the number of seconds from the first byte written to the last byte read."""

    body: bytes
    elapsed: float
    status: int = 200


class Sent(Protocol):
    """Protocol of a call that waits for the response to a request."""

    def came(self, reply: Reply) -> None: ...

    def failed(self, cause: Exception) -> None: ...


class Connection(asyncio.Protocol):
    """One connection to a bot. It is a member of `wires` from when it is made until it is lost."""

    def __init__(self, clock: Callable[[], float], wires: "set[Connection]", reader: "type[Reader]") -> None:
        self.idle_since = 0.0
        """Time at which the last response was complete, in seconds of the clock."""
        self.gone = asyncio.Event()
        self._clock = clock
        self._wires = wires
        self._reader = reader()
        self._transport: asyncio.Transport | None = None
        self._call: Sent | None = None
        self._sent_at = 0.0
        self.cause: Exception | None = None
        """Reason why the connection is closed; None while it is open."""
        self._patience: asyncio.TimerHandle | None = None
        """Timer of the body of a response that is no answer."""

    @property
    def heard(self) -> bool:
        """True if bytes have arrived since the last request."""
        return self._reader.size > 0

    def send(self, request: bytes, call: Sent) -> None:
        """Send a request. The call is told once: the reply, or the error."""
        self._call = call
        self._reader.reset()
        if self.cause is not None or self._transport is None or self._transport.is_closing():
            self.drop(Fault("reset"))
        else:
            self._sent_at = self._clock()
            self._transport.write(request)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's transport is no subclass, but has all methods
        if self.cause is None:
            self._wires.add(self)
        else:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        if self._call is None:
            self.drop(Fault("bad-http", "an answer before the request"))
            return
        try:
            body = self._reader.feed(data)
        except Fault as fault:
            self.drop(fault)
        else:
            if body is not None:
                self._deliver(body)
            elif (refusal := self._reader.refusal) is not None and self._patience is None:
                self._patience = asyncio.get_running_loop().call_later(REFUSAL_PATIENCE, self.drop, refusal)

    def eof_received(self) -> None:
        body = self._reader.finish() if self._call is not None else None
        if body is not None:
            self._deliver(body)
        self.drop(Fault("reset"))

    def _deliver(self, body: bytes) -> None:
        self.idle_since = self._clock()
        reply = Reply(body, self.idle_since - self._sent_at, self._reader.status)
        call, self._call = self._call, None
        if not self._reader.keep_alive:
            self.drop(Fault("reset"))
        if call is not None:
            call.came(reply)

    def drop(self, cause: Exception) -> None:
        """Close the connection; the waiting call and later calls get the first cause.

        A response that is known to be no answer is the cause, even if its body does not arrive completely.
        """
        self.cause = self.cause or self._reader.refusal or cause
        if self._patience is not None:
            self._patience.cancel()
        if self._transport is not None:
            self._transport.abort()
        call, self._call = self._call, None
        if call is not None:
            call.failed(self.cause)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self.drop(Fault("reset", str(exc or "")))
        self._wires.discard(self)
        self.gone.set()


class Reader:
    """A reader of the responses of one connection, one after the other; it cannot be used after a fault.

    A bot begins most of its responses with the same bytes. A head that was valid once is valid again: a response that
    comes in one piece and differs only in its body is not parsed again.
    """

    def __init__(self) -> None:
        self._parser = HttpResponseParser(self)
        self._heads: dict[bytes, int] = {}
        """The last valid heads, with the length of the body that each announces."""
        self.reset()

    def reset(self) -> None:
        """Prepare for the next response."""
        self.size = 0
        self.body: bytes | None = None
        self._refused: Fault | None = None
        self.status = 200
        self.keep_alive = False

    @property
    def refusal(self) -> Fault | None:
        """Return the fault in the head of a response whose body is still being read; None if there is none."""
        if self._refused is not None:
            self._refused.refusal = Refusal(self.status, b"".join(self._parts)[:REFUSAL_LIMIT])
        return self._refused

    def feed(self, data: bytes) -> bytes | None:
        """Return the body once it is complete; None before. Bytes after it are ignored, but end the connection."""
        if self.size:
            return self._parse(data)
        head, _, body = data.partition(HEAD_END)
        if self._heads.get(head) == len(body):
            self.size, self.keep_alive = len(data), True
            return body
        self._begin()
        if self._parse(data) == body:  # neither chunked nor after an interim response
            self._remember(head)
        return self.body

    def _begin(self) -> None:
        self._headers: dict[bytes, bytes] = {}
        self._headers_size = 0
        self._interims = 0
        self._judged = False
        self._parts: list[bytes] = []
        self._body_size = 0

    def _parse(self, data: bytes) -> bytes | None:
        self.size += len(data)
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade) as error:
            self._explain(error)
        if self.body is None:
            self._check_size()
        return self.body

    def _remember(self, head: bytes) -> None:
        if self.keep_alive and self.status == 200 and len(head) <= HEAD_KEPT:
            if len(self._heads) >= HEADS_KEPT:
                self._heads.clear()
            self._heads[head] = self._body_size

    def finish(self) -> bytes | None:
        """Return the body if the end of the connection completes it; None if not."""
        if self.size and self._judged and not self._refused and not self._headers.keys() & FRAMING:
            self.body = b"".join(self._parts)
        return self.body

    def _explain(self, error: Exception) -> None:
        if self.body is not None:
            self.keep_alive = False
        elif isinstance(error.__context__, Fault):
            raise error.__context__
        else:
            raise Fault("bad-http", str(error)) from error

    def _check_size(self) -> None:
        if not self._judged and self.size > HEAD_LIMIT:
            raise Fault("too-large", f"headers of more than {HEAD_LIMIT} bytes")
        if self.size > WIRE_LIMIT:
            raise Fault("too-large", f"more than {WIRE_LIMIT} bytes in all")

    # Callbacks of the parser. It wraps whatever they raise in an error of its own.

    def on_message_begin(self) -> None:
        if self.body is not None:
            raise Fault("bad-http", "a second answer")

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers_size += len(name) + len(value) + 4
        if self._headers_size > HEAD_LIMIT:
            raise Fault("too-large", f"headers of more than {HEAD_LIMIT} bytes")
        name = name.lower()
        if name in NEEDED and not self._judged:
            known = self._headers.get(name)
            self._headers[name] = value if known is None else known + b"," + value

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if 100 <= status < 200:
            self._skip(status)
            return
        self._judge(status)
        if self._refused is None and self._parser.get_http_version() not in {"1.1", "1.0"}:
            raise Fault("bad-http", f"version {self._parser.get_http_version()}")
        self.keep_alive = self._parser.should_keep_alive()
        self._judged = True

    def _judge(self, status: int) -> None:
        """Judge the head. After some faults the body is read before the fault is raised."""
        try:
            self.judge(status, self._headers)
        except Fault as fault:
            if fault.code not in READ_ON or self._headers.get(b"content-encoding", IDENTITY).lower() != IDENTITY:
                fault.refusal = Refusal(status, b"")
                raise
            self._refused, self.status = fault, status

    def judge(self, status: int, headers: dict[bytes, bytes]) -> None:
        """Raise `Fault` if the status or the headers are not those of a bot's answer."""
        _check_status(status)
        _check_headers(headers)

    def _skip(self, status: int) -> None:
        self._interims += 1
        self._headers.clear()
        if status == 101:
            raise Fault("bad-status", "101, but the arena asked for no other protocol")
        if self._interims > INTERIM_LIMIT:
            raise Fault("bad-http", f"more than {INTERIM_LIMIT} interim answers")

    def on_body(self, part: bytes) -> None:
        self._body_size += len(part)
        self._parts.append(part)
        if self._refused is not None and self._body_size > REFUSAL_LIMIT:
            raise self.refusal or self._refused
        if self._body_size > BODY_LIMIT:
            raise Fault("too-large", f"a body of more than {BODY_LIMIT} bytes")

    def on_message_complete(self) -> None:
        if (refusal := self.refusal) is not None:
            raise refusal
        if self._judged:
            self.body = b"".join(self._parts)


class AnyReader(Reader):
    """A reader for addresses that are no bots, such as webhooks: any status except a redirect, and any content type."""

    def judge(self, status: int, headers: dict[bytes, bytes]) -> None:
        _check_redirect(status)
        _check_transfer(headers)
        self.status = status


def _check_status(status: int) -> None:
    _check_redirect(status)
    if status != 200:
        raise Fault("bad-status", str(status))


def _check_redirect(status: int) -> None:
    if 300 <= status < 400:
        raise Fault("redirect", str(status))


def _check_headers(headers: dict[bytes, bytes]) -> None:
    media = headers.get(b"content-type", b"")
    if media != JSON and media.partition(b";")[0].strip().lower() != JSON:
        raise Fault("bad-type", f"Content-Type {_quote(media)}")
    encoding = headers.get(b"content-encoding", b"identity")
    if encoding.strip().lower() != b"identity":
        raise Fault("bad-type", f"Content-Encoding {_quote(encoding)}")
    _check_transfer(headers)


def _check_transfer(headers: dict[bytes, bytes]) -> None:
    transfer = headers.get(b"transfer-encoding", b"chunked")
    if transfer.strip().lower() != b"chunked":
        raise Fault("bad-http", f"Transfer-Encoding {_quote(transfer)}")
    if int(headers.get(b"content-length", b"0")) > BODY_LIMIT:  # the parser has checked that it is a number
        raise Fault("too-large", f"a body of more than {BODY_LIMIT} bytes")


def _quote(value: bytes) -> str:
    return repr(value[:100].decode("latin-1"))
