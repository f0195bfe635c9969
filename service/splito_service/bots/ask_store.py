"""What pull bots are asked, in Redis: put there by who waits for the answer, handed out to who polls, answered once.

An ask is a hash, which is forgotten by itself a while after its deadline. Two sorted sets of each bot say which asks
wait to be handed out, and which have been and are not answered. All times are of Redis' own clock, and whoever puts an
ask again after its process was killed finds the answer that came meanwhile.
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
"""Milliseconds, at most, after which an ask without an answer is handed out again: it may have got lost on the way."""
KEPT = 60_000
"""Milliseconds for which an ask is remembered after its deadline, so that who is late can be told so."""
TAKEN = 256
"""Answers that are fetched at once."""


class Said(NamedTuple):
    """An answer as it came."""

    ask: str
    elapsed: Milliseconds
    body: bytes


class Handed(NamedTuple):
    """What a bot is given, and in how many seconds there may be more for it though nobody says so."""

    asks: list[bytes]
    again: float | None


class NewAsk(NamedTuple):
    """An ask to be put."""

    id: str
    bot: str
    game: str
    body: bytes
    allowed: Milliseconds


class StoredAsk(NamedTuple):
    """An ask as it was put."""

    bot: str
    game: str
    body: bytes
    put: Milliseconds
    deadline: Milliseconds
    answered: bool


class Asks:
    """Of one Redis, for any number of processes."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._put, self._hand, self._answer = (
            link.script(source(f"bots/ask_{name}")) for name in ("put", "hand", "answer")
        )

    async def put(self, ask: NewAsk, desk: str) -> Said | None:
        """Its time begins. Nothing comes back, or the answer if there is one already."""
        found = await self._put([_ask(ask.id), *_sets(ask.bot)], [*ask, desk, KEPT])
        return Said(ask.id, *found) if found else None

    async def hand_out(self, bot: str, concurrency: int, limit: int) -> Handed:
        now, again, found = await self._hand(_sets(bot), [concurrency, limit, AGAIN])
        return Handed([in_time(ask, now, deadline) for ask, deadline in found], (again - now) / 1000 if again else None)

    async def get(self, ask_id: str) -> StoredAsk:
        fields = await self._link.call("HMGET", _ask(ask_id), "bot", "game", "ask", "put", "deadline", "meant")
        if fields[0] is None:
            raise unknown(ask_id)
        bot, game, body, put, deadline, meant = fields
        return StoredAsk(bot.decode(), game.decode(), body, int(put), int(deadline), meant is not None)

    async def answer(self, ask_id: str, bot: str, meant: bytes, body: bytes) -> Milliseconds:
        """What is left of the time. `meant` tells answers apart. Raises `OutOfTime` or `AlreadyAnswered`."""
        word, left = await self._answer([_ask(ask_id), *_sets(bot)], [ask_id, meant, body])
        match word:
            case b"unknown":
                raise unknown(ask_id)
            case b"late":
                raise OutOfTime(f"the time for {ask_id} is over", field="ask")
            case b"taken":
                raise AlreadyAnswered(f"{ask_id} has been answered otherwise", field="ask")
            case _:
                return left

    async def time(self) -> Milliseconds:
        """By the clock that deadlines are of."""
        seconds, microseconds = await self._link.call("TIME")
        return 1000 * int(seconds) + int(microseconds) // 1000

    async def take(self, desk: str) -> list[Said]:
        """The answers that have come for whoever sits at that desk. They are told once."""
        found = await self._link.call("LPOP", desk, TAKEN) or ()
        return [_said(*entry.split(b" ", 2)) for entry in found]


def in_time(ask: bytes, now: Milliseconds, deadline: Milliseconds) -> bytes:
    """The ask with the time that is left of it."""
    fields = msgspec.json.decode(ask, type=dict[str, msgspec.Raw])
    time = msgspec.json.decode(fields["time"], type=Time)
    left = msgspec.structs.replace(time, allowed_ms=deadline - now)
    return encode({**fields, "time": left, "deadline": moment(deadline)})


def unknown(ask_id: str) -> UnknownAsk:
    """Also for asks of somebody else's bots: nobody can find out which there are."""
    return UnknownAsk(f"there is no ask {ask_id!r} for a bot of yours", field="ask")


def poll_key(bot: str) -> str:
    """What a notice about asks for this bot is about."""
    return f"bot:{bot}"


def _said(ask_id: bytes, elapsed: bytes, body: bytes) -> Said:
    return Said(ask_id.decode(), int(elapsed), body)


def _ask(ask_id: str) -> str:
    return f"ask:{ask_id}"


def _sets(bot: str) -> list[str]:
    return [f"asks:{bot}:waiting", f"asks:{bot}:handed"]
