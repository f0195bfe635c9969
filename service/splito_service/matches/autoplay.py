"""Autoplay of live matches: the moves of bots, and default moves for clocks that have run out.

The process that begins a turn plays its bots at once. In addition every process sweeps the due matches in Redis, so a
match goes on without a connected client, after the process that began the turn was killed, and after a restart. Several
processes may play one match at the same time: a seat decides once, and the first decision counts. Only a registered bot
is asked by one process at a time.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from splito_arena.bots.subprocess import BotProcesses
from splito_engine.errors import BadMove, GameError, UnknownMatch
from splito_engine.game import Seat
from splito_engine.match import legal_moves
from splito_service.bots.model import is_registered
from splito_service.errors import Unavailable
from splito_service.ids import Milliseconds
from splito_service.matches.bot_turns import BotTurns, priority_of
from splito_service.matches.model import Decision, StoredMatch
from splito_service.matches.store import Matches

PAUSE = 0.2
"""Seconds between two sweeps, which is also the largest delay of a clock."""
BATCH = 200
"""Number of matches that one sweep takes on."""

LEFT = 1000
"""Number of unreadable matches that a process remembers as logged."""

log = logging.getLogger("splito.autoplay")


class Autoplay:
    """The autoplay of one process. Made by `attending`."""

    def __init__(self, matches: Matches, house: BotProcesses, bot_turns: BotTurns) -> None:
        self._matches = matches
        self._house = house
        self._bot_turns = bot_turns
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._left: set[str] = set()
        """Ids of matches that this process cannot read and has logged."""

    def attend(self, kept: StoredMatch, now: Milliseconds | None = None) -> None:
        """Play the bots of a match in the background, one task per match. Without a time, no clock has run out."""
        if now is None and not kept.has_bots:
            return
        if kept.id not in self._tasks and (_needs(kept, now) or (kept.over and kept.accounts)):
            self._tasks[kept.id] = asyncio.create_task(self._attend(kept, now))

    async def sweep(self) -> None:
        """Play due matches until cancelled."""
        while True:
            try:
                while await self.sweep_once() == BATCH:
                    pass
                await self._bot_turns.renew()
            except Unavailable:
                pass  # due matches stay due
            except Exception:
                log.exception("due matches could not be claimed")
            await asyncio.sleep(PAUSE)

    async def sweep_once(self) -> int:
        now, ids = await self._matches.due(BATCH)
        for match_id in ids:
            await self._look(match_id, now)
        return len(ids)

    async def _look(self, match_id: str, now: Milliseconds) -> None:
        try:
            kept = await self._matches.get(match_id)
        except Unavailable:
            raise
        except UnknownMatch:
            await self._matches.drop_due(match_id)
            return
        except Exception as error:  # noqa: BLE001 (no error of one match may delay the others)
            self._leave(match_id, error)
            return
        if _needs(kept, now):
            self.attend(kept, now)
        else:
            await self._matches.plan(kept.id, kept.change, _next(kept))

    def _leave(self, match_id: str, error: Exception) -> None:
        """Leave a match due that this process cannot read, because another process may have its rules."""
        if match_id in self._left:
            return
        if len(self._left) >= LEFT:
            self._left.clear()
        self._left.add(match_id)
        if isinstance(error, GameError):
            log.warning("match %s is left to other processes: %s", match_id, error.message)
        else:
            log.error("match %s cannot be read", match_id, exc_info=error)

    async def _attend(self, kept: StoredMatch, now: Milliseconds | None) -> None:
        try:
            while not await self._settled(kept, now):
                kept = await self._matches.get(kept.id)
            if kept.over:
                await self._bot_turns.tell_end(kept)
        except Unavailable:
            log.warning("match %s waits for Redis", kept.id)
        except UnknownMatch:
            pass  # the match has been deleted
        except Exception:
            log.exception("the bots of match %s could not be played", kept.id)
        finally:
            del self._tasks[kept.id]  # in the same step as the last look, because a new turn must not fall in between

    async def _settled(self, kept: StoredMatch, now: Milliseconds | None) -> bool:
        """Decide for the seats that need it. Return True if nothing is left to do before the next clock runs out."""
        if seats := _needs(kept, now):
            return not any(await asyncio.gather(*(self._decide(kept, seat) for seat in seats)))
        return kept.over or await self._matches.plan(kept.id, kept.change, _next(kept))

    async def _decide(self, kept: StoredMatch, seat: Seat) -> bool:
        """Decide for a seat. Return False if another process is asking its bot; the match stays due then."""
        decision = await self._decision(kept, seat)
        if decision is not None:
            with suppress(BadMove):  # another process has decided first
                await self._matches.seal(kept.id, decision)
        return decision is not None

    async def _decision(self, kept: StoredMatch, seat: Seat) -> Decision | None:
        bot = kept.sitters[seat].bot
        if is_registered(bot):
            return await self._bot_turns.decide(kept, seat, self._house)
        if not bot:
            return Decision(kept.turn, seat, legal_moves(kept.match, seat)[0])
        return Decision(kept.turn, seat, await self._house.choose(kept.match, seat, bot, priority_of(kept)))

    async def stop(self) -> None:
        tasks = [*self._tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def attending(matches: Matches, house: BotProcesses, bot_turns: BotTurns) -> AsyncGenerator[Autoplay]:
    autoplay = Autoplay(matches, house, bot_turns)
    sweeper = asyncio.create_task(autoplay.sweep())
    try:
        yield autoplay
    finally:
        sweeper.cancel()
        with suppress(asyncio.CancelledError):
            await sweeper
        await autoplay.stop()


def _needs(kept: StoredMatch, now: Milliseconds | None) -> list[Seat]:
    """Return the seats that the service must decide for."""
    return [seat for seat in kept.awaited if kept.sitters[seat].kind == "bot" or _late(kept, seat, now)]


def _late(kept: StoredMatch, seat: Seat, now: Milliseconds | None) -> bool:
    deadline = kept.deadline(seat)
    return now is not None and deadline is not None and deadline <= now


def _next(kept: StoredMatch) -> Milliseconds | None:
    """Return the time at which the next clock runs out; None if no clock runs."""
    return min((at for seat in kept.awaited if (at := kept.deadline(seat)) is not None), default=None)
