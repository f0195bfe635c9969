"""Bots that the arena calls: the ask is a signed POST, the answer is what comes back.

A bot is asked as many things at a time as it wants to be, and no more; whoever has to wait for that has its clock
started when its turn comes. A bot that takes batches gets what comes in one step of the event loop in one request:
each ask in it still has its own deadline.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TypeVar

import msgspec

from arena.address import BotClient, Letter, new_message_id
from arena.caller import Reply
from arena.messages import BotInfo, Ended
from arena.players import Hear, Heard, late
from arena.question import Question, encode, read_answer, read_answers, read_one

T = TypeVar("T")


class Errand(msgspec.Struct, frozen=True, eq=False):
    """A question that somebody waits to hear about."""

    question: Question
    hear: Hear


class Push:
    """Used in the event loop of its client's `Caller`."""

    def __init__(self, client: BotClient, info: BotInfo, name: str | None = None) -> None:
        self.name = name or info.name
        self._client, self._info = client, info
        self._busy = 0
        self._queue: deque[list[Errand]] = deque()
        self._batch: list[Errand] = []

    def ask(self, question: Question, hear: Hear) -> None:
        errand = Errand(question, hear)
        if not self._info.batch:
            self._admit([errand])
            return
        if not self._batch:
            asyncio.get_running_loop().call_soon(self._flush)
        self._batch.append(errand)

    def start(self, notice: msgspec.Struct) -> None:
        self._tell("start", notice)

    def end(self, notice: Ended) -> None:
        self._tell("end", notice)

    def _flush(self) -> None:
        """Of one game each, and those first that have the least time."""
        waiting, self._batch = self._batch, []
        waiting.sort(key=lambda errand: (errand.question.ask.game, errand.question.allowed))
        for _, same in groupby(waiting, key=lambda errand: errand.question.ask.game):
            errands = list(same)
            for first in range(0, len(errands), self._info.batch):
                self._admit(errands[first : first + self._info.batch])

    def _admit(self, errands: list[Errand]) -> None:
        if self._busy < self._info.concurrency:
            self._send(errands)
        else:
            self._queue.append(errands)

    def _send(self, errands: list[Errand]) -> None:
        if len(errands) == 1:
            errand = errands[0]
            body = errand.question.encoded()
            trip = _Single(errand, body)
            letter = Letter("ask", new_message_id(), body, errand.question.allowed)
        else:
            trip = _Batch(errands)
            letter = Letter("batch", new_message_id(), trip.body, trip.allowed)
        self._busy += 1
        self._client.send(letter, self._then(trip))

    def _then(self, trip: "_Single | _Batch") -> Callable[[Reply | Exception, float], None]:
        """Whoever is asked again, because of what came, goes first: nobody thinks on while waiting for it."""

        def done(outcome: Reply | Exception, total: float) -> None:
            self._busy -= 1
            trip.hear(outcome, total)
            self._flush()
            while self._queue and self._busy < self._info.concurrency:
                self._send(self._queue.popleft())

        return done

    def _tell(self, what: str, notice: msgspec.Struct) -> None:
        if self._info.notices:
            self._client.tell(what, encode(notice))


class _Single:
    """One ask on its way."""

    def __init__(self, errand: Errand, body: bytes) -> None:
        self._errand, self._body = errand, body

    def hear(self, outcome: Reply | Exception, total: float) -> None:
        if isinstance(outcome, Exception):
            self._errand.hear(Heard(outcome, total, request=self._body))
            return
        answer = _read(read_answer, self._errand.question, outcome.body)
        waited = max(0.0, total - outcome.elapsed)
        self._errand.hear(Heard(answer, outcome.elapsed, waited, self._body, outcome.body))


class _Batch:
    """Several asks on their way together."""

    def __init__(self, errands: Sequence[Errand]) -> None:
        bodies = [errand.question.encoded() for errand in errands]
        self.body = b'{"asks":[%b]}' % b",".join(bodies)
        self.allowed = max(errand.question.allowed for errand in errands)
        self._bodies = dict(zip(errands, bodies, strict=True))
        loop = asyncio.get_running_loop()
        self._timers = {
            errand: loop.call_later(errand.question.allowed, self._expire, errand)
            for errand in errands
            if errand.question.allowed < self.allowed
        }

    def hear(self, outcome: Reply | Exception, total: float) -> None:
        for timer in self._timers.values():
            timer.cancel()
        if isinstance(outcome, Exception):
            for errand, body in self._bodies.items():
                errand.hear(Heard(outcome, total, request=body))
            return
        game = next(iter(self._bodies)).question.game
        answers = _read(read_answers, game, outcome.body)
        waited = max(0.0, total - outcome.elapsed)
        for errand, body in self._bodies.items():
            answer = answers if isinstance(answers, Exception) else _read(read_one, errand.question, answers)
            errand.hear(Heard(answer, outcome.elapsed, waited, body, outcome.body))

    def _expire(self, errand: Errand) -> None:
        del self._bodies[errand]
        errand.hear(late(errand.question))


def _read(read: Callable[..., T], *arguments: object) -> T | Exception:
    """What is no `Fault` is our own trouble; nobody may be left waiting for it."""
    try:
        return read(*arguments)
    except Exception as error:  # noqa: BLE001 (whoever waits must hear of it)
        return error
