"""Messages between the arena and a bot, the same for push and pull; `openapi/bot.yaml` documents them.

A bot needs no memory to answer an ask, because the ask holds the whole match so far. Messages that differ from game to
game are generic: `Ask[SplitoView, SplitoMove]`. The arena checks the limits of what it gets. The types are generated
(`splito_bot.schemas`); the functions that read them are here.

A function that also runs inside the arena, as a plugin, gets an ask without `id`, `version` and `deadline`; `time` is
None there if the match has no clock. It returns a move; the index of an `Answer` is for answers over HTTP.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import msgspec
from msgspec import Raw, Struct

from splito_bot.games import GAMES
from splito_bot.schemas.asks import (
    Answer,
    AnswerProblem,
    Answers,
    Ask,
    Asks,
    BotInfo,
    Challenge,
    ChallengeMet,
    Cost,
    Ended,
    FaultNote,
    Noted,
    Rejection,
    Started,
    Time,
)

__all__ = [
    "Answer",
    "AnswerProblem",
    "Answers",
    "AnyAsk",
    "AnyMove",
    "Ask",
    "Asks",
    "BotInfo",
    "Challenge",
    "ChallengeMet",
    "Cost",
    "Ended",
    "FaultNote",
    "Noted",
    "Rejection",
    "Started",
    "Time",
    "read",
    "read_ask",
    "read_asks",
    "shown",
    "split_asks",
    "typed",
]

AnyMove: TypeAlias = Any
AnyAsk: TypeAlias = Ask[Any, Any]
"""An ask of any game."""


class _Tag(Struct):
    game: str


class _Several(Struct):
    asks: list[Raw]


def read_ask(body: bytes | Raw) -> AnyAsk:
    """Return the ask with the types of its game; an ask of a game that is not in `GAMES` has plain dicts and lists."""
    return read(body, Ask)


def read_asks(body: bytes) -> list[AnyAsk]:
    """Return the asks of a batch, which may be of several games."""
    return [read_ask(ask) for ask in split_asks(body)]


def split_asks(body: bytes) -> list[Raw]:
    """Return the asks of a batch, each still encoded."""
    return msgspec.json.decode(body, type=_Several).asks


def read(body: bytes | Raw, message: Any) -> Any:
    """Return a message that has the field `game`, with the types of that game."""
    return _decoder(msgspec.json.decode(body, type=_Tag).game, message).decode(body)


def typed(game: str, message: Any) -> Any:
    """Return a generic message type with the types of that game; with `Any` for an unknown game."""
    if game in GAMES:
        return GAMES[game].typed(message)
    return message[(Any,) * len(message.__parameters__)]


def shown(moves: Sequence[Any], most: int = 12) -> str:
    """Return moves as JSON for people, at most `most` of them."""
    texts = [msgspec.json.encode(move).decode() for move in moves[:most]]
    return ", ".join(texts) + (f" and {len(moves) - most} more" if len(moves) > most else "")


@lru_cache(maxsize=64)  # bounded, because a sender may invent games
def _decoder(game: str, message: Any) -> "msgspec.json.Decoder[Any]":
    return msgspec.json.Decoder(typed(game, message))
