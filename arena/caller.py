"""Calling bots over HTTP/1.1: many calls at once from one process, each answered, refused or given up by its deadline.

Connections are kept for each target and used for one call at a time. A connection goes back to its pool only after an
answer that was whole and correct; whatever else happens to a call, its connection is closed. General clients cost ten
times as much for a call, and the bot would be blamed for our own delay.

Whoever calls has resolved the address and found it harmless: no names are looked up here, and no redirect is followed.
"""

import asyncio
import ipaddress
import re
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from errno import EACCES, EADDRNOTAVAIL, EAFNOSUPPORT, EHOSTUNREACH, EINVAL, ENETDOWN, ENETUNREACH, EPERM
from functools import lru_cache
from math import inf
from typing import Any, Self

import msgspec

from arena.faults import Fault
from arena.reply import Reply, Wire

__all__ = ["Caller", "Reply", "Target"]

IDLE_LIMIT = 15.0
"""Seconds for which a connection is kept that nobody uses."""
IDLE_COUNT = 64
"""Connections that are kept for one target."""
GRAIN = 0.005
"""Seconds between two sweeps at least: a time-out is never later than about this."""
SWEEP = 1.0
"""Seconds between two sweeps at most, while there is anything to sweep."""

OURS = frozenset(["host", "content-length", "transfer-encoding", "connection", "accept-encoding", "content-type"])
"""Headers that are ours alone."""
NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
PATH = re.compile(r"/[\x21-\x7e]*")
HOST = re.compile(r"[0-9A-Za-z._:-]+")
NO_WAY = frozenset([EHOSTUNREACH, ENETUNREACH, ENETDOWN, EADDRNOTAVAIL, EAFNOSUPPORT, EINVAL, EACCES, EPERM])
"""Errors of connecting that tell of the address, not of us."""


class Target(msgspec.Struct, frozen=True):
    """`host` is what the bot is called (Host header and TLS), `address` the IP where somebody found it."""

    host: str
    address: str
    port: int
    tls: bool
    path: str


class Caller:
    """Made anywhere, used in one event loop. The clock must run in seconds; by default it is that of the loop, though
    finer than what uvloop tells of it.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, tls: ssl.SSLContext | None = None) -> None:
        self._clock = clock
        self._tls = tls
        self._idle: dict[Target, list[Wire]] = {}
        self._wires: set[Wire] = set()
        self._waiting: dict[asyncio.Future[Any], float] = {}
        self._next_sweep = inf
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    async def post(self, target: Target, body: bytes, headers: Mapping[str, str], deadline: float) -> Reply:
        """Raises `Fault` for what the bot does wrong, and ValueError for what must never be sent.

        The deadline is a time of the clock, and for everything together. If a connection that was kept turns out to be
        closed before any answer, the call is made once more on a new one.
        """
        request = _request(target, body, headers)
        wire = self._take(target)
        if wire is not None:
            try:
                return await self._ask(wire, target, request, deadline)
            except Fault as fault:
                if fault.code != "reset" or wire.heard:
                    raise
        wire = await self._open(target, deadline)
        return await self._ask(wire, target, request, deadline)

    async def aclose(self) -> None:
        """For good. Whoever still waits is told ConnectionAbortedError, which is nobody's fault."""
        self._closed = True
        openings = [waiting for waiting in self._waiting if isinstance(waiting, asyncio.Task)]
        for opening in openings:
            opening.cancel()
        await asyncio.gather(*openings, return_exceptions=True)
        for wire in tuple(self._wires):
            wire.drop(_closed())
            await wire.gone.wait()
        if self._timer is not None:
            self._timer.cancel()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _ask(self, wire: Wire, target: Target, request: bytes, deadline: float) -> Reply:
        answer = wire.send(request)
        self._watch(answer, deadline)
        try:
            return await answer
        finally:
            del self._waiting[answer]
            self._give_back(wire, target)

    def _take(self, target: Target) -> Wire | None:
        """The connection that was used last, so that those too many grow old."""
        idle = self._idle.get(target)
        while idle:
            wire = idle.pop()
            if wire.ready:
                return wire
        return None

    def _give_back(self, wire: Wire, target: Target) -> None:
        idle = self._idle.setdefault(target, [])
        if wire.ready and len(idle) < IDLE_COUNT and not self._closed:
            wire.idle_since = self._clock()
            idle.append(wire)
        else:
            wire.drop(_closed())

    async def _open(self, target: Target, deadline: float) -> Wire:
        """In a task of its own, which the sweeper can end without ending the caller's."""
        if self._closed:
            raise _closed()
        opening = asyncio.create_task(self._connect(target))
        self._watch(opening, deadline)
        try:
            await asyncio.wait((opening,))
        except BaseException:
            opening.cancel()
            opening.add_done_callback(_discard)
            raise
        finally:
            del self._waiting[opening]
        if not opening.cancelled():
            return opening.result()
        raise _closed() if self._closed else Fault("time-out", "while connecting")

    async def _connect(self, target: Target) -> Wire:
        secure = self._context() if target.tls else None
        name = target.host if target.tls else None
        wire = Wire(self._clock, self._wires)
        loop = asyncio.get_running_loop()
        with _socket(target) as connected:
            try:
                await loop.sock_connect(connected, (target.address, target.port))
                await loop.create_connection(lambda: wire, sock=connected.dup(), ssl=secure, server_hostname=name)
            except BaseException as error:
                _shut(connected)
                wire.drop(_closed())
                wire.connection_lost(None)  # uvloop does not always tell
                if isinstance(error, OSError):
                    raise _explain(error) from error
                raise
        return wire

    def _context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = ssl.create_default_context()
        return self._tls

    # One timer for all deadlines and all idle connections. It is set for the earliest deadline it was told of. That
    # call has mostly been answered by then, so there are few sweeps, and a call costs one entry in a dictionary.

    def _watch(self, waiting: asyncio.Future[Any], deadline: float) -> None:
        self._waiting[waiting] = deadline
        if deadline < self._next_sweep:
            self._sweep_at(min(deadline, self._clock() + SWEEP))

    def _sweep_at(self, when: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._next_sweep = when
        self._timer = asyncio.get_running_loop().call_later(max(0.0, when - self._clock()), self._sweep)

    def _sweep(self) -> None:
        now = self._clock()
        due = inf
        for waiting, deadline in self._waiting.items():
            if deadline <= now:
                _expire(waiting)
            due = min(due, deadline)
        self._close_idle(now - IDLE_LIMIT)
        self._next_sweep = inf
        if self._waiting or self._idle:
            self._sweep_at(max(now + GRAIN, min(due, now + SWEEP)))

    def _close_idle(self, before: float) -> None:
        for target, wires in tuple(self._idle.items()):
            kept = [wire for wire in wires if wire.ready and wire.idle_since > before]
            for wire in set(wires).difference(kept):
                wire.drop(_closed())
            if kept:
                self._idle[target] = kept
            else:
                del self._idle[target]


def _request(target: Target, body: bytes, headers: Mapping[str, str]) -> bytes:
    lines = [_first_lines(target)]
    for name, value in headers.items():
        if not NAME.fullmatch(name) or name.lower() in OURS or not VALUE.fullmatch(value):
            raise ValueError(f"the header {name!r} cannot be sent")
        lines.append(f"{name}: {value}\r\n")
    lines.append(f"Content-Length: {len(body)}\r\n\r\n")
    return "".join(lines).encode("latin-1") + body


@lru_cache(1024)
def _first_lines(target: Target) -> str:
    if not PATH.fullmatch(target.path) or not HOST.fullmatch(target.host):
        raise ValueError(f"{target.path!r} of {target.host!r} cannot be called")
    host = f"[{target.host}]" if ":" in target.host else target.host
    port = "" if target.port == (443 if target.tls else 80) else f":{target.port}"
    return (
        f"POST {target.path} HTTP/1.1\r\nHost: {host}{port}\r\n"
        "Content-Type: application/json\r\nAccept: application/json\r\nAccept-Encoding: identity\r\n"
    )


def _socket(target: Target) -> socket.socket:
    try:
        version = ipaddress.ip_address(target.address).version
    except ValueError as error:
        raise Fault("bad-address", f"{target.address!r} is no IP address") from error
    if not 0 < target.port < 65536:
        raise Fault("bad-address", f"{target.port} is no port")
    made = socket.socket(socket.AF_INET if version == 4 else socket.AF_INET6)
    made.setblocking(False)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


def _shut(connected: socket.socket) -> None:
    """Whoever else has the socket finds it closed. A loop may keep it for long if a handshake is given up: uvloop."""
    with suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)


def _explain(error: OSError) -> Exception:
    """What went wrong while connecting; the error itself if it is our own trouble, such as too many open files."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return Fault("bad-address", error.verify_message)
    if isinstance(error, ssl.SSLError):
        return Fault("bad-http", f"no TLS ({error.reason})")
    if isinstance(error, ConnectionRefusedError):
        return Fault("refused")
    if isinstance(error, ConnectionError):
        return Fault("reset", "while connecting")
    if isinstance(error, TimeoutError):
        return Fault("time-out", "while connecting")
    return Fault("bad-address", error.strerror or "") if error.errno in NO_WAY else error


def _discard(opening: asyncio.Task[Wire]) -> None:
    """It may have ended, well or badly, just before it was cancelled."""
    if not opening.cancelled() and opening.exception() is None:
        opening.result().drop(_closed())


def _expire(waiting: asyncio.Future[Any]) -> None:
    if isinstance(waiting, asyncio.Task):
        waiting.cancel()
    elif not waiting.done():
        waiting.set_exception(Fault("time-out"))


def _closed() -> Exception:
    return ConnectionAbortedError("closed by ourselves")
