"""What is derived from the ledger of a tournament, made once for as many blocks as there are, and kept for a while.

To read a ledger and to fit ratings to it takes from milliseconds to seconds of a core. So it is done in a thread, one
at a time; whoever asks for the same meanwhile waits for the same; and the last results are kept, until there are newer
ones. While a tournament runs they are good for some time even so, the longer the more they cost: a tenth of a core is
the most that those who look at it can take, however many they are.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from math import inf
from time import monotonic
from typing import Any, TypeVar

from msgspec.structs import replace

from arena.ledger import Entry, Game
from service.store.ledger import Ledger
from service.store.tournaments import KeptTournament

S = TypeVar("S")
T = TypeVar("T")

ROOM = 32
"""Results that are kept, the largest of them reports of some five megabytes."""
SHARE = 10
"""For how many times as long as it took to make it a result is good while the tournament runs."""
AT_ONCE = 16
"""Entries that are read in one step: others get their turn in between."""


class Made:
    """Something that is made, or is being made."""

    def __init__(self, blocks: int, making: Coroutine[Any, Any, Any]) -> None:
        self.blocks = blocks
        """That were over then."""
        self.task = asyncio.create_task(making)
        self._began, self._until = monotonic(), inf
        self.task.add_done_callback(self._settle)

    def _settle(self, _: "asyncio.Task[Any]") -> None:
        now = monotonic()
        self._until = now + SHARE * (now - self._began)

    @property
    def failed(self) -> bool:
        return self.task.done() and (self.task.cancelled() or self.task.exception() is not None)

    @property
    def fresh(self) -> bool:
        """Whether it will do for now, though there may be more blocks."""
        return monotonic() < self._until


class Published:
    """Used in one event loop."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._made: OrderedDict[tuple[str, str], Made] = OrderedDict()
        self._desk = asyncio.Semaphore(1)

    async def made(
        self, kept: KeptTournament, what: str, make: Callable[[Sequence[S]], T], each: Callable[[Entry], S]
    ) -> T:
        """What `make` makes of what `each` takes from the entries, which are not kept themselves.

        `what` is its name. It has to tell all that the result depends on beside the ledger.
        """
        blocks, key = (await self._ledger.counts(kept.id)).done, (kept.id, what)
        found = self._made.get(key)
        if found is None or found.failed or not (found.blocks == blocks or (kept.state == "running" and found.fresh)):
            found = self._made[key] = Made(blocks, self._make(kept.id, make, each))
        self._made.move_to_end(key)
        while len(self._made) > ROOM:
            self._made.popitem(last=False)
        return await asyncio.shield(found.task)

    async def entries(self, tournament: str) -> AsyncGenerator[list[Entry]]:
        """All that there are by now, in order and some at a time, read as they are needed."""
        after: str | None = None
        while found := await self._ledger.entries(tournament, after, AT_ONCE):
            yield found
            after = found[-1].block

    async def _make(self, tournament: str, make: Callable[[Sequence[S]], T], each: Callable[[Entry], S]) -> T:
        async with self._desk:
            taken: list[S] = []
            async for some in self.entries(tournament):
                taken += await asyncio.to_thread(_taken, each, some)
            return await asyncio.to_thread(make, taken)


def slim(entry: Entry) -> Entry:
    """Without what nobody needs who only counts: a tenth of it is left."""
    return replace(entry, games=tuple(_slim(game, entry.games[0].record.options) for game in entry.games))


def _taken(each: Callable[[Entry], S], entries: Sequence[Entry]) -> list[S]:
    return [each(entry) for entry in entries]


def _slim(game: Game, options: dict[str, Any]) -> Game:
    """The options are those of all games of the block, and kept once."""
    bare = replace(
        game.record, names=(), seed="", salt="", commitment="", options=options, turns=(), talk=(), digest=""
    )
    return replace(game, record=bare)
