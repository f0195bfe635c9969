"""A queue for a limited number of slots that is fair between clients: no client's many requests delay another's few."""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

EVERY = 4  # every fourth slot goes to a request that is not urgent, because urgent ones would starve the others

Line = OrderedDict[str, "deque[asyncio.Future[None]]"]


class QueueFull(Exception):
    """A client has as many requests waiting as it may have."""


class FairQueue:
    """Slots that are handed out to clients in turn, urgent requests before others. Used in one event loop.

    Each client has a line of its own, first come first served; the lines are served round-robin. `per_client` limits
    the slots that one client holds at once, `waiting` the length of its line.
    """

    def __init__(self, slots: int, *, per_client: int | None = None, waiting: int | None = None) -> None:
        self._free, self._slots = slots, slots
        self._per_client, self._most_waiting = per_client or slots, waiting
        self._held: Counter[str] = Counter()
        self._urgent: Line = OrderedDict()
        self._others: Line = OrderedDict()
        self._streak = 0
        self._idle = asyncio.Event()
        self._idle.set()

    @asynccontextmanager
    async def slot(self, client: str = "", *, urgent: bool = False) -> AsyncGenerator[None]:
        """Hold a slot. Raise `QueueFull` if the client has too many requests waiting already."""
        await self._take(client, self._urgent if urgent else self._others)
        try:
            yield
        finally:
            self._give_back(client)

    async def idle(self) -> None:
        """Wait until no slot is held and no request waits."""
        await self._idle.wait()

    async def _take(self, client: str, lines: Line) -> None:
        line = lines.setdefault(client, deque())
        if self._most_waiting is not None and len(line) >= self._most_waiting:
            raise QueueFull(f"{len(line)} requests wait already")
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        line.append(waiter)
        self._idle.clear()
        self._hand_out()
        try:
            await waiter
        except asyncio.CancelledError:
            if waiter.cancelled():
                _forget(lines, client, waiter)
                self._note_idle()
            else:
                self._give_back(client)
            raise

    def _give_back(self, client: str) -> None:
        self._free += 1
        self._held[client] -= 1
        if not self._held[client]:
            del self._held[client]
        self._hand_out()
        self._note_idle()

    def _note_idle(self) -> None:
        if self._free == self._slots and not self._urgent and not self._others:
            self._idle.set()

    def _hand_out(self) -> None:
        while self._free:
            others_first = self._streak >= EVERY - 1
            found = self._next(self._others, self._urgent) if others_first else self._next(self._urgent, self._others)
            if found is None:
                return
            lines, client = found
            waiter = lines[client].popleft()
            lines.move_to_end(client)
            _drop_if_empty(lines, client)
            if waiter.cancelled():  # cancelled, but its task has not run since
                continue
            self._streak = self._streak + 1 if lines is self._urgent and self._others else 0
            self._free -= 1
            self._held[client] += 1
            waiter.set_result(None)

    def _next(self, *both: Line) -> tuple[Line, str] | None:
        """Return the line to serve and its client: the one served longest ago among the clients below their limit."""
        for lines in both:
            for client in lines:
                if self._held[client] < self._per_client:
                    return lines, client
        return None


def _forget(lines: Line, client: str, waiter: "asyncio.Future[None]") -> None:
    """Take a cancelled request out of its line, unless it has been passed over already."""
    if client in lines:
        with suppress(ValueError):
            lines[client].remove(waiter)
        _drop_if_empty(lines, client)


def _drop_if_empty(lines: Line, client: str) -> None:
    if not lines[client]:
        del lines[client]
