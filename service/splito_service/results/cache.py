"""Results derived from the ledger of a tournament, computed once for as many blocks as there are, and kept for a while.

Reading a ledger and fitting ratings to it takes from milliseconds to minutes of a core. So it is done in a process of
its own (`splito_service.results.calculator`), one result at a time; requests for a result that is being computed wait
for the same computation. Results are kept, up to a number of bytes, until there are more blocks. While a tournament
runs they stay good for ten times as long as they took, so that a tenth of a core is the most that spectators can take.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Sequence
from functools import partial
from math import inf
from time import monotonic
from typing import Any, Self, TypeAlias, TypeVar

from splito_arena.blocks.ledger import Entry
from splito_service.results.calculator import Calculator
from splito_service.results.compute import begin, finish, take
from splito_service.results.work_queue import Queue, Ticket
from splito_service.tournaments.ledger_store import Ledger
from splito_service.tournaments.model import StoredTournament

S = TypeVar("S")
T = TypeVar("T")
Key: TypeAlias = tuple[str, str]
"""The id of a tournament, and the name of a result."""

ROOM = 64 << 20
"""Bytes of results that are kept."""
OVERHEAD = 1024
"""Bytes that a result takes beside its own."""
WAITING, WAITING_OF_ONE = 64, 8
"""Results that wait to be computed, in all and for one client."""
SHARE = 10
"""Lifetime of a result during a tournament, as a multiple of the time that it took to compute it."""
AT_ONCE = 16
"""Entries that are read in one step: others get their turn in between."""


class Result:
    """A result that is computed, or is being computed."""

    def __init__(self, blocks: int, ticket: Ticket) -> None:
        self.blocks = blocks
        """Number of finished blocks when the result was requested."""
        self.ticket = ticket
        self.task: asyncio.Task[Any] | None = None
        self.size = 0
        """Bytes; 0 until it is computed."""
        self.started = False
        self.waiting = 0
        """Requests that wait for it."""
        self._began, self._until = monotonic(), inf

    def settle(self, size: int) -> None:
        now = monotonic()
        self.size, self._until = size + OVERHEAD, now + SHARE * (now - self._began)

    def begin(self) -> None:
        self.started, self._began = True, monotonic()

    def good_for(self, blocks: int, state: str) -> bool:
        """True if it can be shown of a tournament in that state with so many blocks."""
        return self.blocks == blocks or (state == "running" and monotonic() < self._until)


class ResultCache:
    """The results that one process shows. Used in one event loop."""

    def __init__(self, ledger: Ledger, room: int = ROOM) -> None:
        self._ledger, self._room = ledger, room
        self._calculator = Calculator()
        self._results: OrderedDict[Key, Result] = OrderedDict()
        self._queue = Queue(WAITING, WAITING_OF_ONE)
        self._tasks: set[asyncio.Task[Any]] = set()
        self.computed = 0
        """Computations that have begun."""

    @property
    def size(self) -> int:
        """Bytes of the results that are kept."""
        return sum(result.size for result in self._results.values())

    @property
    def waiting(self) -> int:
        """Results that wait to be computed."""
        return len(self._queue)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._calculator.__aexit__()

    async def made(
        self,
        kept: StoredTournament,
        what: str,
        make: Callable[[Sequence[S]], T],
        each: Callable[[Entry], S],
        client: str = "",
    ) -> T:
        """Return what `make` makes of what `each` takes from the entries. Raise `Busy` if too much waits.

        Both are functions of a module, because they are called in another process. `what` is the name of the result:
        it has to tell all that the result depends on beside the ledger.
        """
        blocks, key = (await self._ledger.counts(kept.id)).done, (kept.id, what)
        if not blocks:
            return make([])
        found = self._results.get(key)
        if found is None or not found.good_for(blocks, kept.state):
            found = self._results[key] = Result(blocks, self._queue.join(client))
            found.task = asyncio.create_task(self._compute(found, key, make, each))
            found.task.add_done_callback(partial(self._end, found))
            self._tasks.add(found.task)
        self._results.move_to_end(key)
        return await self._wait(found, key)

    async def _wait(self, result: Result, key: Key) -> Any:
        """Wait with other requests. A computation that has not begun is dropped when its last request leaves."""
        assert result.task is not None  # noqa: S101 (it was made together with the result)
        result.waiting += 1
        try:
            return await asyncio.shield(result.task)
        finally:
            result.waiting -= 1
            if not result.waiting and not result.started:
                self._forget(result, key)
                result.task.cancel()

    async def entries(self, tournament: str) -> AsyncGenerator[list[Entry]]:
        """Yield all entries that there are by now, in order and some at a time, read as they are needed."""
        after: str | None = None
        while found := await self._ledger.entries(tournament, after, AT_ONCE):
            yield found
            after = found[-1].block

    async def _compute(
        self, result: Result, key: Key, make: Callable[[Sequence[S]], T], each: Callable[[Entry], S]
    ) -> T:
        try:
            await result.ticket.wait()
            result.begin()
            self.computed += 1
            made, size = await self._read_and_make(key[0], make, each)
        except BaseException:
            self._forget(result, key)
            raise
        result.settle(size)
        self._make_room()
        return made

    def _end(self, result: Result, task: "asyncio.Task[Any]") -> None:
        """Let the next one begin, also after a task that was cancelled before its first step."""
        result.ticket.leave()
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # requests that wait for the result raise it; the event loop need not

    async def _read_and_make(
        self, tournament: str, make: Callable[[Sequence[S]], T], each: Callable[[Entry], S]
    ) -> tuple[T, int]:
        after: str | None = None
        await self._calculator.run(begin)
        while packed := await self._ledger.packed_entries(tournament, after, AT_ONCE):
            after = await self._calculator.run(take, each, packed)
        return await self._calculator.run(finish, make)

    def _forget(self, result: Result, key: Key) -> None:
        if self._results.get(key) is result:
            del self._results[key]

    def _make_room(self) -> None:
        """Forget the results that were not asked for the longest, those that are being computed excepted."""
        over = self.size - self._room
        for key, result in [*self._results.items()]:
            if over <= 0:
                return
            if result.size:
                over -= result.size
                del self._results[key]
