"""Processes that play the blocks of a local experiment, so that bots in this process use all cores.

A block follows from the settings of the comparison and its number alone, so it is the same in whichever process it is
played.
"""

import asyncio
import ctypes
import signal
import sys
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context
from typing import Self

from splito_arena.blocks.play import BlockPlayed
from splito_arena.bots.lineup import Company, is_url, seated
from splito_arena.bots.subprocess_main import PR_SET_PDEATHSIG
from splito_arena.experiments.tables import Comparison, Tables, opening
from splito_engine.errors import BadBot

_tables: list[Tables] = []
"""The tables of this process, if it is one that plays blocks."""


def can_be_spread(comparison: Comparison) -> bool:
    """Return True if other processes can play the blocks: no bot is called over HTTP, and no asks are logged."""
    return comparison.play.log is None and not any(map(is_url, comparison.bots))


class BlockProcesses:
    """A pool of processes that play blocks. They are killed when the context ends."""

    def __init__(self, comparison: Comparison, jobs: int) -> None:
        self._others = {*active_children()}
        self._pool = ProcessPoolExecutor(
            jobs, mp_context=get_context("spawn"), initializer=_begin, initargs=(comparison,)
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for process in {*active_children()} - self._others:
            process.kill()
        self._pool.shutdown(cancel_futures=True)

    async def block(self, number: int) -> BlockPlayed:
        """Return the block. Raise `BadBot` if a bot has ended its process."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, _play, number)
        except BrokenProcessPool:
            said = "a bot ended the process it played in, or cannot be imported there; --jobs 1 shows why"
            raise BadBot(said, field="bot") from None


def _begin(comparison: Comparison) -> None:
    """Prepare this process: it ends with the process that started it, and leaves Ctrl-C to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    _tables.append(Tables(comparison, asyncio.run(_company(comparison))))


async def _company(comparison: Comparison) -> Company:
    async with seated(comparison.bots, opening(comparison), {}) as company:
        return company


def _play(number: int) -> BlockPlayed:
    return asyncio.run(_tables[0].block(number))
