"""Connections of one process: how many there may be, and which are closed so that others find room.

Granian accepts connections and tells the application of complete requests only. Connections on which nothing has come
yet are seen here instead, in the list of the process's open files.
"""

import asyncio
import logging
import os
import resource
import socket
from collections import Counter
from collections.abc import AsyncGenerator, Collection, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple, TypeAlias

import msgspec

from splito_engine.errors import BadSetting
from splito_service.http.limits.clients import LOCAL, address_name
from splito_service.settings import Settings

Peer: TypeAlias = tuple[str, int]
"""The client's end of a connection: the name of its address, and its port."""

MOST = 65_536
"""Connections of a process, however many files it may open."""
RESERVE = 64
"""Files at least that are kept for Redis, for calls of bots and for the program itself; otherwise a quarter of all."""
FEWEST = 2 * RESERVE
"""Files without which a process does not start."""
SWEEP = 0.25
"""Seconds between two looks at the connections."""
FILES = Path("/dev/fd")
"""The folder that lists the open files of the process that looks."""
KEEP_ALIVE = 60
"""Seconds of silence after which the kernel asks whether the other end is still there."""

log = logging.getLogger("splito.connections")


class Capacity(msgspec.Struct, frozen=True):
    """Connections that a process has room for."""

    slots: int
    """Connections that are accepted; others wait in the queue of the socket."""
    crowded: int
    """Connections, or open requests, from which on there are too many: the rest is for health checks and refusals."""
    per_client: int
    """Connections, or open requests, of one client."""


class Connection(NamedTuple):
    file: int
    peer: Peer


def raise_file_limit() -> int:
    """Let the process open as many files as the system allows, and return that number."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    return 2 * MOST if soft == resource.RLIM_INFINITY else soft


def capacity_for(files: int, connections: int) -> Capacity:
    """Return the capacity of a process that may open so many files. Raise `BadSetting` if those are too few."""
    if files < FEWEST:
        raise BadSetting(
            f"a process of the service needs {FEWEST} open files; ulimit -n allows {files}", field="ulimit"
        )
    slots = min(MOST, files - max(RESERVE, files // 4))
    return Capacity(slots, crowded=slots * 3 // 4, per_client=min(connections or slots, slots // 2))


def set_time_limits(listener: int, settings: Settings) -> None:
    """Have the kernel close connections whose client has gone or does not read, on Linux after `stall_seconds`.

    Accepted connections inherit the options of the socket that listens.
    """
    with socket.socket(fileno=os.dup(listener)) as opened:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if hasattr(socket, "TCP_KEEPIDLE"):
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, KEEP_ALIVE)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 1000 * settings.stall_seconds)


def peer_of(client: Any) -> Peer:
    """Return the peer of a request by the `client` of its scope."""
    return (address_name(client[0]) or LOCAL, int(client[1])) if client else (LOCAL, 0)


class Sweeper:
    """Closes idle connections: those of a client that has too many, and the oldest when there are too many in all."""

    def __init__(self, port: int, capacity: Capacity, busy: Collection[Peer], by_client: bool) -> None:
        self._port, self._capacity = port, capacity
        self._busy = busy
        """Peers whose requests are being answered; `splito_service.http.limits.admission` limits these."""
        self._by_client = by_client
        """True if peers are clients; False if they are proxies that forward the requests of many clients."""
        self._since: dict[Peer, float] = {}

    def sweep(self) -> int:
        """Close the idle connections over the limits, and return their number."""
        if sum(1 for _ in FILES.iterdir()) < min(self._capacity.crowded, self._capacity.per_client):
            self._since.clear()
            return 0
        found = [*connections(self._port)]
        now = monotonic()
        known = [one for one in found if one.peer in self._since]
        self._since = {one.peer: self._since.get(one.peer, now) for one in found}
        idle = sorted(
            (one for one in known if one.peer not in self._busy), key=lambda one: (self._since[one.peer], one.peer)
        )
        closed = [one for one in self._excess(found, idle) if close(one)]
        if closed:
            log.warning("%d of %d connections were idle and have been closed to make room", len(closed), len(found))
        return len(closed)

    def _excess(self, found: Sequence[Connection], idle: Sequence[Connection]) -> list[Connection]:
        """Return the idle connections over the limits, first those of the clients with the most."""
        held = Counter(one.peer[0] for one in found)
        excess: list[Connection] = []
        for one in idle:
            if self._by_client and held[one.peer[0]] > self._capacity.per_client:
                held[one.peer[0]] -= 1
                excess.append(one)
        over = held.total() - self._capacity.crowded
        rest = sorted(set(idle) - {*excess}, key=lambda one: (-held[one.peer[0]], self._since[one.peer]))
        return excess + rest[: max(0, over)]


def connections(port: int) -> Generator[Connection]:
    """Yield the accepted connections of the socket that listens at this port."""
    for path in FILES.iterdir():
        with suppress(OSError), _opened(int(path.name)) as found:
            if found.family in (socket.AF_INET, socket.AF_INET6) and found.getsockname()[1] == port:
                yield Connection(int(path.name), peer_of(found.getpeername()))


def close(connection: Connection) -> bool:
    """Close this connection for both sides, unless its file is of another one by now; True if it was closed."""
    with suppress(OSError), _opened(connection.file) as found:
        if peer_of(found.getpeername()) == connection.peer:
            found.shutdown(socket.SHUT_RDWR)
            return True
    return False


def drop(port: int, peer: Peer) -> None:
    """Close the connection of this peer."""
    for connection in connections(port):
        if connection.peer == peer:
            close(connection)


@contextmanager
def _opened(file: int) -> Generator[socket.socket]:
    """Yield a copy of the file that can be closed without closing the connection.

    Raise `OSError` if it is no socket.
    """
    copy = os.dup(file)
    try:
        found = socket.socket(fileno=copy)
    except OSError:
        os.close(copy)
        raise
    with found:
        yield found


@asynccontextmanager
async def sweeping(sweeper: Sweeper) -> AsyncGenerator[None]:
    """Sweep every `SWEEP` seconds."""

    async def sweep() -> None:
        while True:
            await asyncio.sleep(SWEEP)
            try:
                sweeper.sweep()
            except OSError:
                log.exception("idle connections could not be closed")

    task = asyncio.create_task(sweep())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
