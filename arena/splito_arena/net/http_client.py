"""HTTP/1.1 client for bots: many calls at once from one process, each of which ends by its deadline.

The client keeps connections per target and uses each for one call at a time. A connection goes back to its pool only
after a complete and correct answer; in every other case it is closed. General clients cost ten times as much per call,
and bots would be blamed for that delay.

The caller has resolved and checked the address: this module looks up no names and follows no redirects.
"""

import asyncio
import ssl
import time
from collections.abc import Callable, Mapping
from math import inf
from typing import Self

from splito_arena.faults import Fault
from splito_arena.net.http_request import Origin, Target, write_request
from splito_arena.net.http_response import Connection, Reader, Reply
from splito_arena.net.sockets import explained, open_socket, shut

IDLE_LIMIT = 15.0
"""Seconds for which an unused connection is kept."""
IDLE_COUNT = 256
"""Connections kept for one target: as many as a bot may take requests at the same time."""
GRAIN = 0.005
"""Least number of seconds between two sweeps; a time-out is reported at most about this much late."""
SWEEP = 1.0
"""Greatest number of seconds between two sweeps, while there is anything to sweep."""
WATCH = 0.1  # seconds between sweeps while calls run, because a late sweep shows that our event loop was busy
LATE = 0.05  # seconds that a sweep may be late before the delay is taken off the time of the bots


class Caller:
    """The HTTP client of a process, made anywhere and used in one event loop.

    `clock` counts seconds; by default it is the clock of the loop, but finer than uvloop reports it. The reader decides
    which responses count as answers.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        tls: ssl.SSLContext | None = None,
        reader: type[Reader] = Reader,
    ) -> None:
        self.clock = clock
        self._tls, self._reader = tls, reader
        self._idle: dict[Origin, list[Connection]] = {}
        self._wires: set[Connection] = set()
        self.calls: dict[Call, float] = {}
        """Calls without an outcome, with their deadlines."""
        self._corked: list[tuple[Call, Connection]] = []
        self._corked_at = 0.0
        self._next_sweep = inf
        self._sweep_due = inf
        """Time of the next sweep by the monotonic clock, whatever `clock` is."""
        self.stalled = 0.0
        """Seconds for which our event loop was busy while calls waited; they are not charged to any bot."""
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    async def post(self, target: Target, body: bytes, headers: Mapping[str, str], deadline: float) -> Reply:
        return await self.send(target, write_request("POST", target, headers, body), deadline)

    async def get(self, target: Target, headers: Mapping[str, str], deadline: float) -> Reply:
        return await self.send(target, write_request("GET", target, headers), deadline)

    async def send(self, target: Target, request: bytes, deadline: float) -> Reply:
        """Send a request and return the reply. Raise `Fault` if the bot fails."""
        waiting = Waiting()
        self.call(waiting, target, request, deadline)
        try:
            return await waiting.found
        except asyncio.CancelledError:
            waiting.give_up(_closed())
            raise

    def call(self, call: "Call", target: Target, request: bytes, deadline: float) -> None:
        """Send a request in the next step of the event loop, together with all other calls of this step.

        Encoding many requests and then sending them is faster than doing both one by one, and wakes a bot once. The
        deadline is a time of the clock and covers the whole call; it is put off by the arena's own delays. If a kept
        connection turns out to be closed before any answer, the call is made once more on a new connection.
        """
        call.caller, call.target, call.request = self, target, request
        call.opening = call.wire = None
        call.stalled = self.stalled
        self.calls[call] = deadline
        if self._closed:  # in the next step, because the callback may call again at once
            asyncio.get_running_loop().call_soon(call.give_up, _closed())
            return
        if deadline < self._next_sweep:
            self._sweep_at(min(deadline, self.clock() + WATCH))
        idle = self._idle.get(target.origin)
        while idle:
            wire = idle.pop()  # the connection used last, so that surplus ones grow old
            if wire.cause is None:
                if not self._corked:
                    self._corked_at = self.clock()
                    asyncio.get_running_loop().call_soon(self._uncork)
                self._corked.append((call, wire))
                return
        self.open(call)

    def _uncork(self) -> None:
        corked, self._corked = self._corked, []
        waited = self.clock() - self._corked_at
        for call, wire in corked:
            if call not in self.calls:  # the call has been given up
                self.give_back(wire, call.target)
                continue
            self.calls[call] += waited
            try:
                call.use(wire, kept=True)
            except Exception as error:  # noqa: BLE001 (an error of the arena, not of the bot)
                wire.drop(error)

    async def aclose(self) -> None:
        """Close the client for good. Pending calls get ConnectionAbortedError, which is not a fault of a bot."""
        self._closed = True
        openings = [call.opening for call in self.calls if call.opening is not None]
        for call in tuple(self.calls):
            call.give_up(_closed())
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

    def open(self, call: "Call") -> None:
        call.opening = asyncio.create_task(self._connect(call.target))
        call.opening.add_done_callback(call.opened)

    def give_back(self, wire: Connection, target: Target) -> None:
        idle = self._idle.get(target.origin)
        if idle is None:
            idle = self._idle[target.origin] = []
        if wire.cause is None and len(idle) < IDLE_COUNT and not self._closed:
            idle.append(wire)
        else:
            wire.drop(_closed())

    async def _connect(self, target: Target) -> Connection:
        secure = self._context() if target.tls else None
        name = target.host if target.tls else None
        wire = Connection(self.clock, self._wires, self._reader)
        loop = asyncio.get_running_loop()
        with open_socket(target) as connected:
            try:
                await loop.sock_connect(connected, (target.address, target.port))
                await loop.create_connection(lambda: wire, sock=connected.dup(), ssl=secure, server_hostname=name)
            except BaseException as error:
                shut(connected)
                wire.drop(_closed())
                wire.connection_lost(None)  # because uvloop does not always call it
                if isinstance(error, OSError):
                    raise explained(error) from error
                raise
        return wire

    def _context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = ssl.create_default_context()
        return self._tls

    # One timer serves all deadlines and idle connections. It is set for the earliest deadline known. That call has
    # mostly been answered by then, so sweeps are few, and a call costs one entry in a dictionary.

    def _sweep_at(self, when: float) -> None:
        self._forgive()
        if self._timer is not None:
            self._timer.cancel()
        self._next_sweep = when
        delay = max(0.0, when - self.clock())
        self._sweep_due = time.monotonic() + delay
        self._timer = asyncio.get_running_loop().call_later(delay, self._sweep)

    def overdue(self) -> float:
        """Return the seconds by which our busy event loop has delayed the sweep; 0 if it is on time."""
        late = time.monotonic() - self._sweep_due
        return late if late > LATE else 0.0

    def _forgive(self) -> None:
        """Put off all deadlines by the time our event loop was busy, because answers may have waited to be read."""
        late = self.overdue()
        if late:
            self._sweep_due = inf
            self.stalled += late
            for call in self.calls:
                self.calls[call] += late

    def _sweep(self) -> None:
        self._forgive()
        now = self.clock()
        for call in [call for call, deadline in self.calls.items() if deadline <= now]:
            call.give_up(Fault("time-out", "while connecting" if call.opening else ""))
        self._close_idle(now - IDLE_LIMIT)
        self._next_sweep = self._sweep_due = inf
        if self.calls or self._idle:
            most = WATCH if self.calls else SWEEP
            self._sweep_at(max(now + GRAIN, min([now + most, *self.calls.values()])))

    def _close_idle(self, before: float) -> None:
        for origin, wires in tuple(self._idle.items()):
            kept = [wire for wire in wires if wire.cause is None and wire.idle_since > before]
            for wire in set(wires).difference(kept):
                wire.drop(_closed())
            if kept:
                self._idle[origin] = kept
            else:
                del self._idle[origin]


class Call:
    """One call of the client; a subclass decides in `hear` how its outcome is used."""

    __slots__ = ("caller", "kept", "opening", "ours", "request", "stalled", "target", "wire")
    caller: Caller
    target: Target
    request: bytes
    opening: "asyncio.Task[Connection] | None"
    wire: Connection | None
    kept: bool
    """True if the connection was used before."""
    stalled: float
    """Value of `Caller.stalled` when the call was made, in seconds."""
    ours: float
    """Seconds for which a received answer may have waited for our busy event loop."""

    def hear(self, outcome: Reply | Exception) -> None:
        """Take the outcome, once and perhaps at once.

        A `Fault` is the bot's; any other exception is an error of the arena.
        """
        raise NotImplementedError

    def use(self, wire: Connection, *, kept: bool) -> None:
        self.wire, self.kept = wire, kept
        wire.send(self.request, self)

    def opened(self, opening: "asyncio.Task[Connection]") -> None:
        self.opening = None
        error = _closed() if opening.cancelled() else opening.exception()
        if not opening.cancelled() and error is None:
            if self._is_over:
                opening.result().drop(_closed())
            else:
                self.use(opening.result(), kept=False)
        elif not self._is_over:
            self._tell(error if isinstance(error, Exception) else _closed())

    def give_up(self, why: Exception) -> None:
        if self.wire is not None:
            self.wire.drop(why)
        else:
            if self.opening is not None:
                self.opening.cancel()
            self._tell(why)

    def came(self, reply: Reply) -> None:
        """Take the reply from the connection."""
        wire, self.wire = self.wire, None
        if wire is not None:
            self.caller.give_back(wire, self.target)
            self.ours = self.caller.stalled + self.caller.overdue() - self.stalled
            if self.ours > 0:
                reply = Reply(reply.body, max(0.0, reply.elapsed - self.ours), reply.status)
            self._tell(reply)

    def failed(self, cause: Exception) -> None:
        """Take the error after the connection was closed."""
        wire, self.wire = self.wire, None
        if wire is None:
            return
        if self.kept and isinstance(cause, Fault) and cause.code == "reset" and not wire.heard:
            self.caller.open(self)
        else:
            self._tell(cause)

    @property
    def _is_over(self) -> bool:
        return self not in self.caller.calls

    def _tell(self, outcome: Reply | Exception) -> None:
        if self.caller.calls.pop(self, None) is not None:
            self.hear(outcome)


class Waiting(Call):
    """A call whose outcome a task awaits."""

    __slots__ = ("found",)

    def __init__(self) -> None:
        self.found: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()

    def hear(self, outcome: Reply | Exception) -> None:
        if self.found.done():  # the waiting task was cancelled
            return
        if isinstance(outcome, Exception):
            self.found.set_exception(outcome)
        else:
            self.found.set_result(outcome)


def _closed() -> Exception:
    return ConnectionAbortedError("closed by ourselves")
