"""Loop that claims, plays and stores the blocks of one tournament and has its rounds planned.

A block that fails because of the arena is left until its lease has expired and then played again; after several
failures the tournament is paused with the reason. While Redis is away, the blocks that have begun are played on and
stored when it is back.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from math import ceil
from time import monotonic, perf_counter
from typing import Any, NamedTuple

import uvloop

from splito_arena.blocks.ledger import Entry, VersionId, version_id
from splito_arena.blocks.play import BlockPlayed, play_block
from splito_arena.errors import LookupFailed
from splito_arena.faults import Void
from splito_arena.formats import Ladder
from splito_arena.latency import Times
from splito_arena.net.fair_queue import FairQueue
from splito_engine.errors import GameError
from splito_service.bots.conduct import Conduct
from splito_service.bots.store import Bots
from splito_service.errors import Unavailable, UnknownTournament
from splito_service.ids import Milliseconds
from splito_service.storage.client import Link
from splito_service.tournaments.announce import Announcer
from splito_service.tournaments.entrants import UNFOUND, Roster
from splito_service.tournaments.installed_versions import Workers, lacking
from splito_service.tournaments.ledger_store import Ledger
from splito_service.tournaments.model import StoredTournament
from splito_service.tournaments.organiser import Organiser
from splito_service.tournaments.ratings.updates import RatingUpdates
from splito_service.tournaments.store import Tournaments
from splito_service.tournaments.throughput import Throughput
from splito_service.webhooks.store import Outbox
from splito_service.workers.block_players import (
    Absent,
    BlockPlayers,
    NotInstalled,
    Table,
    Unfound,
    is_here,
    seatings_of,
    terms_of,
)

LEASE: Milliseconds = 6000
"""Lease of a block in milliseconds; the loop renews it several times in that time."""
AT_ONCE = 48
"""Number of games of one tournament that a shift plays at once. Bots have limits of their own."""
AHEAD = 0.2
"""Seconds of play that are claimed ahead if all players are in this process: no pauses, and little kept from others."""
MOST_AHEAD = 8
"""Maximum number of blocks that are claimed ahead."""
LEAST = 2
"""Minimum number of claimed blocks, however many games they have."""
SOON, LATER = 0.1, 1.0
"""Seconds until the next look at a tournament without open blocks; the pause grows from the first to the second."""
AGAIN = 0.2
"""Seconds until the next try to store a block when Redis does not answer."""
LOG_LACKS = 300.0
"""Seconds between two log lines about the same versions that this worker lacks."""
MOST_VOIDS = 5
"""Number of failures of a block caused by the arena after which the tournament is paused."""
PATIENCE: Milliseconds = 300_000  # milliseconds to wait for a bot whose host cannot be looked up

log = logging.getLogger("splito.shift")


class Tools(NamedTuple):
    """The tools that all tournament loops of a process share."""

    tournaments: Tournaments
    ledger: Ledger
    organiser: Organiser
    seats: BlockPlayers
    pace: Throughput
    announcer: Announcer
    conduct: Conduct
    rater: RatingUpdates
    workers: Workers
    here: ThreadPoolExecutor
    """Thread for blocks that cannot be interrupted: one at a time, so that the event loop goes on."""
    turns: FairQueue
    """Queue of these blocks, in which owners take turns, however many tournaments one of them holds."""

    @classmethod
    @contextmanager
    def of(cls, link: Link, bots: Bots, seats: Callable[[Roster], BlockPlayers]) -> Generator["Tools"]:
        here = ThreadPoolExecutor(1, "here")
        try:
            yield cls(
                tournaments=Tournaments(link),
                ledger=Ledger(link),
                organiser=Organiser(link, bots),
                seats=seats(Roster(bots)),
                pace=Throughput(link),
                announcer=Announcer(Outbox(link)),
                conduct=Conduct(bots, Outbox(link)),
                rater=RatingUpdates(link),
                workers=Workers(link),
                here=here,
                turns=FairQueue(1),
            )
        finally:
            here.shutdown(wait=False, cancel_futures=True)


class TournamentLoop:
    """The loop of one tournament. It begins at once, in a task of its own."""

    def __init__(self, tools: Tools, tournament_id: str, token: str) -> None:
        self._tools, self._id, self._token = tools, tournament_id, token
        self._blocks: dict[str, asyncio.Task[None]] = {}
        self._freed = asyncio.Event()
        self._seconds = AHEAD
        """Seconds that the last block took whose players were all in this process."""
        self._lacks, self._logged = "", 0.0
        """Versions that this worker lacked when it last logged them, and the time of that."""
        self._task = asyncio.create_task(self._serve())

    @property
    def in_hand(self) -> int:
        return len(self._blocks)

    @property
    def over(self) -> bool:
        return self._task.done()

    async def renew(self) -> None:
        """Renew the leases and give up blocks whose lease is lost, because another worker plays them."""
        held = [*self._blocks]
        if not held:
            return
        ours = {*await self._tools.ledger.renew(self._id, self._token, held, LEASE)}
        for block in held:
            if block not in ours and block in self._blocks:
                self._blocks[block].cancel()

    async def close(self) -> None:
        """Stop and release all claimed blocks."""
        held, tasks = [*self._blocks], [self._task, *self._blocks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(Unavailable):
            if held:
                await self._tools.ledger.release(self._id, self._token, held)

    async def _serve(self) -> None:
        """Play until the tournament no longer runs and no block is left."""
        running, pause = True, SOON
        while running or self._blocks:
            self._freed.clear()
            try:
                running, further = await self._step()
                pause = SOON if further or self._blocks else min(2 * pause, LATER)
            except Unavailable:
                pass  # Redis may come back
            except UnknownTournament:
                running = False
            except Exception:
                log.exception("tournament %s cannot be played", self._id)
                pause = LATER
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._freed.wait()

    async def _step(self) -> tuple[bool, bool]:
        """Claim and start blocks. Return if the tournament runs, and if there was something to do."""
        kept = await self._tools.tournaments.get(self._id)
        if kept.state != "running":
            return False, False
        kept = await self._check_versions(kept)
        claimed = await self._claim(kept)
        for block in claimed:
            self._blocks[block] = asyncio.create_task(self._play(kept, block))
        if claimed or self._blocks:
            return True, bool(claimed)
        return True, await self._tools.organiser.advance(self._id)

    async def _check_versions(self, kept: StoredTournament) -> StoredTournament:
        """Log what this worker lacks, and let a ladder move on to versions that workers have."""
        have = self._tools.seats.have
        lacks = lacking(kept, have)
        if not lacks:
            return kept
        if isinstance(kept.format, Ladder):
            kept = await self._tools.organiser.move_on(kept.id)
            lacks = lacking(kept, have)
        text = ", ".join(dict.fromkeys(f"{lack.what} {lack.wanted}".strip() for lack in lacks))
        now = monotonic()
        if text and (text != self._lacks or now > self._logged + LOG_LACKS):
            self._lacks, self._logged = text, now
            log.warning("tournament %s: this worker leaves blocks to others, because it lacks %s", self._id, text)
        return kept

    async def _claim(self, kept: StoredTournament) -> list[str]:
        most = room(kept, self._seconds) - len(self._blocks)
        if most < 1:
            return []
        slots = await self._tools.seats.slots(kept)
        if slots is None:
            return []
        return await self._tools.ledger.claim(self._id, self._token, most, slots, LEASE)

    async def _play(self, kept: StoredTournament, block: str) -> None:
        """Play a block and store its entry, or log the trouble; then wake the loop for the next block."""
        try:
            bots = await self._tools.ledger.bots(self._id, block)
            # a bot was entered after the tournament was read
            if not {*bots} <= {entrant.bot for entrant in kept.entrants}:
                kept = await self._tools.tournaments.get(self._id)
            await self._settle(kept, block, bots)
        except Unavailable:
            log.warning("block %s of tournament %s waits for Redis", block, self._id)
        except Exception as error:  # noqa: BLE001 (the block is played again, and after several failures the tournament is paused)
            await self._trouble(block, error)
        finally:
            self._blocks.pop(block, None)
            self._freed.set()

    async def _settle(self, kept: StoredTournament, block: str, bots: tuple[str, ...]) -> None:
        tools = self._tools
        try:
            table = await tools.seats.table(kept, bots)
            played = await self._played(kept, block, table)
            if await tools.seats.versions(kept, bots) == table.bots:
                with suppress(Unavailable):  # before the write, so that owners know it when the tournament is over
                    await tools.conduct.block_played(kept.id, played.entry, tools.seats.last_fault)
                await self._write(kept, played.entry, played.times)
            else:  # a bot has changed, and it is unknown which of its versions played
                await tools.ledger.release(self._id, self._token, [block])
        except Absent as absent:
            await self._skip(kept, block, bots, absent)
        except NotInstalled:  # the tournament has changed since the block was claimed
            await tools.ledger.release(self._id, self._token, [block])
        except Unfound as unfound:
            await self._wait_or_skip(kept, block, bots, unfound)

    async def _played(self, kept: StoredTournament, block: str, table: Table) -> BlockPlayed:
        players = (table.bots, table.players, table.stand_in)
        if not table.here:
            terms = terms_of(kept, block, self._tools.seats.log_of(kept))
            return await play_block(terms, *players, at_once=table.at_once)
        play = partial(play_block, terms_of(kept, block, None), *players, at_once=1)
        async with self._tools.turns.slot(kept.owner):
            self._seconds, played = await asyncio.get_running_loop().run_in_executor(self._tools.here, _timed, play)
        return played

    async def _wait_or_skip(self, kept: StoredTournament, block: str, bots: tuple[str, ...], unfound: Unfound) -> None:
        """Leave the block until its lease lapses; skip it if only this bot's name has been silent for too long.

        If our own resolver is in trouble, the tournament waits for it, because no bot is to blame.
        """
        log.warning("block %s of tournament %s waits: %s", block, self._id, unfound)
        entrant = unfound.entrant
        if not unfound.theirs:
            return
        silent = await self._tools.organiser.unfound(self._id, entrant.bot)
        if entrant.gone == UNFOUND or silent >= PATIENCE:
            await self._skip(kept, block, bots, Absent(entrant, UNFOUND))

    async def _skip(self, kept: StoredTournament, block: str, bots: tuple[str, ...], absent: Absent) -> None:
        versions = {entrant.bot: entrant.version for entrant in kept.entrants}
        entry = Entry(block=block, bots=tuple(version_id(bot, versions[bot]) for bot in bots), skipped=str(absent))
        await self._write(kept, entry, {})
        if absent.entrant.gone != absent.why:
            with suppress(GameError):  # the trouble will be met again
                await self._tools.organiser.withdraw(self._id, absent.entrant.bot, absent.why)

    async def _write(self, kept: StoredTournament, entry: Entry, times: Mapping[VersionId, Times]) -> None:
        """Store an entry, however long it takes.

        The event is emitted before the write, because a crash may then repeat it but never lose it.
        """
        while True:
            try:
                await self._tools.announcer.block_played(kept, entry)
                await self._tools.ledger.finish(kept, entry, times)
                break
            except Unavailable:
                await asyncio.sleep(AGAIN)
        with suppress(Unavailable):
            await self._tools.pace.note(kept, entry.block, len(entry.games))
        if kept.ranked and entry.games:
            self._tools.rater.rate_soon(kept)

    async def _trouble(self, block: str, error: Exception) -> None:
        """Log the trouble of a block. Its lease expires, and then it is played again."""
        if isinstance(error, Void) and isinstance(error.__cause__, Unavailable | LookupFailed):
            return
        log.warning("block %s of tournament %s: %s", block, self._id, error, exc_info=error)
        with suppress(GameError):
            if await self._tools.organiser.void(self._id, block) >= MOST_VOIDS:
                reason = (
                    f"block {block} failed {MOST_VOIDS} times, and no bot is to blame: the log of the workers says why"
                )
                await self._tools.organiser.set_state(self._id, "paused", reason)


def room(kept: StoredTournament, seconds: float) -> int:
    """Return the number of blocks to claim, if each takes so many seconds in this process."""
    if is_here(kept):
        return min(MOST_AHEAD, max(LEAST, ceil(AHEAD / seconds)))
    return max(LEAST, ceil(AT_ONCE / len(seatings_of(kept))))


def _timed(play: Callable[[], Coroutine[Any, Any, BlockPlayed]]) -> tuple[float, BlockPlayed]:
    begun = perf_counter()
    played = uvloop.run(play())
    return perf_counter() - begun, played
