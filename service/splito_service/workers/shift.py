"""A shift: one RQ job that plays blocks of all running tournaments as long as there are any.

It claims blocks by lease, plays many of them at once, and writes the entry of each when all its games are played. A
killed shift loses nothing: its leases expire, and another shift plays the same blocks to the same end. Every shift
serves all running tournaments, each in a task of its own, so that the slow bots of one do not delay the others.
"""

import asyncio
import logging
import os
import signal
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager, suppress
from time import monotonic

import uvloop
from msgspec.structs import replace

from splito_arena.bots.subprocess import BotProcesses
from splito_arena.gc_freeze import spare_collector
from splito_arena.net.http_client import Caller
from splito_arena.net.resolver import Resolver
from splito_service.bots.ask_log import Log
from splito_service.bots.ask_store import Asks
from splito_service.bots.players import BotPlayers
from splito_service.bots.pull import open_desk
from splito_service.bots.registry import Registry
from splito_service.bots.store import Bots
from splito_service.errors import Unavailable
from splito_service.settings import Settings, read_settings
from splito_service.signing import Signer
from splito_service.storage.client import Link
from splito_service.storage.notices import listening
from splito_service.tournaments.installed_versions import ANNOUNCE, installed
from splito_service.workers.block_players import BlockPlayers
from splito_service.workers.queue import ShiftSlots
from splito_service.workers.tournament_loop import Tools, TournamentLoop

LOOK = 0.5
"""Seconds between two looks for tournaments, and between two renewals of leases."""
LINGER = 3.0
"""Seconds without any tournament after which a shift ends."""
LONG = 600.0
"""Seconds after which an idle shift ends, because the memory of a process must not grow for ever."""
THINKING = 2
"""Number of processes for house bots at tables with registered bots."""

log = logging.getLogger("splito.shift")


def play(number: int, job: str) -> None:
    """Work one shift. RQ calls this function."""
    settings = read_settings(os.environ)
    uvloop.run(_play(settings, settings.redis_url or "", number, job))


async def _play(settings: Settings, url: str, number: int, job: str) -> None:
    told = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told.set)
    async with Link(url) as link:
        rota = ShiftSlots(link)
        if not await rota.begin(number, job):
            return
        async with opened(settings, url, link) as tools:
            spare_collector()
            await Shift(tools, rota, number, job).run(told)


@asynccontextmanager
async def opened(settings: Settings, url: str, link: Link) -> AsyncGenerator[Tools]:
    """Yield the tools that a shift needs to play."""
    bots = Bots(link)
    async with (
        BotProcesses(THINKING) as house,
        listening(url) as notices,
        Resolver(settings.nameservers) as resolver,
        Caller() as caller,
        aclosing(Log(link)) as kept_log,
    ):
        registry = Registry(bots, Signer(link), caller, settings.allow_private_bots, resolver=resolver)
        async with open_desk(Asks(link), notices) as desk:
            players = BotPlayers(registry, desk)
            have = replace(installed(), private=settings.allow_private_bots)
            with Tools.of(link, bots, lambda roster: BlockPlayers(roster, players, house, kept_log, have)) as tools:
                yield tools


class Shift:
    def __init__(self, tools: Tools, rota: ShiftSlots, number: int, job: str) -> None:
        self._tools, self._rota, self._number, self._job = tools, rota, number, job
        self._stands: dict[str, TournamentLoop] = {}
        self._began = self._busy = monotonic()
        self._announced = -ANNOUNCE

    async def run(self, told: asyncio.Event) -> None:
        """Play until there is nothing to do or the shift is told to stop; then release the blocks that have begun."""
        log.info("shift %d begins in process %d", self._number, os.getpid())
        try:
            while not told.is_set() and not self._idle():
                await self._try_to_look()
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK):
                        await told.wait()
        finally:
            await asyncio.gather(*(stand.close() for stand in self._stands.values()))
            with suppress(Unavailable):
                await self._rota.end(self._number, self._job)
            log.info("shift %d ends in process %d", self._number, os.getpid())

    def _idle(self) -> bool:
        now = monotonic()
        in_hand = any(stand.in_hand for stand in self._stands.values())
        return now > self._busy + LINGER or (not in_hand and now > self._began + LONG)

    async def _try_to_look(self) -> None:
        """Look for tournaments; after an error the blocks that are being played go on."""
        try:
            await self._look()
        except Unavailable:
            pass  # Redis may come back
        except Exception:
            log.exception("shift %d could not look for work", self._number)

    async def _look(self) -> None:
        await self._rota.renew(self._number, self._job)
        if monotonic() >= self._announced + ANNOUNCE:
            await self._tools.workers.announce(self._tools.seats.have)
            self._announced = monotonic()
        running = await self._tools.tournaments.running()
        for tournament_id in running:
            if tournament_id not in self._stands or self._stands[tournament_id].over:
                self._stands[tournament_id] = TournamentLoop(self._tools, tournament_id, self._job)
        for tournament_id, stand in [*self._stands.items()]:
            if stand.over:
                del self._stands[tournament_id]
            else:
                await stand.renew()
        if self._stands:
            self._busy = monotonic()
