"""Program of a bot process: it takes one question after the other and reports the answers of its bots.

A question arrives as a pickle. The reply is the index of a move in the list of the question, never an object of the
bot, because a bot's code must run in this process only. The operator chose that code, but it may have bugs.

The process ends with the process that started it, because its socket closes then. On Linux a signal ensures it even
while a bot is in C code that blocks all other threads.
"""

import os
import pickle
import socket
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread, main_thread
from time import perf_counter
from typing import Any

import msgspec

from splito_arena.bots.ask_log import answer_text
from splito_arena.bots.child_process import become_child
from splito_arena.bots.find import check_bot, find_bot
from splito_arena.bots.functions.info import info_of
from splito_arena.bots.functions.tracebacks import of_error, of_thread
from splito_arena.bots.in_process import as_answer
from splito_arena.faults import Fault, cut
from splito_arena.match.messages import BotInfo
from splito_engine.errors import BadBot
from splito_engine.player import Answer, Ask, Choose
from splito_engine.registry import find_game

ANYWHERE = "anywhere"
"""Argument on the command line that allows bots named as `module:function` too."""


class Said(msgspec.Struct, frozen=True, omit_defaults=True):
    """The reply of a bot process to a question."""

    move: int = -1
    """Index of the move among the moves of the ask; -1 if there is none."""
    nudge: str | None = None
    debug: str | None = None
    code: str = ""
    """Code of the bot's fault if there is no move; empty if the error is the arena's."""
    fault: str = ""
    """Description of the error, for the log; it must not reveal the position."""
    words: str = ""
    """Further details, for the bot's owner only."""
    response: str = ""
    """The illegal answer, for the bot's owner only."""
    traceback: str = ""
    """Traceback of the author's function, for its author only."""
    seconds: float = 0.0
    """Seconds that the function has taken, so that a busy arena costs it no time."""
    info: BotInfo | None = None
    """`INFO` of the function's module, in the reply for a bot that was imported."""

    @property
    def is_ready(self) -> bool:
        """True for the first reply of a process, and for a bot that it has imported."""
        return self.move < 0 and not self.fault


LONGEST = 64 * 1024
"""Bytes of an illegal answer that are passed on."""
READY = Said()
STACK = pickle.dumps(None)
"""The question where the function is now, which is answered even while it thinks."""


def main() -> None:
    """Run the process: the main thread thinks, and another one reads the socket, so that it notices its end at once."""
    become_child()
    line, anywhere = _take_input(), ANYWHERE in sys.argv[1:]
    questions: SimpleQueue[tuple[str, str, Ask | None]] = SimpleQueue()
    out = _Out(line)
    Thread(target=_listen, args=(line, questions, out), daemon=True).start()
    out.say(READY)
    while True:
        bot, game, asked = questions.get()
        out.say(answer(bot, game, asked, anywhere))


def answer(bot: str, game: str, asked: Ask | None, anywhere: bool) -> Said:
    """Return the bot's reply to an ask; without an ask, whether the bot can be imported."""
    try:
        if not anywhere:
            check_bot(bot, game)
        choose = find_bot(bot)
        return Said(info=info_of(bot)) if asked is None else _think(choose, asked)
    except BadBot as error:
        trace = "" if error.__cause__ is None else of_error(error.__cause__)
        return Said(code="crashed", fault=error.message, traceback=trace)
    except BaseException as error:  # noqa: BLE001 (a bot may be any author's code, and call `sys.exit`)
        return _failed(error)


def _think(choose: Choose, asked: Ask) -> Said:
    moves = tuple(asked.moves)  # a copy, because the bot may change the list
    begun = perf_counter()
    try:
        answered = as_answer(choose(asked), moves)
        said = _said(asked, answered, moves)
    except Fault as fault:
        said = Said(code=fault.code, fault=fault.detail)
    except (Exception, SystemExit) as error:  # noqa: BLE001 (a bot may be any author's code)
        said = _failed(error)
    return msgspec.structs.replace(said, seconds=perf_counter() - begun)


def _said(asked: Ask, answered: Answer, moves: Sequence[Any]) -> Said:
    if answered.move not in moves:
        sent = answer_text(find_game(asked.game), answered).decode("utf-8", "replace")
        words = cut(repr(answered.move), 200)
        fault = "its answer is not one of its moves"
        return Said(code="illegal-move", fault=fault, words=words, response=cut(sent, LONGEST))
    nudge = None if answered.nudge is None else cut(str(answered.nudge), 200)
    return Said(moves.index(answered.move), nudge, answered.debug)


def _failed(error: BaseException) -> Said:
    place = traceback.extract_tb(error.__traceback__, limit=-1)[0]
    return Said(
        code="crashed",
        fault=f"failed with {type(error).__name__} at {place.filename}:{place.lineno}",
        words=cut(str(error), 300),  # for the owner only, because it may reveal the view
        traceback=of_error(error),
    )


def _take_input() -> socket.socket:
    """Return the socket that is our standard input, and replace that by an empty input for bots that read it."""
    line = socket.socket(fileno=os.dup(0))
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    return line


def _listen(line: socket.socket, questions: "SimpleQueue[tuple[str, str, Ask | None]]", out: "_Out") -> None:
    try:
        with line.makefile("rb") as source:
            while True:
                asked = pickle.load(source)  # noqa: S301 (from the process that started this one)
                if asked is None:
                    out.say(Said(traceback=of_thread(main_thread().ident or 0)))
                else:
                    questions.put(asked)
    finally:
        os._exit(0)


class _Out:
    """The replies of this process, which two threads send."""

    def __init__(self, line: socket.socket) -> None:
        self._line, self._lock = line, Lock()

    def say(self, said: Said) -> None:
        with self._lock:
            self._line.sendall(msgspec.json.encode(said) + b"\n")


if __name__ == "__main__":
    main()
