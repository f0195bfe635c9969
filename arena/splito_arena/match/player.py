"""Who is asked: whatever can take a question and let be heard what came of it.

`ask` sends at once and never waits; `hear` is called once, at once or later, with what came. So one task can have a
whole table asked, and an answer costs no task of its own.
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
    """What came of a question: an answer, a fault, or trouble of our own."""

    answer: Answer | Exception
    """A `Fault` is the bot's; any other exception is ours."""
    elapsed: float
    """Seconds for which the bot had the question: from the first byte sent to the last byte read."""
    waited: float = 0.0
    """Seconds before that which count against the deadline: to connect. Looking up a name does not."""
    request: bytes = b""
    """What was sent and what came back, for the bot's owner; nothing where no bytes travel."""
    response: bytes = b""


Hear: TypeAlias = Callable[[AskOutcome], None]


class Player(Protocol):
    """A bot, however it is reached."""

    @property
    def name(self) -> str: ...

    def ask(self, question: Question, hear: Hear, /) -> None:
        """Let `hear` know within the time of the question; what is later is a fault."""
        ...

    @property
    def notices(self) -> bool:
        """Whether it wants to be told when a match begins and ends: else there is no need to call the two below."""
        ...

    def start(self, notice: msgspec.Struct, /) -> None:
        """A match begins. Nobody waits for what the bot makes of it."""
        ...

    def end(self, notice: Ended, /) -> None: ...


async def asked(player: Player, question: Question) -> AskOutcome:
    """For whoever has only one to ask."""
    found: asyncio.Future[AskOutcome] = asyncio.get_running_loop().create_future()

    def hear(heard: AskOutcome) -> None:
        if not found.done():  # nobody may be waiting any more
            found.set_result(heard)

    player.ask(question, hear)
    return await found


def late(question: Question) -> AskOutcome:
    """What is heard of whoever does not answer."""
    return AskOutcome(Fault("time-out", f"nothing within {question.allowed:g} s"), question.allowed)
