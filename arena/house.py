"""Bots of this machine think for seats of live matches, in processes of their own: the event loop goes on meanwhile.

A process has one question at a time, on a socket that nobody else holds. So it is known who hangs or dies, and nothing
waits inside a process that has to be killed. (A pool of `multiprocessing` knows neither which process has which
question nor how to lose one alone; it runs the `__main__` of the server again, and is refused in daemonic workers.)

A question goes out as a pickle. What comes back is the place of a move in the list that went out, never an object of
the bot's: its code runs there and only there. It is the operator's choice of code, but it may be anybody's bug.

A process ends with the service, however that ends: its socket ends then. Linux sees to it even while a bot is in C code
that keeps every other thread of the process waiting.
"""

import asyncio
import ctypes
import logging
import os
import pickle
import signal
import socket
import subprocess
import sys
import traceback
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, Self

import msgspec

from arena.bots import bot_names, find_bot
from arena.table import question
from engine.errors import BadBot, NotYourTurn
from engine.game import Seat
from engine.match import Match
from engine.player import Ask
from service.supervisor import PR_SET_PDEATHSIG

log = logging.getLogger("splito.house")

START_LIMIT = 60.0
"""Seconds for Python to start and import this file, which is no bot's fault."""

GONE = (OSError, EOFError, msgspec.DecodeError)
"""How it shows that a process could not be started, has ended, or is no longer ours to understand."""


class Answer(msgspec.Struct, frozen=True):
    move: int = -1
    """Its place among the moves of the ask."""
    fault: str = ""
    """Why there is none. It goes into the log, so it tells nothing of the position."""


READY = Answer()
"""The first thing a process says."""


def check_bot(bot: str, game: str) -> None:
    """The bot is installed here, by entry point: `module:function` is for people at their own terminal.

    Whether it plays that game only the bot knows, and it tells when it is asked for a move. To ask it here would be to
    run it here.
    """
    if bot not in bot_names():
        raise BadBot(f"no bot {bot!r} here to play {game}; there are: {', '.join(bot_names())}", field="bot")


class House:
    """Asked by many tasks at once; thinks in processes of its own.

    Processes start when they are first needed. When it is left they are all killed, and whoever still waits gets a
    `RuntimeError`: a default move would be a bad reason to lose a match.
    """

    def __init__(self, workers: int = 1, limit: float = 10.0) -> None:
        self._size, self._limit = workers, limit
        self._open = False
        self._free = asyncio.Semaphore(workers)
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
        for _ in range(self._size):
            await self._free.acquire()  # whoever was asking has noticed, and cleaned up
        for _ in range(self._size):
            self._free.release()
        for worker in [*self._living]:
            self._dismiss(worker)
        self._idle.clear()
        for worker in self._dying:
            await asyncio.to_thread(worker.process.wait)

    async def choose(self, match: Match, seat: Seat, bot: str) -> Any:
        """The bot's move for this turn, or the default move if it fails, answers nonsense, thinks for longer than the
        limit or ends its process, twice. Waiting for a free process is not thinking.
        """
        if seat not in match.actors:
            raise NotYourTurn(f"seat {seat} has nothing to decide now", seat=seat)
        asked = question(match, seat)
        who = f"bot {bot!r} in {asked.game}, turn {len(match.turns)}, seat {seat}"
        answer = await self._answer(pickle.dumps((bot, asked)), who)
        if answer.move in range(len(asked.moves)):
            return asked.moves[answer.move]
        log.warning("%s: %s; the default move is played", who, answer.fault)
        return asked.moves[0]

    async def _answer(self, asked: bytes, who: str) -> Answer:
        async with self._free:
            self._check_open()
            try:
                return await self._think(self._idle.pop() if self._idle else None, asked)
            except GONE as error:
                self._check_open()
                log.warning("%s: %s; it is asked again", who, error)
            try:
                return await self._think(None, asked)
            except GONE as error:
                self._check_open()
                return Answer(fault=str(error))

    async def _think(self, worker: "Worker | None", asked: bytes) -> Answer:
        """By this worker or a new one. One that does not answer, be it that nobody waits any more, is not kept."""
        worker = worker or self._hire()
        with ExitStack() as unless_answered:
            unless_answered.callback(self._dismiss, worker)
            await worker.started()
            try:
                async with asyncio.timeout(self._limit):
                    answer = await worker.ask(asked)
            except TimeoutError:
                return Answer(fault=f"no answer within {self._limit:g} s")
            unless_answered.pop_all()
        self._idle.append(worker)
        return answer

    def _check_open(self) -> None:
        if not self._open:
            raise RuntimeError("the house is closed")

    def _hire(self) -> "Worker":
        worker = Worker()
        self._living.add(worker)
        return worker

    def _dismiss(self, worker: "Worker") -> None:
        """At once, without waiting for its end: that is seen to the next time, or when the house is left."""
        worker.process.kill()
        worker.line.close()
        self._living.discard(worker)
        self._dying = [other for other in (*self._dying, worker) if other.process.poll() is None]


class Worker:
    """A process and our end of its socket."""

    def __init__(self) -> None:
        self._ready = False
        self.line, theirs = socket.socketpair()
        self.line.setblocking(False)
        with ExitStack() as unless_started, theirs:
            unless_started.callback(self.line.close)
            command = [sys.executable, "-P", "-m", __name__]
            self.process = subprocess.Popen(command, stdin=theirs.fileno(), start_new_session=True)  # noqa: S603 (ourselves)
            unless_started.pop_all()

    async def started(self) -> None:
        if self._ready:
            return
        try:
            async with asyncio.timeout(START_LIMIT):
                self._ready = await self._hear() == READY
        except TimeoutError:
            raise EOFError(f"its process did not start within {START_LIMIT:g} s") from None

    async def ask(self, asked: bytes) -> Answer:
        await asyncio.get_running_loop().sock_sendall(self.line, asked)
        return await self._hear()

    async def _hear(self) -> Answer:
        heard = b""
        while not heard.endswith(b"\n"):
            part = await asyncio.get_running_loop().sock_recv(self.line, 4096)
            if not part:
                raise EOFError("its process ended")
            heard += part
        return msgspec.json.decode(heard, type=Answer)


def main() -> None:
    """The life of a worker. Its main thread thinks; another listens, and so is the first to know of the end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    line = _take_input()
    questions: SimpleQueue[tuple[str, Ask]] = SimpleQueue()
    Thread(target=_listen, args=(line, questions), daemon=True).start()
    _say(line, READY)
    while True:
        _say(line, answer(*questions.get()))


def answer(bot: str, asked: Ask) -> Answer:
    moves = tuple(asked.moves)  # the bot may do to the list what it likes
    try:
        check_bot(bot, asked.game)
        choose = find_bot(bot)
    except BadBot as error:
        return Answer(fault=error.message)
    try:
        move = choose(asked)
        return Answer(moves.index(move)) if move in moves else Answer(fault="its answer is not one of its moves")
    except BaseException as error:  # noqa: BLE001 (anybody's code runs here, `sys.exit` included)
        place = traceback.extract_tb(error.__traceback__, limit=-1)[0]  # its words may tell what it saw
        return Answer(fault=f"failed with {type(error).__name__} at {place.filename}:{place.lineno}")


def _take_input() -> socket.socket:
    """The socket that we have as standard input; a bot that reads there finds nothing."""
    line = socket.socket(fileno=os.dup(0))
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    return line


def _listen(line: socket.socket, questions: "SimpleQueue[tuple[str, Ask]]") -> None:
    try:
        with line.makefile("rb") as source:
            while True:
                questions.put(pickle.load(source))  # noqa: S301 (from whoever started us)
    finally:
        os._exit(0)


def _say(line: socket.socket, answer: Answer) -> None:
    line.sendall(msgspec.json.encode(answer) + b"\n")


if __name__ == "__main__":
    main()
