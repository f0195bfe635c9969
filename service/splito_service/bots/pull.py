"""Players for pull bots: the asks wait in Redis until the bot polls, and the answers come back through Redis.

Each process that asks has one desk for all its asks. The process that takes an answer puts it on the desk of the
process that asked and sends a notice. One task per desk reads the answers and also ends overdue asks, so an ask needs
no timer of its own. The Redis clock alone decides whether an answer is in time, so an accepted answer is never
discarded here.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from math import inf
from secrets import token_hex
from time import monotonic
from typing import Any

import msgspec

from splito_arena.match.player import AskOutcome, Hear, late
from splito_arena.match.question import Question
from splito_engine.player import Answer
from splito_service.bots.ask_store import Asks, NewAsk, Said
from splito_service.errors import Unavailable
from splito_service.storage.notices import Notices, seen

GRAIN = 0.005
"""Shortest pause in seconds between two reads of the desk; a time-out is late by at most about this."""
SWEEP = 1.0
"""Longest pause in seconds between two reads of the desk, in case a notice is lost."""

log = logging.getLogger("splito.pull")


class PendingAsk(msgspec.Struct, eq=False):
    """An ask whose caller waits for the outcome."""

    question: Question
    hear: Hear
    request: bytes
    deadline: float = inf
    """Deadline by the clock of this process, which starts when Redis has stored the ask."""


class Desk:
    """The open asks of one process. Made by `open_desk` and used in one event loop."""

    def __init__(self, asks: Asks, notice: asyncio.Event, name: str) -> None:
        self._asks, self._notice, self._name = asks, notice, name
        self._errands: dict[str, list[PendingAsk]] = {}
        """Open asks by id; a list, because the same ask may be asked twice at a time."""
        self._puts: set[asyncio.Task[None]] = set()

    def ask(self, bot: str, question: Question, hear: Hear) -> None:
        errand = PendingAsk(question, hear, question.encoded())
        self._errands.setdefault(question.id, []).append(errand)
        put = asyncio.create_task(self._put(bot, errand))
        self._puts.add(put)
        put.add_done_callback(self._puts.discard)

    async def _put(self, bot: str, errand: PendingAsk) -> None:
        question = errand.question
        allowed = round(1000 * question.allowed)
        try:
            said = await self._asks.put(
                NewAsk(question.id, bot, question.game.INFO.id, errand.request, allowed), self._name
            )
        except Exception as error:  # noqa: BLE001 (an error of our own, which the waiting callers handle)
            self._end(errand, AskOutcome(error, 0.0, request=errand.request))
            return
        errand.deadline = monotonic() + allowed / 1000 + GRAIN
        self._notice.set()  # wakes the reading task, because this deadline may be the next one
        if said is not None:
            self._hear(said)

    async def sit(self) -> None:
        """Read answers and end overdue asks until cancelled."""
        while True:
            await seen(self._notice, self.pause())
            now = monotonic()
            try:
                await self._look()
                self._give_up(now, None)
            except Unavailable as error:
                self._give_up(now, error)
                await asyncio.sleep(GRAIN)
            except Exception:
                log.exception("an answer of a pull bot could not be read")

    def pause(self) -> float:
        """Return the seconds until the next deadline, at most `SWEEP`."""
        soonest = min((errand.deadline for errands in self._errands.values() for errand in errands), default=inf)
        return min(SWEEP, max(GRAIN, soonest - monotonic()))

    async def _look(self) -> None:
        while self._errands and (found := await self._asks.take(self._name)):
            for said in found:
                self._hear(said)

    def _hear(self, said: Said) -> None:
        for errand in tuple(self._errands.get(said.ask, ())):
            self._end(errand, _outcome(errand, said))

    def _give_up(self, now: float, trouble: Unavailable | None) -> None:
        """End the asks that were overdue before the last read of the desk and were not answered in it."""
        overdue = [errand for errands in self._errands.values() for errand in errands if errand.deadline <= now]
        for errand in overdue:
            heard = late(errand.question) if trouble is None else AskOutcome(trouble, errand.question.allowed)
            self._end(errand, msgspec.structs.replace(heard, request=errand.request))

    def _end(self, errand: PendingAsk, heard: AskOutcome) -> None:
        errands = self._errands.get(errand.question.id, [])
        if errand not in errands:  # the ask has ended already
            return
        errands.remove(errand)
        if not errands:
            del self._errands[errand.question.id]
        errand.hear(heard)

    async def close(self) -> None:
        """End all open asks with the error `Unavailable`, because this process stops."""
        for put in tuple(self._puts):
            put.cancel()
        await asyncio.gather(*self._puts, return_exceptions=True)
        closed = Unavailable("this process of the service stops")
        for errand in [errand for errands in self._errands.values() for errand in errands]:
            self._end(errand, AskOutcome(closed, 0.0))


class Pull:
    """The player for one pull bot. The limit of asks at a time applies when they are handed out."""

    notices = False

    def __init__(self, desk: Desk, bot: str, name: str) -> None:
        self.name = name
        self._desk, self._bot = desk, bot

    def ask(self, question: Question, hear: Hear) -> None:
        self._desk.ask(self._bot, question, hear)

    def start(self, notice: Any) -> None:
        """Do nothing, because a pull bot is sent asks only."""

    end = start


@asynccontextmanager
async def open_desk(asks: Asks, notices: Notices) -> AsyncGenerator[Desk]:
    name = f"desk:{token_hex(8)}"
    with notices.about(name) as notice:
        desk = Desk(asks, notice, name)
        sitting = asyncio.create_task(desk.sit())
        try:
            yield desk
        finally:
            sitting.cancel()
            with suppress(asyncio.CancelledError):
                await sitting
            await desk.close()


def _outcome(errand: PendingAsk, said: Said) -> AskOutcome:
    """Return the outcome of an ask that was answered; the process that took the answer has judged it."""
    answer = Answer(errand.question.moves[said.answer.index], said.answer.nudge, said.answer.debug)
    return AskOutcome(answer, said.elapsed / 1000, request=errand.request, response=said.body, accepted=True)
