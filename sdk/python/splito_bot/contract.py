"""What the arena and a bot say to each other, the same words however they travel; `openapi/bot.json` has them too.

An ask needs no memory: whoever gets it can answer it, be it the first that it hears of the match. Where a message
differs from game to game it is generic: `Ask[SplitoView, SplitoMove]`. Limits of what
it sends are for the arena to check.
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
    """What a bot tells of itself."""

    name: Text
    author: Text
    version: Text
    """Another one is another bot to the ratings, and must pass the checks anew."""
    games: Annotated[list[Text], Meta(min_length=1, max_length=64)]
    """The ids of those it plays."""
    batch: Annotated[int, Meta(ge=0, le=MAX_BATCH)] = 0
    """How many asks it takes in one request; 0 for one at a time."""
    concurrency: Annotated[int, Meta(ge=1, le=MAX_CONCURRENCY)] = 1
    """How many requests it wants at the same time, and no more. So many threads think."""
    notices: bool = False
    """Whether it wants to be told when a match begins and ends."""
    ed25519: bool = False
    """Whether requests to it are to carry an Ed25519 signature by the arena's key too."""
    contract: Literal[1] = CONTRACT


class Time(Struct, frozen=True):
    """How long a bot may think. What a turn takes beyond `turn_ms` is charged to the bank."""

    allowed_ms: int
    """From the moment the ask is sent: `turn_ms` and all that is left in the bank."""
    turn_ms: int
    bank_ms: int
    """What is left in it for the rest of the match."""


class Cost(Struct, frozen=True):
    """What the seat's last turn cost, as the arena measured it."""

    elapsed_ms: float
    charged_ms: int
    """Taken from the bank."""
    outcome: str
    """`ok`, or the kind of the fault for which the default move was played."""


class Rejection(Struct, frozen=True):
    """Why the answer before this ask was not taken. The time goes on as if it had never come."""

    code: str
    detail: str


class Ask(Struct, Generic[ViewT, MoveT], frozen=True, kw_only=True):
    """A turn in which the bot has to decide for a seat.

    A function that runs inside the arena too, as a plugin, does without `id`, `version` and `deadline`, which are only
    on the wire; there, `time` is None where nobody hurries it.
    """

    game: str
    id: str
    """The same may come twice."""
    version: str
    """Of the rules."""
    match: str
    turn: int
    """From 0: as many have been revealed."""
    seat: Seat
    players: int
    time: Time
    deadline: datetime
    """When the time is over, by the arena's clock; `time.allowed_ms` needs no clock of yours."""
    last: Cost | None
    """What the seat's last turn cost; nothing in the first."""
    rejected: Rejection | None
    """Why this ask comes again: your answer was not taken. Nothing if it comes for the first time."""
    seed: str
    """For dice of your own: the same for the same ask, and of no use to find out anything."""
    nudges: list[str]
    """What may be said with the move; nothing where table talk is off."""
    moves: list[MoveT]
    """The legal ones. The first is the default move: it is played if there is no good answer in time."""
    view: ViewT
    """The whole position as the seat may know it."""
    history: list[Turn[MoveT]]
    """Every turn that was revealed, from the first."""


AnyMove: TypeAlias = Any
AnyAsk: TypeAlias = Ask[Any, Any]
"""Of whichever game."""


class Answer(Struct, Generic[MoveT], frozen=True, kw_only=True):
    """A decision: either `move`, or its `index` among the `moves` of the ask.

    A plugin names the move: the index is for the wire.
    """

    ask: str | UnsetType = UNSET
    """The `id` of the ask; it is filled in for you."""
    move: MoveT | UnsetType = UNSET
    index: int | UnsetType = UNSET
    nudge: str | None = None
    debug: str | None = None
    """A note for the bot's owner, who finds it in the log; nobody else sees it. At most 1,024 bytes are kept."""


class Asks(Struct, Generic[ViewT, MoveT], frozen=True):
    """Several asks at once; each of them has its own time."""

    asks: list[Ask[ViewT, MoveT]]


class Answers(Struct, Generic[MoveT], frozen=True):
    """One answer for each ask, in any order. An ask without one gets the default move."""

    answers: list[Answer[MoveT]]


class Started(Struct, Generic[SettledT], frozen=True, kw_only=True):
    """A match begins in which the bot has this seat. Nothing has to be done about it."""

    game: str
    version: str
    match: str
    seat: Seat
    players: int
    options: SettledT
    turn_ms: int
    bank_ms: int


class FaultNote(Struct, frozen=True):
    """For what the default move was played."""

    turn: int
    code: str
    detail: str


class Ended(Struct, frozen=True, kw_only=True):
    """A match is over. What was dealt is not told: others may still have it before them."""

    game: str
    match: str
    seat: Seat
    scores: list[Points]
    """By seat."""
    places: list[float]
    """By seat, from 1; who is tied shares the mean of the places. Who was replaced has the last."""
    faults: list[FaultNote]
    """Of this seat."""
    replaced: bool
    """Whether a bot of the house played on for this seat, after too many faults."""


class Noted(Struct, frozen=True):
    """What a notice is answered with: nothing."""


class Challenge(Struct, frozen=True):
    """Sent to an address that somebody has registered, to learn whether it is theirs."""

    challenge: str


class ChallengeMet(Struct, frozen=True):
    """The proof that the secret of the bot is known there."""

    answer: str


class AnswerProblem(Problem, Generic[MoveT], frozen=True, kw_only=True):
    """Why the service did not take an answer. As long as there is time left, a better one may follow."""

    legal_moves: list[MoveT] | UnsetType = UNSET
    milliseconds_left: int | UnsetType = UNSET


class _Tag(Struct):
    game: str


class _Several(Struct):
    asks: list[Raw]


def read_ask(body: bytes | Raw) -> AnyAsk:
    """With the types of its game; a game that `GAMES` does not have comes in plain dicts and lists."""
    return read(body, Ask)


def read_asks(body: bytes) -> list[AnyAsk]:
    """Of any games."""
    return [read_ask(ask) for ask in split_asks(body)]


def split_asks(body: bytes) -> list[Raw]:
    """Return the asks of a batch, each still encoded."""
    return msgspec.json.decode(body, type=_Several).asks


def read(body: bytes | Raw, message: Any) -> Any:
    """A message that says which game it is of."""
    return _decoder(msgspec.json.decode(body, type=_Tag).game, message).decode(body)


def typed(game: str, message: Any) -> Any:
    """A generic message with the types of that game, where they are known."""
    if game in GAMES:
        return GAMES[game].typed(message)
    return message[(Any,) * len(message.__parameters__)]


def shown(moves: Sequence[Any], most: int = 12) -> str:
    """For people: as JSON, and no endless list."""
    texts = [msgspec.json.encode(move).decode() for move in moves[:most]]
    return ", ".join(texts) + (f" and {len(moves) - most} more" if len(moves) > most else "")


@lru_cache(maxsize=64)  # who sends may make up games
def _decoder(game: str, message: Any) -> "msgspec.json.Decoder[Any]":
    return msgspec.json.Decoder(typed(game, message))
