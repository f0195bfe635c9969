"""A bot in this process: a Python function that is called directly and cannot be interrupted.

It is for trusted bots; other bots run in processes of their own (`splito_arena.bots.subprocess`).
"""

from collections.abc import Callable, Sequence
from numbers import Integral
from operator import index
from time import perf_counter
from typing import Any

from msgspec import UNSET

from splito_arena.bots.functions.tracebacks import of_error
from splito_arena.faults import Fault, cut
from splito_arena.match.player import AskOutcome, Hear
from splito_arena.match.question import Question, move_at
from splito_engine.player import Answer, Choose


class Plugin:
    notices = False

    def __init__(self, name: str, choose: Choose, now: Callable[[], float] = perf_counter) -> None:
        self.name = name
        self._choose, self._now = choose, now

    def ask(self, question: Question, hear: Hear) -> None:
        ask = question.ask
        begun = self._now()
        try:
            answer: Answer | Fault = as_answer(self._choose(ask), question.moves)
        except Fault as fault:
            answer = fault
        except (Exception, SystemExit) as error:  # noqa: BLE001 (a bot may be any author's code)
            answer = Fault("crashed", cut(f"{type(error).__name__}: {error}", 300), of_error(error))
        hear(AskOutcome(answer, self._now() - begun))

    def start(self, notice: Any) -> None:
        """Do nothing, because functions get no notices."""

    end = start


def as_answer(said: Any, moves: Sequence[Any]) -> Answer:
    """Return the `Answer` for a function's result: a bare move, its index, an `Answer`, or one of the SDK.

    Its note is cut as on the wire. Raise `Fault` for an index that no move has.
    """
    if not hasattr(said, "debug") or not hasattr(said, "move"):
        return Answer(_meant(said, moves))
    move: Any = said.move
    at: Any = getattr(said, "index", UNSET)
    if (move is UNSET) == (at is UNSET):
        raise Fault("wrong-schema", "name either `move` or `index`")
    if move is UNSET:
        move = move_at(moves, at)
    return Answer(move, said.nudge, None if said.debug is None else cut(str(said.debug)))


def _meant(said: Any, moves: Sequence[Any]) -> Any:
    """Return the move of an index; in a game whose moves are numbers, a number is a move."""
    if not isinstance(said, Integral) or said is True or said is False or isinstance(moves[0], int):
        return said
    return move_at(moves, index(said))
