"""Bots that the arena calls: the ask is a signed POST, the answer is what comes back.

A bot is asked as many things at a time as it wants to be, and no more; whoever has to wait for that has its clock
started when its turn comes. What comes in one step of the event loop is sent together in the next, because it is much
faster to do the same for many than everything for one. A bot that takes batches gets it in one request: each ask in it
still has its own deadline.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import TypeVar

import msgspec

from arena.address import BotClient, Letter, new_message_id
from arena.caller import Call, Reply
from arena.messages import BotInfo, Ended
from arena.players import Hear, Heard, late
from arena.question import Question, encode, read_answer, read_answers, read_one

T = TypeVar("T")


class Push:
    """Used in the event loop of its client's `Caller`."""

    def __init__(self, client: BotClient, info: BotInfo, name: str | None = None) -> None:
        self.name = name or info.name
        self.notices = info.notices
        self._client, self._info = client, info
        self._busy = 0
        self._asked: list[Errand] = []
        self._telling = False
        self._again: list[Errand] = []
        """Those that are asked because of what came."""
        self._queue: deque[Trip] = deque()

    def ask(self, question: Question, hear: Hear) -> None:
        if self._telling:
            self._again.append(Errand(question, hear))
            return
        if not self._asked:
            asyncio.get_running_loop().call_soon(self._flush)
        self._asked.append(Errand(question, hear))

    def start(self, notice: msgspec.Struct) -> None:
        self._client.tell("start", encode(notice))

    def end(self, notice: Ended) -> None:
        self._client.tell("end", encode(notice))

    def _flush(self) -> None:
        asked, self._asked = self._asked, []
        now = datetime.now(UTC)
        for trip in self._trips(asked):
            if self._busy < self._info.concurrency:
                self._send(trip, now)
            else:
                self._queue.append(trip)

    def _trips(self, asked: "list[Errand]") -> "Sequence[Trip]":
        return list(batches(asked, self._info.batch)) if self._info.batch else asked

    def _send(self, trip: "Trip", now: datetime) -> None:
        self._busy += 1
        trip.push, trip.begun = self, self._client.clock()
        try:
            letter = trip.letter(now)
        except Exception as error:  # noqa: BLE001 (our own trouble, and nobody may be left waiting for it)
            self.back(trip, error)
        else:
            self._client.send(letter, trip)

    def back(self, trip: "Trip", outcome: Reply | Exception) -> None:
        """Whoever is asked again, because of what came, goes first: nobody thinks on while waiting for it."""
        self._busy -= 1
        self._telling = True
        try:
            trip.tell(outcome, self._client.clock() - trip.begun)
        finally:
            self._telling = False
        if self._again:
            again, self._again = self._again, []
            self._queue.extendleft(reversed(self._trips(again)))
        while self._queue and self._busy < self._info.concurrency:
            self._send(self._queue.popleft(), datetime.now(UTC))


class Trip(Call):
    """A request on its way to a bot."""

    __slots__ = ("begun", "push")
    begun: float
    push: Push

    def letter(self, now: datetime) -> Letter:
        raise NotImplementedError

    def tell(self, outcome: Reply | Exception, total: float) -> None:
        """To all who wait: what came, after so many seconds."""
        raise NotImplementedError

    def hear(self, outcome: Reply | Exception) -> None:
        self.push.back(self, outcome)

    def waited(self, reply: Reply, total: float) -> float:
        """For a name and a connection. How long we ourselves took is not held against the bot."""
        return 0.0 if self.kept else max(0.0, total - reply.elapsed)


class Errand(Trip):
    """A question that somebody waits to hear about, and the request that asks it."""

    __slots__ = ("_body", "question", "waiting")

    def __init__(self, question: Question, waiting: Hear) -> None:
        self.question, self.waiting = question, waiting
        self._body = b""

    def letter(self, now: datetime) -> Letter:
        self._body = self.question.encoded(now)
        return Letter("ask", new_message_id(), self._body, self.question.allowed)

    def tell(self, outcome: Reply | Exception, total: float) -> None:
        if isinstance(outcome, Exception):
            self.waiting(Heard(outcome, total, request=self._body))
            return
        answer = _read(read_answer, self.question, outcome.body)
        self.waiting(Heard(answer, outcome.elapsed, self.waited(outcome, total), self._body, outcome.body))


class Batch(Trip):
    """Several questions in one request. Each keeps its own deadline."""

    def __init__(self, errands: Sequence[Errand]) -> None:
        self._errands = errands
        self._bodies: dict[Errand, bytes] = {}
        """Of those that nobody has heard of."""
        self._timers: list[asyncio.TimerHandle] = []

    def letter(self, now: datetime) -> Letter:
        self._bodies = {errand: errand.question.encoded(now) for errand in self._errands}
        longest = max(errand.question.allowed for errand in self._errands)
        loop = asyncio.get_running_loop()
        self._timers = [
            loop.call_later(errand.question.allowed, self._expire, errand)
            for errand in self._errands
            if errand.question.allowed < longest
        ]
        return Letter("batch", new_message_id(), b'{"asks":[%b]}' % b",".join(self._bodies.values()), longest)

    def tell(self, outcome: Reply | Exception, total: float) -> None:
        for timer in self._timers:
            timer.cancel()
        if isinstance(outcome, Exception):
            for errand, body in self._bodies.items():
                errand.waiting(Heard(outcome, total, request=body))
            return
        answers = _read(read_answers, self._errands[0].question.game, outcome.body)
        waited = self.waited(outcome, total)
        for errand, body in self._bodies.items():
            answer = answers if isinstance(answers, Exception) else _read(read_one, errand.question, answers)
            errand.waiting(Heard(answer, outcome.elapsed, waited, body, outcome.body))

    def _expire(self, errand: Errand) -> None:
        del self._bodies[errand]
        errand.waiting(late(errand.question))


def batches(errands: list[Errand], most: int) -> Iterator[Trip]:
    """Of one game each, and those first that have the least time."""
    errands.sort(key=lambda errand: (errand.question.game.INFO.id, errand.question.allowed))
    for _, same in groupby(errands, key=lambda errand: errand.question.game.INFO.id):
        group = list(same)
        for first in range(0, len(group), most):
            some = group[first : first + most]
            yield Batch(some) if len(some) > 1 else some[0]


def _read(read: Callable[..., T], *arguments: object) -> T | Exception:
    """What is no `Fault` is our own trouble; nobody may be left waiting for it."""
    try:
        return read(*arguments)
    except Exception as error:  # noqa: BLE001 (whoever waits must hear of it)
        return error
