"""The life of a process of the house: it is asked one question after the other, and says what its bots answer.

A question comes in as a pickle. What goes back is the place of a move in the list that came, never an object of the
bot's: its code runs here and only here. It is the operator's choice of code, but it may be anybody's bug.

A process ends with whoever started it, however that ends: its socket ends then. Linux sees to it even while a bot is in
C code that keeps every other thread of the process waiting.
"""

import ctypes
import os
import pickle
import signal
import socket
import sys
import traceback
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

import msgspec

from splito_arena.bots.find import check_bot, find_bot
from splito_arena.bots.in_process import as_answer
from splito_arena.faults import cut
from splito_engine.errors import BadBot
from splito_engine.player import Ask, Choose

PR_SET_PDEATHSIG = 1
"""Of Linux. `splito_service.processes.embedded_redis_main` has the same one: it can import nothing of ours."""

ANYWHERE = "anywhere"
"""The word on the command line for a house that takes bots by `module:function` too."""


class Said(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a process says of a question."""

    move: int = -1
    """Its place among the moves of the ask."""
    nudge: str | None = None
    debug: str | None = None
    code: str = ""
    """Of the bot's fault, if there is no move; without one it is ours."""
    fault: str = ""
    """What went wrong. It goes into the log, so it tells nothing of the position."""
    words: str = ""
    """What else there is to tell, for the bot's owner alone."""


READY = Said()
"""The first thing a process says, and what it says of a bot that it has found."""


def main() -> None:
    """Its main thread thinks; another listens, and so is the first to know of the end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    line, anywhere = _take_input(), ANYWHERE in sys.argv[1:]
    questions: SimpleQueue[tuple[str, str, Ask | None]] = SimpleQueue()
    Thread(target=_listen, args=(line, questions), daemon=True).start()
    _say(line, READY)
    while True:
        bot, game, asked = questions.get()
        _say(line, answer(bot, game, asked, anywhere))


def answer(bot: str, game: str, asked: Ask | None, anywhere: bool) -> Said:
    """Without an ask, only whether there is such a bot."""
    try:
        if not anywhere:
            check_bot(bot, game)
        choose = find_bot(bot)
        return READY if asked is None else _think(choose, asked)
    except BadBot as error:
        return Said(code="crashed", fault=error.message)
    except BaseException as error:  # noqa: BLE001 (anybody's code runs here, `sys.exit` included)
        return _failed(error)


def _think(choose: Choose, asked: Ask) -> Said:
    moves = tuple(asked.moves)  # the bot may do to the list what it likes
    try:
        answered = as_answer(choose(asked))
    except BadBot as error:  # it declines
        return _failed(error)
    if answered.move not in moves:
        return Said(
            code="illegal-move", fault="its answer is not one of its moves", words=cut(repr(answered.move), 200)
        )
    nudge = None if answered.nudge is None else cut(str(answered.nudge), 200)
    return Said(moves.index(answered.move), nudge, answered.debug)


def _failed(error: BaseException) -> Said:
    place = traceback.extract_tb(error.__traceback__, limit=-1)[0]
    return Said(
        code="crashed",
        fault=f"failed with {type(error).__name__} at {place.filename}:{place.lineno}",
        words=cut(str(error), 300),  # which may tell what it saw
    )


def _take_input() -> socket.socket:
    """The socket that we have as standard input; a bot that reads there finds nothing."""
    line = socket.socket(fileno=os.dup(0))
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    return line


def _listen(line: socket.socket, questions: "SimpleQueue[tuple[str, str, Ask | None]]") -> None:
    try:
        with line.makefile("rb") as source:
            while True:
                questions.put(pickle.load(source))  # noqa: S301 (from whoever started us)
    finally:
        os._exit(0)


def _say(line: socket.socket, said: Said) -> None:
    line.sendall(msgspec.json.encode(said) + b"\n")


if __name__ == "__main__":
    main()
