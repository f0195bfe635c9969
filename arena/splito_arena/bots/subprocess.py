"""Local bots in processes of their own, so that the event loop goes on while they think and a time-out can stop them.

A process has one question at a time, on a socket that no other process holds. The arena therefore knows which bot hangs
or dies, and no other question is lost with a killed process. (A pool of `multiprocessing` knows neither which process
has which question nor how to lose one alone; it runs the `__main__` of the server again, and is refused in daemonic
workers.) `splito_arena.bots.subprocess_main` is the program of such a process.
"""

import asyncio
import logging
import pickle
from contextlib import ExitStack
from time import perf_counter
from typing import Any, NamedTuple, Protocol, Self

import msgspec

from splito_arena.bots.direct import question as table_question
from splito_arena.bots.subprocess_main import Said
from splito_arena.bots.subprocess_worker import GONE, NoProcess, Worker
from splito_arena.faults import Fault
from splito_arena.match.messages import BotInfo
from splito_arena.match.player import AskOutcome, Hear
from splito_arena.match.question import Question
from splito_arena.net.fair_queue import FairQueue
from splito_engine.errors import BadBot, NotYourTurn
from splito_engine.game import Seat
from splito_engine.match import Match
from splito_engine.player import Answer, Ask

log = logging.getLogger("splito.house")


class Priority(NamedTuple):
    """The client that a question is for, and whether a person waits at the table."""

    client: str = ""
    urgent: bool = False


ANYBODY = Priority()


class BotProcesses:
    """A pool of processes in which local bots think, for many tasks at once.

    Questions that wait for a process are served in turn by client, and first those of tables where a person sits; one
    process in four goes to other tables, so that they do not starve.

    Processes start when they are first needed. When the context ends they are all killed, and waiting questions get a
    `RuntimeError`, because a default move would be a bad reason to lose a match. With `anywhere`, bots may also be
    named as `module:function`, and are found wherever this process would find them. With `quiet`, nothing that they
    print is shown.
    """

    def __init__(self, workers: int = 1, limit: float = 10.0, *, anywhere: bool = False, quiet: bool = False) -> None:
        self._limit, self._anywhere, self._quiet = limit, anywhere, quiet
        self._open = False
        self._queue = FairQueue(workers)
        self._idle: list[Worker] = []
        self._living: set[Worker] = set()
        self._dying: list[Worker] = []

    async def __aenter__(self) -> Self:
        self._open = True
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._open = False
        for worker in self._living:
            worker.process.kill()
        await self._queue.idle()  # every waiting question has been cancelled and cleaned up
        for worker in [*self._living]:
            self._dismiss(worker)
        self._idle.clear()
        for worker in self._dying:
            await asyncio.to_thread(worker.process.wait)

    async def choose(self, match: Match, seat: Seat, bot: str, priority: Priority = ANYBODY) -> Any:
        """Return the bot's move for this turn; the default move if the bot fails twice.

        A bot fails if it raises an error, answers with an illegal move, exceeds the time limit or ends its process.
        Waiting for a free process is not thinking time.
        """
        if seat not in match.actors:
            raise NotYourTurn(f"seat {seat} has nothing to decide now", seat=seat)
        asked = table_question(match, seat)
        errand = PendingAsk(bot, asked, self._limit, f"{asked.game}, turn {len(match.turns)}, seat {seat}")
        said = await self.run(errand, priority)
        if said.move in range(len(asked.moves)):
            return asked.moves[said.move]
        log.warning("%s: %s; the default move is played", errand, said.fault)
        return asked.moves[0]

    async def hear(self, bot: str, question: Question, priority: Priority = ANYBODY) -> AskOutcome:
        """Return the bot's outcome within the time of the question; without one, within the time limit of the pool."""
        ask = question.ask
        return await self.ask(bot, ask, self._limit if ask.time is None else question.allowed, priority)

    async def ask(self, bot: str, ask: Ask, limit: float, priority: Priority = ANYBODY) -> AskOutcome:
        """Return the bot's outcome within that many seconds."""
        errand = PendingAsk(bot, ask, limit, f"match {ask.match}, turn {ask.turn}, seat {ask.seat}")
        return _heard(ask, await self.run(errand, priority), errand.elapsed)

    async def load(self, bot: str, game: str) -> BotInfo | None:
        """Import the bot and return its info; None if it has none.

        Raise `BadBot` if it cannot be imported, and `NoProcess` for an error of the arena.
        """
        said = await self.run(Loading(bot, game))
        if said.is_ready:
            return said.info
        if not said.code:
            raise NoProcess(said.fault)
        raise BadBot(said.fault if not said.words else f"bot {bot!r} {said.fault}: {said.words}", field="bot")

    async def run(self, errand: "Errand", priority: Priority = ANYBODY) -> Said:
        """Return the bot's reply.

        A bot that ends its process is asked once more in the time that is left, because another bot may have been the
        cause.
        """
        async with self._queue.slot(priority.client, urgent=priority.urgent):
            self._check_open()
            try:
                return await self._think(self._idle.pop() if self._idle else None, errand)
            except (NoProcess, *GONE) as error:
                self._check_open()
                log.warning("%s: %s; it is asked again", errand, error)
            try:
                return await self._think(None, errand)
            except (NoProcess, *GONE) as error:
                self._check_open()
                return Said(code="" if isinstance(error, NoProcess) else "crashed", fault=str(error))

    async def _think(self, worker: "Worker | None", errand: "Errand") -> Said:
        """Ask this worker or a new one. A worker that does not answer, or whose question was cancelled, is not kept."""
        worker = worker or self._hire()
        with ExitStack() as unless_answered:
            unless_answered.callback(self._dismiss, worker)
            await worker.started()
            said = await errand.put_to(worker)
            if said.code != "time-out":
                unless_answered.pop_all()
                self._idle.append(worker)
        return said

    def _check_open(self) -> None:
        if not self._open:
            raise RuntimeError("the house is closed")

    def _hire(self) -> "Worker":
        worker = Worker(self._anywhere, quiet=self._quiet)
        self._living.add(worker)
        return worker

    def _dismiss(self, worker: "Worker") -> None:
        """Kill the worker without waiting for its end; it is reaped at the next call, or when the context ends."""
        worker.process.kill()
        worker.line.close()
        self._living.discard(worker)
        self._dying = [other for other in (*self._dying, worker) if other.process.poll() is None]


class Housed:
    """The player for a local bot at a table with any others; its thinking does not block the event loop."""

    notices = False

    def __init__(self, house: BotProcesses, bot: str, name: str | None = None, priority: Priority = ANYBODY) -> None:
        self.name = name or bot
        self._house, self._bot, self._priority = house, bot, priority
        self._asking: set[asyncio.Task[None]] = set()

    def ask(self, question: Question, hear: Hear) -> None:
        asking = asyncio.create_task(self._ask(question, hear))
        self._asking.add(asking)
        asking.add_done_callback(self._asking.discard)

    def start(self, notice: Any) -> None:
        """Do nothing, because functions get no notices."""

    end = start

    async def _ask(self, question: Question, hear: Hear) -> None:
        try:
            heard = await self._house.hear(self._bot, question, self._priority)
        except Exception as error:  # noqa: BLE001 (an error of the arena, for the referee to judge)
            heard = AskOutcome(error, 0.0)
        hear(heard)


class Errand(Protocol):
    """Protocol of a question to a bot process; its text names the bot for the log."""

    async def put_to(self, worker: Worker) -> Said: ...


class Loading:
    """The question whether a bot can be imported."""

    def __init__(self, bot: str, game: str) -> None:
        self._bot, self._game = bot, game

    def __str__(self) -> str:
        return f"bot {self._bot!r}, which is to be imported"

    async def put_to(self, worker: Worker) -> Said:
        try:
            return await worker.meet(self._bot, self._game)
        except TimeoutError as error:
            return Said(code="time-out", fault=f"bot {self._bot!r} {error}", traceback=await worker.stack())


class PendingAsk:
    """A question in flight to a bot, and the time that the bot has had for it."""

    def __init__(self, bot: str, asked: Ask, limit: float, about: str) -> None:
        self._bot, self._game, self._limit, self._about = bot, asked.game, limit, about
        self._question = pickle.dumps((bot, asked.game, asked))
        self.elapsed = 0.0

    def __str__(self) -> str:
        return f"bot {self._bot!r} in {self._about}"

    async def put_to(self, worker: Worker) -> Said:
        try:
            said = await worker.meet(self._bot, self._game)
            return await self._timed(worker) if said.is_ready else said
        except TimeoutError as error:
            said = Said(code="time-out", fault=str(error) or f"no answer within {self._limit:g} s")
        return msgspec.structs.replace(said, traceback=await worker.stack())

    async def _timed(self, worker: Worker) -> Said:
        """Ask, and count the time that the bot itself has taken; all of it if the bot has not answered."""
        begun, taken = perf_counter(), 0.0
        try:
            async with asyncio.timeout(self._limit - self.elapsed):
                said = await worker.ask(self._question)
                taken = said.seconds
                return said
        finally:
            self.elapsed += taken or perf_counter() - begun


def _heard(ask: Ask, said: Said, elapsed: float) -> AskOutcome:
    if said.move in range(len(ask.moves)):
        return AskOutcome(Answer(ask.moves[said.move], said.nudge, said.debug), elapsed)
    if not said.code:
        return AskOutcome(NoProcess(said.fault), elapsed)
    detail = f"{said.fault}: {said.words}" if said.words else said.fault
    return AskOutcome(Fault(said.code, detail, said.traceback), elapsed, response=said.response.encode())
