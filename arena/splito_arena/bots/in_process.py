"""A bot in this process: a Python function that is called directly and cannot be interrupted.

It is for trusted bots; other bots run in processes of their own (`splito_arena.bots.subprocess`).
"""

from collections.abc import Callable
from time import perf_counter
from typing import Any

from splito_arena.faults import Fault, cut
from splito_arena.match.player import AskOutcome, Hear
from splito_arena.match.question import Question
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
            answer: Answer | Fault = as_answer(self._choose(ask))
        except (Exception, SystemExit) as error:  # noqa: BLE001 (a bot may be any author's code)
            answer = Fault("crashed", cut(f"{type(error).__name__}: {error}", 300))
        hear(AskOutcome(answer, self._now() - begun))

    def start(self, notice: Any) -> None:
        """Do nothing, because functions get no notices."""

    end = start


def as_answer(said: Any) -> Answer:
    """Return the `Answer` for a function's result: a bare move, an `Answer`, or one of the SDK.

    Its note is cut as on the wire.
    """
    if not hasattr(said, "debug") or not hasattr(said, "move"):
        return Answer(said)
    return Answer(said.move, said.nudge, None if said.debug is None else cut(str(said.debug)))
