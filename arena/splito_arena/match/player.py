"""Protocol of a player: takes a question and reports the outcome through a callback.

`ask` sends at once and never waits; `hear` is called exactly once, at once or later, with the outcome. One task can
therefore ask a whole table, and an answer costs no task of its own.
"""

import asyncio
from collections.abc import Callable
from typing import Protocol, TypeAlias

import msgspec

from splito_arena.faults import Fault
from splito_arena.match.messages import Ended
from splito_arena.match.question import Question
from splito_engine.player import Answer


class AskOutcome(msgspec.Struct, frozen=True, gc=False):
    """The outcome of a question: an answer, a fault of the bot, or an error of the arena."""

    answer: Answer | Exception
    """The answer; a `Fault` if the bot failed, any other exception if the arena failed."""
    elapsed: float
    """Seconds for which the bot had the question: from the first byte sent to the last byte read."""
    waited: float = 0.0
    """Seconds spent connecting, which count against the deadline. Looking up the host name does not count."""
    request: bytes = b""
    """Bytes sent and bytes received, for the bot's owner; empty if the bot is not asked over a wire."""
    response: bytes = b""
    status: int | None = None
    """HTTP status of the response; None if none arrived, or the bot is not asked over HTTP."""
    accepted: bool = False
    """True if the arena judged the answer when it arrived and told the bot that it counts; it is not judged again."""


def failed(error: Exception, elapsed: float, request: bytes) -> AskOutcome:
    """Return the outcome of a request without an answer, with the response that the bot gave in its place."""
    refusal = error.refusal if isinstance(error, Fault) else None
    if refusal is None:
        return AskOutcome(error, elapsed, request=request)
    return AskOutcome(error, elapsed, request=request, response=refusal.body, status=refusal.status)


Hear: TypeAlias = Callable[[AskOutcome], None]


class Player(Protocol):
    """A bot that the referee can ask, over any transport."""

    @property
    def name(self) -> str: ...

    def ask(self, question: Question, hear: Hear, /) -> None:
        """Ask the bot and call `hear` within the time of the question; a later answer is a fault."""
        ...

    @property
    def notices(self) -> bool:
        """True if the bot wants a notice when a match begins and ends; if not, `start` and `end` need not be called."""
        ...

    def start(self, notice: msgspec.Struct, /) -> None:
        """Send the notice that a match begins, without waiting for the bot's response."""
        ...

    def end(self, notice: Ended, /) -> None: ...


async def asked(player: Player, question: Question) -> AskOutcome:
    """Ask one question and return its outcome."""
    found: asyncio.Future[AskOutcome] = asyncio.get_running_loop().create_future()

    def hear(heard: AskOutcome) -> None:
        if not found.done():  # the task that waits may have been cancelled
            found.set_result(heard)

    player.ask(question, hear)
    return await found


def late(question: Question) -> AskOutcome:
    """Return the outcome for a bot that did not answer in time."""
    return AskOutcome(Fault("time-out", f"nothing within {question.allowed:g} s"), question.allowed)
