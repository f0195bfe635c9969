"""Push bots, which the arena calls: the ask is a signed POST and the answer is its response.

The arena sends a bot as many requests at a time as the bot takes, and no more; the clock of a waiting ask starts when
it is sent. Asks that come in one step of the event loop are sent together in the next, because it is much faster to do
one thing for many asks than everything for one. A bot that takes batches gets them in one request, in which each ask
still has its own deadline.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import TypeVar

import msgspec

from splito_arena.bots.push_client import BotClient, Letter, new_message_id
from splito_arena.match.messages import BotInfo, Ended
from splito_arena.match.player import AskOutcome, Hear, failed, late
from splito_arena.match.question import Question, encode, read_answer, read_answers, read_one
from splito_arena.net.http_client import Call
from splito_arena.net.http_response import Reply

T = TypeVar("T")


class Push:
    """The player for a push bot, used in the event loop of its client's `Caller`."""

    def __init__(self, client: BotClient, info: BotInfo, name: str | None = None) -> None:
        self.name = name or info.name
        self.notices = info.notices
        self.client, self._info = client, info
        self.busy = 0
        """Number of requests in flight."""
        self._asked: list[PendingAsk] = []
        self._again: list[PendingAsk] = []
        """Asks that are sent a second time; they go first, because their deadlines are already running."""
        self._queue: deque[Trip] = deque()
        self._finding: asyncio.Task[None] | None = None

    def ask(self, question: Question, hear: Hear) -> None:
        if not self._asked and not self._again:
            asyncio.get_running_loop().call_soon(self._flush)
        (self._asked if question.rejected is None else self._again).append(PendingAsk(question, hear))

    def start(self, notice: msgspec.Struct) -> None:
        self.client.tell("start", encode(notice))

    def end(self, notice: Ended) -> None:
        self.client.tell("end", encode(notice))

    def _flush(self) -> None:
        asked, self._asked = self._asked, []
        self._queue.extend(self._trips(asked))
        self.go_on()

    def _trips(self, asked: "list[PendingAsk]") -> "Sequence[Trip]":
        return list(batches(asked, self._info.batch)) if self._info.batch else asked

    def go_on(self) -> None:
        """Send as many requests as the bot takes at once; first of all, look its name up."""
        if self._again:
            again, self._again = self._again, []
            self._queue.extendleft(self._trips(again))
        if self._queue and self.busy < self._info.concurrency:
            if self.client.is_known:
                self.client.send_all(self._letters(datetime.now(UTC)))
            elif self._finding is None:
                self._finding = asyncio.create_task(self._find())

    async def _find(self) -> None:
        """Look the name up while the questions wait, because their clocks start when they are sent."""
        try:
            await self.client.find()
        except Exception as error:  # noqa: BLE001 (every question must get an outcome)
            self._tell_all(error)
        finally:
            self._finding = None
        self.go_on()

    def _tell_all(self, error: Exception) -> None:
        queue, self._queue = self._queue, deque[Trip]()
        for trip in queue:
            trip.push, trip.begun = self, self.client.clock()
            trip.tell(error)

    def _letters(self, now: datetime) -> list[tuple[Letter, Call]]:
        letters, queue, begun = list[tuple[Letter, Call]](), self._queue, self.client.clock()
        while queue and self.busy < self._info.concurrency:
            trip = queue.popleft()
            trip.push, trip.begun = self, begun
            try:
                letters.append((trip.letter(now), trip))
            except Exception as error:  # noqa: BLE001 (every question must get an outcome)
                trip.tell(error)
            else:
                self.busy += 1
        return letters


class Trip(Call):
    """A request in flight to a bot."""

    __slots__ = ("begun", "push")
    begun: float
    push: Push

    def letter(self, now: datetime) -> Letter:
        raise NotImplementedError

    def tell(self, outcome: Reply | Exception) -> None:
        """Pass the outcome to every waiting question."""
        raise NotImplementedError

    def hear(self, outcome: Reply | Exception) -> None:
        self.push.busy -= 1
        self.tell(outcome)
        self.push.go_on()

    def total(self) -> float:
        """Return the seconds since the request began."""
        return self.push.client.clock() - self.begun

    def waited(self, reply: Reply) -> float:
        """Return the seconds that connecting took, without the arena's own delays."""
        return 0.0 if self.kept else max(0.0, self.total() - reply.elapsed - self.ours)


class PendingAsk(Trip):
    """A pending question and the request that asks it."""

    __slots__ = ("_body", "question", "waiting")

    def __init__(self, question: Question, waiting: Hear) -> None:
        self.question, self.waiting = question, waiting
        self._body = b""

    def letter(self, now: datetime) -> Letter:
        self._body = self.question.encoded(now)
        return Letter("ask", new_message_id(), self._body, self.question.allowed)

    def tell(self, outcome: Reply | Exception) -> None:
        if isinstance(outcome, Exception):
            self.waiting(failed(outcome, self.total(), self._body))
            return
        answer = _read(read_answer, self.question, outcome.body)
        self.waiting(
            AskOutcome(answer, outcome.elapsed, self.waited(outcome), self._body, outcome.body, outcome.status)
        )


class Batch(Trip):
    """Several questions in one request. Each keeps its own deadline."""

    def __init__(self, errands: Sequence[PendingAsk]) -> None:
        self._errands = errands
        self._bodies = dict.fromkeys(errands, b"")
        """Encoded asks that have no outcome yet, by question."""
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

    def tell(self, outcome: Reply | Exception) -> None:
        for timer in self._timers:
            timer.cancel()
        if isinstance(outcome, Exception):
            total = self.total()
            for errand, body in self._bodies.items():
                errand.waiting(failed(outcome, total, body))
            return
        answers = _read(read_answers, self._errands[0].question.game, outcome.body)
        waited = self.waited(outcome)
        for errand, body in self._bodies.items():
            answer = answers if isinstance(answers, Exception) else _read(read_one, errand.question, answers)
            errand.waiting(AskOutcome(answer, outcome.elapsed, waited, body, outcome.body, outcome.status))

    def _expire(self, errand: PendingAsk) -> None:
        del self._bodies[errand]
        errand.waiting(late(errand.question))


def batches(errands: list[PendingAsk], most: int) -> Iterator[Trip]:
    """Yield requests of at most `most` questions of one game, the questions with the least time first."""
    errands.sort(key=lambda errand: (errand.question.game.INFO.id, errand.question.allowed))
    for _, same in groupby(errands, key=lambda errand: errand.question.game.INFO.id):
        group = list(same)
        for first in range(0, len(group), most):
            some = group[first : first + most]
            yield Batch(some) if len(some) > 1 else some[0]


def _read(read: Callable[..., T], *arguments: object) -> T | Exception:
    """Return the result of `read`, or its exception, because every waiting question must get an outcome."""
    try:
        return read(*arguments)
    except Exception as error:  # noqa: BLE001 (every question must get an outcome)
        return error
