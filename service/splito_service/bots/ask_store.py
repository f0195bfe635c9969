"""Store of the asks of pull bots in Redis: a process puts an ask, the bot polls for it and answers it once.

An ask is a hash that expires a while after its deadline. Each bot has two sorted sets: the asks that wait to be handed
out, and the asks that were handed out and are not answered. All times are those of the Redis clock. A process that puts
an ask again, because the first process was killed, finds the answer that arrived in between.
"""

from typing import NamedTuple

import msgspec

from splito_arena.match.question import encode
from splito_engine.player import Time
from splito_service.errors import AlreadyAnswered, OutOfTime, UnknownAsk
from splito_service.ids import Milliseconds, moment
from splito_service.storage.client import Link
from splito_service.storage.scripts import source

AGAIN = 2000
"""Milliseconds after which an unanswered ask is handed out again at the latest, because it may have been lost on the
way.
"""
KEPT = 60_000
"""Milliseconds that an ask is stored after its deadline, so that a bot that answers late gets a clear error."""
TAKEN = 256
"""Number of answers that a process fetches at once."""


class AcceptedAnswer(msgspec.Struct, frozen=True, array_like=True):
    """An answer that the arena has decoded and judged, so that the process that asked need not do so again."""

    index: int
    """Number of the move among the legal moves of the ask."""
    nudge: str | None = None
    debug: str | None = None

    @property
    def meaning(self) -> bytes:
        """Return what two answers must have in common to count as the same: move and nudge."""
        return encode((self.index, self.nudge))


class Said(NamedTuple):
    """The accepted answer to an ask, and its body as the bot sent it."""

    ask: str
    elapsed: Milliseconds
    answer: AcceptedAnswer
    body: bytes


_decode = msgspec.json.Decoder(AcceptedAnswer).decode


class Handed(NamedTuple):
    """The asks for one poll of a bot, and the seconds after which the bot should poll again without a notice."""

    asks: list[bytes]
    again: float | None


class NewAsk(NamedTuple):
    """An ask that a process puts into the store."""

    id: str
    bot: str
    game: str
    body: bytes
    allowed: Milliseconds


class StoredAsk(NamedTuple):
    """An ask as it is stored."""

    bot: str
    game: str
    body: bytes
    put: Milliseconds
    deadline: Milliseconds
    answered: bool


class Asks:
    """The store of asks in one Redis, shared by all processes."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._put, self._hand, self._answer = (
            link.script(source(f"bots/ask_{name}")) for name in ("put", "hand", "answer")
        )

    async def put(self, ask: NewAsk, desk: str) -> Said | None:
        """Store an ask and start its time limit. Return its answer if it has been answered already, else None."""
        found = await self._put([_ask(ask.id), *_sets(ask.bot)], [*ask, desk, KEPT])
        if not found:
            return None
        elapsed, answer, body = found
        return Said(ask.id, elapsed, _decode(answer), body)

    async def hand_out(self, bot: str, concurrency: int, limit: int) -> Handed:
        now, again, found = await self._hand(_sets(bot), [concurrency, limit, AGAIN])
        return Handed([in_time(ask, now, deadline) for ask, deadline in found], (again - now) / 1000 if again else None)

    async def get(self, ask_id: str) -> StoredAsk:
        fields = await self._link.call("HMGET", _ask(ask_id), "bot", "game", "ask", "put", "deadline", "meant")
        if fields[0] is None:
            raise unknown(ask_id)
        bot, game, body, put, deadline, meant = fields
        return StoredAsk(bot.decode(), game.decode(), body, int(put), int(deadline), meant is not None)

    async def answer(self, ask_id: str, bot: str, answer: AcceptedAnswer, body: bytes) -> Milliseconds:
        """Store an answer and return the milliseconds that were left. Raise `OutOfTime` or `AlreadyAnswered`.

        The answer with the same meaning may be sent again.
        """
        word, left = await self._answer([_ask(ask_id), *_sets(bot)], [ask_id, answer.meaning, encode(answer), body])
        match word:
            case b"unknown":
                raise unknown(ask_id)
            case b"late":
                raise OutOfTime(f"the time limit of ask {ask_id} is over", field="ask")
            case b"taken":
                raise AlreadyAnswered(f"ask {ask_id} already has another answer", field="ask")
            case _:
                return left

    async def time(self) -> Milliseconds:
        """Return the time of the Redis clock, which decides about deadlines."""
        seconds, microseconds = await self._link.call("TIME")
        return 1000 * int(seconds) + int(microseconds) // 1000

    async def take(self, desk: str) -> list[Said]:
        """Return the new answers for the process with this desk. Each answer is returned once."""
        found = await self._link.call("LPOP", desk, TAKEN) or ()
        return [_said(*entry.split(b" ", 2)) for entry in found]


def in_time(ask: bytes, now: Milliseconds, deadline: Milliseconds) -> bytes:
    """Return the request of the ask with the time that is left until its deadline."""
    fields = msgspec.json.decode(ask, type=dict[str, msgspec.Raw])
    time = msgspec.json.decode(fields["time"], type=Time)
    left = msgspec.structs.replace(time, allowed_ms=deadline - now)
    return encode({**fields, "time": left, "deadline": moment(deadline)})


def unknown(ask_id: str) -> UnknownAsk:
    """Return the error for an unknown ask.

    An ask of another owner's bot gets the same error, so that a client cannot find out which asks exist.
    """
    return UnknownAsk(f"there is no ask {ask_id!r} for a bot of yours", field="ask")


def poll_key(bot: str) -> str:
    """Return the topic of the notices about asks of this bot."""
    return f"bot:{bot}"


def _said(ask_id: bytes, elapsed: bytes, answer_and_body: bytes) -> Said:
    answer, _, body = answer_and_body.partition(b"\n")
    return Said(ask_id.decode(), int(elapsed), _decode(answer), body)


def _ask(ask_id: str) -> str:
    return f"ask:{ask_id}"


def _sets(bot: str) -> list[str]:
    return [f"asks:{bot}:waiting", f"asks:{bot}:handed"]
