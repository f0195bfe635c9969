"""Players that answer as a test has it written down. How long they took is what they say, so nobody waits."""

from collections.abc import Callable
from typing import Any, TypeAlias

from splito_arena.faults import Fault
from splito_arena.match.player import AskOutcome, Hear, late
from splito_arena.match.question import Question
from splito_engine.player import Answer

Line: TypeAlias = Callable[[Question], AskOutcome]


def plays(index: int = 0, after: float = 0.0, waited: float = 0.0, nudge: str | None = None) -> Line:
    """A move by its index among the legal moves, counted from the last if negative, after so many seconds."""
    return lambda question: AskOutcome(Answer(question.ask.moves[index], nudge), after, waited)


def says(answer: Answer | Exception, after: float = 0.0, waited: float = 0.0) -> Line:
    return lambda _: AskOutcome(answer, after, waited)


def fails(code: str, after: float = 0.0, waited: float = 0.0) -> Line:
    return says(Fault(code), after, waited)


class Scripted:
    """Is heard at once, line by line; where the script ends it plays the default move in no time."""

    notices = True

    def __init__(self, *lines: Line, name: str = "scripted") -> None:
        self.name = name
        self.asked: list[Question] = []
        self.noted: list[Any] = []
        self._lines = iter(lines)

    def ask(self, question: Question, hear: Hear) -> None:
        self.asked.append(question)
        hear(next(self._lines, plays())(question))

    def start(self, notice: Any) -> None:
        self.noted.append(notice)

    end = start


class Slow(Scripted):
    """Is heard when it is told to answer. `events` is told of what it was asked."""

    def __init__(self, events: list[tuple[str, int, int]], name: str = "slow") -> None:
        super().__init__(name=name)
        self._events = events
        self._hear: Hear | None = None

    def ask(self, question: Question, hear: Hear) -> None:
        assert self._hear is None, "asked again before it has answered"
        self.asked.append(question)
        self._events.append(("asked", question.ask.turn, question.ask.seat))
        self._hear = hear

    @property
    def turn(self) -> int | None:
        """In which it has still to answer."""
        return self.asked[-1].ask.turn if self._hear is not None else None

    def answer(self, line: Line) -> None:
        hear, self._hear = self._hear, None
        assert hear is not None, "nobody has asked"
        question = self.asked[-1]
        self._events.append(("heard", question.ask.turn, question.ask.seat))
        hear(line(question))


never: Line = late
