"""Messages between the arena and a bot, the same for push and pull; `openapi/bot.yaml` documents them.

A bot needs no memory to answer an ask, because the ask holds the whole match so far. Messages that differ from game to
game are generic: `Ask[SplitoView, SplitoMove]`. The arena checks the limits of what it gets.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Annotated, Any, Generic, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from splito_bot.games import GAMES
from splito_bot.messages import MoveT, Points, Problem, Seat, SettledT, Turn, ViewT

CONTRACT = 1
MAX_BATCH = 64
MAX_CONCURRENCY = 256

Text: TypeAlias = Annotated[str, Meta(min_length=1, max_length=64)]


class BotInfo(Struct, frozen=True, kw_only=True):
    """The info of a bot: its name, version, games and limits."""

    name: Text
    author: Text
    version: Text
    """A new version is a new bot for the ratings, and must pass the checks again."""
    games: Annotated[list[Text], Meta(min_length=1, max_length=64)]
    """The ids of the games that the bot plays."""
    batch: Annotated[int, Meta(ge=0, le=MAX_BATCH)] = 0
    """Largest number of asks in one request; 0 for one at a time."""
    concurrency: Annotated[int, Meta(ge=1, le=MAX_CONCURRENCY)] = 1
    """Largest number of requests at the same time, and the number of threads that think."""
    notices: bool = False
    """True if the bot wants notices when a match begins and ends."""
    ed25519: bool = False
    """True if requests to the bot also carry an Ed25519 signature by the arena's key."""
    contract: Literal[1] = CONTRACT


class Time(Struct, frozen=True):
    """The time of a bot. Time beyond `turn_ms` is taken from the bank."""

    allowed_ms: int
    """Milliseconds from the moment the ask is sent: `turn_ms` and the rest of the bank."""
    turn_ms: int
    bank_ms: int
    """Milliseconds left in the bank for the rest of the match."""


class Cost(Struct, frozen=True):
    """The cost of the seat's last turn, as the arena measured it."""

    elapsed_ms: float
    charged_ms: int
    """Milliseconds taken from the bank."""
    outcome: str
    """`ok`, or the kind of the fault for which the default move was played."""


class Rejection(Struct, frozen=True):
    """The reason why the last answer was rejected. The clock was not stopped by it."""

    code: str
    detail: str


class Ask(Struct, Generic[ViewT, MoveT], frozen=True, kw_only=True):
    """A turn in which the bot has to decide for a seat.

    A function that also runs inside the arena, as a plugin, gets an ask without `id`, `version` and `deadline`; `time`
    is None there if the match has no clock.
    """

    game: str
    id: str
    """The id of the ask. The same ask may come twice."""
    version: str
    """The version of the rules."""
    match: str
    turn: int
    """The number of the turn, from 0: as many turns have been revealed."""
    seat: Seat
    players: int
    time: Time
    deadline: datetime
    """The end of the time by the arena's clock; `time.allowed_ms` says the same without a clock."""
    last: Cost | None
    """The cost of the seat's last turn; None in the first."""
    rejected: Rejection | None
    """The reason why your last answer to this ask was rejected; None if the ask comes for the first time."""
    seed: str
    """A seed for your own random numbers: the same for the same ask, and without a relation to the deal."""
    nudges: list[str]
    """Nudges that may be said with the move; empty if table talk is off."""
    moves: list[MoveT]
    """The legal moves. The first is the default move, which is played if no legal answer comes in time."""
    view: ViewT
    """Everything that the seat may know of the position."""
    history: list[Turn[MoveT]]
    """The revealed turns, from the first."""


AnyMove: TypeAlias = Any
AnyAsk: TypeAlias = Ask[Any, Any]
"""An ask of any game."""


class Answer(Struct, Generic[MoveT], frozen=True, kw_only=True):
    """A decision: either `move`, or its `index` among the `moves` of the ask.

    A plugin gives the move; the index is for answers over HTTP.
    """

    ask: str | UnsetType = UNSET
    """The `id` of the ask; the SDK sets it."""
    move: MoveT | UnsetType = UNSET
    index: int | UnsetType = UNSET
    nudge: str | None = None
    debug: str | None = None
    """A note in the log of the bot, which only its owner can read. At most 1,024 bytes are kept."""


class Asks(Struct, Generic[ViewT, MoveT], frozen=True):
    """Several asks in one request; each has its own time."""

    asks: list[Ask[ViewT, MoveT]]


class Answers(Struct, Generic[MoveT], frozen=True):
    """One answer for each ask, in any order. An ask without one gets the default move."""

    answers: list[Answer[MoveT]]


class Started(Struct, Generic[SettledT], frozen=True, kw_only=True):
    """Notice: a match begins in which the bot has this seat. No reaction is needed."""

    game: str
    version: str
    match: str
    seat: Seat
    players: int
    options: SettledT
    turn_ms: int
    bank_ms: int


class FaultNote(Struct, frozen=True):
    """A fault, for which the default move was played."""

    turn: int
    code: str
    detail: str


class Ended(Struct, frozen=True, kw_only=True):
    """Notice: a match is over. The deal stays secret, because other matches may still be played with it."""

    game: str
    match: str
    seat: Seat
    scores: list[Points]
    """Scores by seat."""
    places: list[float]
    """Places by seat, from 1; tied seats share the mean of their places. A replaced bot has the last place."""
    faults: list[FaultNote]
    """Faults of this seat."""
    replaced: bool
    """True if a built-in bot replaced this one, after too many faults."""


class Noted(Struct, frozen=True):
    """The answer to a notice: an empty object."""


class Challenge(Struct, frozen=True):
    """The arena's test whether the bot at a registered address knows its secret."""

    challenge: str


class ChallengeMet(Struct, frozen=True):
    """The answer to a challenge, which proves that the bot knows its secret."""

    answer: str


class AnswerProblem(Problem, Generic[MoveT], frozen=True, kw_only=True):
    """The reason why the service rejected an answer. A better one may follow while there is time left."""

    legal_moves: list[MoveT] | UnsetType = UNSET
    milliseconds_left: int | UnsetType = UNSET


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
