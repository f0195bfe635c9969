"""Processes that play the blocks of a search, each with one bot process for the functions of authors.

All points of a search are functions of one author, so they share a bot process: a function that hangs is ended by the
clock, and the process is replaced. Built-in bots are called in the process that plays the block.
"""

import asyncio
from collections import OrderedDict
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context
from typing import Self

from splito_arena.blocks.play import BlockPlayed
from splito_arena.bots.child_process import become_child
from splito_arena.bots.direct import house_bot
from splito_arena.bots.find import find_bot
from splito_arena.bots.functions.path import is_path
from splito_arena.bots.in_process import Plugin
from splito_arena.bots.lineup import MAX_NAME, Company, Seated, labels
from splito_arena.bots.subprocess import BotProcesses, Housed
from splito_arena.errors import Unplayable
from splito_arena.experiments.tables import Comparison, Tables, opening
from splito_arena.match.player import Player

MOST_TABLES = 64
"""Number of comparisons whose tables a process keeps."""


class SearchProcesses:
    """A pool of processes that play blocks. They are killed when the context ends."""

    def __init__(self, jobs: int) -> None:
        self._others = {*active_children()}
        self._pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_begin)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for process in {*active_children()} - self._others:
            process.kill()
        self._pool.shutdown(cancel_futures=True)

    async def block(self, comparison: Comparison, number: int) -> BlockPlayed:
        """Return the block. Raise `BadBot` if a bot cannot be imported or made."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, _play, comparison, number)
        except BrokenProcessPool:
            raise Unplayable("a process that plays blocks was ended from outside") from None


class _Here:
    """This process: its event loop, its bot process, and the tables that it has had last."""

    def __init__(self) -> None:
        self.runner = asyncio.Runner()
        self._house: BotProcesses | None = None
        self._tables: OrderedDict[tuple[str, ...], Tables] = OrderedDict()

    async def block(self, comparison: Comparison, number: int) -> BlockPlayed:
        return await (await self._tables_of(comparison)).block(number)

    async def _tables_of(self, comparison: Comparison) -> Tables:
        key = (comparison.seed, *comparison.bots)
        if key not in self._tables:
            self._tables[key] = Tables(comparison, await self._company(comparison))
        self._tables.move_to_end(key)
        if len(self._tables) > MOST_TABLES:
            self._tables.popitem(last=False)
        return self._tables[key]

    async def _company(self, comparison: Comparison) -> Company:
        if self._house is None:
            self._house = await BotProcesses(1, anywhere=True).__aenter__()
        for word in filter(is_path, comparison.bots):
            await self._house.load(word, comparison.game)
        names = labels([word[:MAX_NAME] for word in comparison.bots])
        players = tuple(
            Seated(name, _player(word, self._house), log=False)
            for name, word in zip(names, comparison.bots, strict=True)
        )
        stand_in = house_bot(opening(comparison)).name
        return Company(players, _player(stand_in, self._house), {})


_here: list[_Here] = []
"""The state of this process, if it is one that plays blocks."""


def _begin() -> None:
    """Prepare this process: it ends with the process that started it, and leaves Ctrl-C to it."""
    become_child()
    _here.append(_Here())


def _play(comparison: Comparison, number: int) -> BlockPlayed:
    return _here[0].runner.run(_here[0].block(comparison, number))


def _player(word: str, house: BotProcesses) -> Player:
    return Housed(house, word) if is_path(word) else Plugin(word, find_bot(word))
