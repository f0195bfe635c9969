"""Where a shift plays one tournament: blocks are claimed, played and written, and rounds are planned.

A block that fails on our own side is left alone until its lease has lapsed and is then played again; after some times
the tournament is paused, and says why. While Redis is away, what is in hand is played on and written when it is back.
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
from splito_service.tournaments.rating_updates import RatingUpdates
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
"""Of a block. It is renewed several times in that time."""
AT_ONCE = 48
"""Games that a shift wants to have in hand of one tournament. Bots say for themselves how much they take."""
AHEAD = 0.2
"""Seconds of play in hand if everybody plays where they stand: no pause for who plays, and little kept from others."""
MOST_AHEAD = 8
"""Blocks that this may be."""
LEAST = 2
"""Blocks in hand, however many games they have."""
SOON, LATER = 0.1, 1.0
"""Seconds until the next look at a tournament of which there is nothing to claim: more each time."""
AGAIN = 0.2
"""Seconds until the next try to write, when Redis does not answer."""
LOG_LACKS = 300.0
"""Seconds between two log lines about the same versions that this worker lacks."""
MOST_VOIDS = 5
"""How often a block may fail on our own side until the tournament is paused."""
PATIENCE: Milliseconds = 300_000  # for which a bot is waited for whose name cannot be looked up

log = logging.getLogger("splito.shift")


class Tools(NamedTuple):
    """What all stands of a process share."""

    tournaments: Tournaments
    ledger: Ledger
    organiser: Organiser
    seats: BlockPlayers
    pace: Throughput
    announcer: Announcer
    rater: RatingUpdates
    workers: Workers
    here: ThreadPoolExecutor
    """Where those play who cannot be interrupted: one block at a time, and the event loop goes on meanwhile."""
    turns: FairQueue
    """Whose block is played there next: owners take turns, however many tournaments one of them holds."""

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
                rater=RatingUpdates(link),
                workers=Workers(link),
                here=here,
                turns=FairQueue(1),
            )
        finally:
            here.shutdown(wait=False, cancel_futures=True)


class TournamentLoop:
    """Begins at once, in a task of its own."""

    def __init__(self, tools: Tools, tournament_id: str, token: str) -> None:
        self._tools, self._id, self._token = tools, tournament_id, token
        self._blocks: dict[str, asyncio.Task[None]] = {}
        self._freed = asyncio.Event()
        self._seconds = AHEAD
        """That the last block took whose players were all here."""
        self._lacks, self._logged = "", 0.0
        """The versions that this worker lacked when it last logged them, and when that was."""
        self._task = asyncio.create_task(self._serve())

    @property
    def in_hand(self) -> int:
        return len(self._blocks)

    @property
    def over(self) -> bool:
        return self._task.done()

    async def renew(self) -> None:
        """What is not ours any more is given up: somebody else plays it."""
        held = [*self._blocks]
        if not held:
            return
        ours = {*await self._tools.ledger.renew(self._id, self._token, held, LEASE)}
        for block in held:
            if block not in ours and block in self._blocks:
                self._blocks[block].cancel()

    async def close(self) -> None:
        """What is in hand is anybody's again."""
        held, tasks = [*self._blocks], [self._task, *self._blocks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(Unavailable):
            if held:
                await self._tools.ledger.release(self._id, self._token, held)

    async def _serve(self) -> None:
        """Until it does not run any more and nothing is in hand."""
        running, pause = True, SOON
        while running or self._blocks:
            self._freed.clear()
            try:
                running, further = await self._step()
                pause = SOON if further or self._blocks else min(2 * pause, LATER)
            except Unavailable:
                pass  # it may come back
            except UnknownTournament:
                running = False
            except Exception:
                log.exception("tournament %s cannot be played", self._id)
                pause = LATER
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._freed.wait()

    async def _step(self) -> tuple[bool, bool]:
        """Whether it runs, and whether there was something to do."""
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
        """Whatever comes of it, somebody hears of it, and the next block may come."""
        try:
            bots = await self._tools.ledger.bots(self._id, block)
            if not {*bots} <= {entrant.bot for entrant in kept.entrants}:  # somebody came after our last look
                kept = await self._tools.tournaments.get(self._id)
            await self._settle(kept, block, bots)
        except Unavailable:
            log.warning("block %s of tournament %s waits for Redis", block, self._id)
        except Exception as error:  # noqa: BLE001 (it must not be played for ever, nor forgotten)
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
                await self._write(kept, played.entry, played.times)
            else:  # one of them has changed meanwhile, and nobody knows which of its versions played
                await tools.ledger.release(self._id, self._token, [block])
        except Absent as absent:
            await self._skip(kept, block, bots, absent)
        except NotInstalled:  # the tournament has changed since the block was claimed
            await tools.ledger.release(self._id, self._token, [block])
        except Unfound as unfound:
            await self._wait_or_skip(kept, block, bots, unfound)

    async def _played(self, kept: StoredTournament, block: str, table: Table) -> BlockPlayed:
        terms, log_of = terms_of(kept, block), self._tools.seats.log_of(kept)
        if not table.here:
            players = (table.bots, table.players, table.stand_in)
            return await play_block(terms, *players, at_once=table.at_once, log=log_of)
        play = partial(play_block, terms, table.bots, table.players, table.stand_in, at_once=1)
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
            with suppress(GameError):  # it will be seen again
                await self._tools.organiser.withdraw(self._id, absent.entrant.bot, absent.why)

    async def _write(self, kept: StoredTournament, entry: Entry, times: Mapping[VersionId, Times]) -> None:
        """As long as it takes. It is told first: whoever is killed in between is followed by who tells the same."""
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
        """Its lease lapses by itself, and then it is played again."""
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
    """For how many blocks, if each takes so long where everybody is here."""
    if is_here(kept):
        return min(MOST_AHEAD, max(LEAST, ceil(AHEAD / seconds)))
    return max(LEAST, ceil(AT_ONCE / len(seatings_of(kept))))


def _timed(play: Callable[[], Coroutine[Any, Any, BlockPlayed]]) -> tuple[float, BlockPlayed]:
    begun = perf_counter()
    played = uvloop.run(play())
    return perf_counter() - begun, played
