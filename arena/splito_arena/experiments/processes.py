"""Processes that play the blocks of a local experiment on all cores.

A block follows from the settings of the comparison and its number alone, so it is the same in whichever process it is
played.
"""

import asyncio
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractAsyncContextManager
from multiprocessing import active_children, get_context
from typing import NamedTuple, Self

from msgspec.structs import replace

from splito_arena.blocks.play import BlockPlayed
from splito_arena.bots.child_process import become_child, starting_children
from splito_arena.bots.fault_log import BotFault, FaultLog, OnFault
from splito_arena.bots.lineup import Company, is_url, seated
from splito_arena.experiments.tables import Comparison, Tables, opening
from splito_engine.errors import BadBot


def can_be_spread(comparison: Comparison) -> bool:
    """Return True if other processes can play the blocks: no bot is called over HTTP, and no asks are logged."""
    return comparison.play.log is None and not any(map(is_url, comparison.bots))


class BlockProcesses:
    """A pool of processes that play blocks. They are killed when the context ends."""

    def __init__(self, comparison: Comparison, jobs: int, on_fault: OnFault | None = None) -> None:
        self._others, self._on_fault = {*active_children()}, on_fault
        self._pool = ProcessPoolExecutor(
            jobs, mp_context=get_context("spawn"), initializer=_begin, initargs=(comparison, on_fault is not None)
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for process in {*active_children()} - self._others:
            process.kill()
        self._pool.shutdown(cancel_futures=True)

    async def block(self, number: int) -> BlockPlayed:
        """Return the block. Raise `BadBot` if a process that plays blocks has ended."""
        try:
            with starting_children():
                waiting = asyncio.get_running_loop().run_in_executor(self._pool, _play, number)
            played, faults = await waiting
        except BrokenProcessPool:
            said = "a process that plays blocks has ended: a bot ended it, or it cannot start; --jobs 1 shows why"
            raise BadBot(said, field="bot") from None
        if self._on_fault is not None:
            for fault in faults:
                self._on_fault(fault)
        return played


class _Here(NamedTuple):
    """Tables of one process that plays blocks, its event loop, and the faults of the present block."""

    runner: asyncio.Runner
    seats: AbstractAsyncContextManager[Company]
    tables: Tables
    log: FaultLog
    faults: list[BotFault]


_here: list[_Here] = []
"""Empty, or the tables of this process, which plays blocks."""


def _begin(comparison: Comparison, with_faults: bool) -> None:
    """Prepare this process: it ends with the process that started it, and leaves Ctrl-C to it."""
    become_child()
    runner, faults = asyncio.Runner(), list[BotFault]()
    log = FaultLog(comparison.game, faults.append)
    play = replace(comparison.play, log=log.take if with_faults else None)
    wanted = replace(comparison, play=play)
    seats = seated(wanted.bots, opening(wanted), {})
    company = runner.run(seats.__aenter__())  # it is left when this process is killed
    _here.append(_Here(runner, seats, Tables(wanted, company), log, faults))


def _play(number: int) -> tuple[BlockPlayed, tuple[BotFault, ...]]:
    here = _here[0]
    played = here.runner.run(here.tables.block(number))
    here.log.close()
    faults = tuple(here.faults)
    here.faults.clear()
    return played, faults
