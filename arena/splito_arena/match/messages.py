"""What the arena and a bot say to each other, the same words however they travel: push, pull or in this process.

A game's types are made from the generic ones here, under names of their own: `SplitoAsk` is an `AskOf` with Splito's
views and moves. They are the schema of the wire and of both OpenAPI documents. An ask needs no memory: whoever gets it
can answer it, be it the first that it hears of the match.
"""

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from types import new_class
from typing import Annotated, Any, Generic, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from splito_arena.faults import FaultNote
from splito_engine.game import AnyGame, Seat
from splito_engine.match import Turn
from splito_engine.player import MAX_DEBUG, Cost, Rejection, Time

CONTRACT = 1
"""The version of this page. A bot says in its info which one it speaks."""
MAX_BATCH = 64
MAX_CONCURRENCY = 256

Text: TypeAlias = Annotated[str, Meta(min_length=1, max_length=64)]
AskId: TypeAlias = Annotated[str, Meta(min_length=1, max_length=128, pattern="^[A-Za-z0-9_-]+$")]
Points: TypeAlias = list[int]
"""Points first, then tie-breakers; larger is better."""
Moment: TypeAlias = Annotated[datetime, Meta(tz=True)]

ViewT = TypeVar("ViewT")
MoveT = TypeVar("MoveT")
OptionsT = TypeVar("OptionsT")


class BotInfo(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a bot tells of itself."""

    name: Text
    author: Text
    version: Text
    """Another one is another bot to the ratings, and must pass the checks anew."""
    games: Annotated[list[Text], Meta(min_length=1, max_length=64)]
    """The ids of those it plays."""
    batch: Annotated[int, Meta(ge=0, le=MAX_BATCH)] = 0
    """How many asks it takes in one request; 0 if it has no `/batch`."""
    concurrency: Annotated[int, Meta(ge=1, le=MAX_CONCURRENCY)] = 1
    """How many requests it wants at the same time, and no more."""
    notices: bool = False
    """Whether it wants to be told when a match begins and ends. Such a request is not counted in `concurrency`."""
    ed25519: bool = False
    """Whether requests to it are to carry an Ed25519 signature by the arena's key too."""
    contract: Literal[1] = CONTRACT

    def __post_init__(self) -> None:
        """It stands in records, and on screens."""
        if not self.name.isprintable():
            raise ValueError("the name of a bot must be printable")


class RevealedOf(msgspec.Struct, Generic[MoveT], frozen=True, omit_defaults=True):
    """What one seat did in a turn, and what it said."""

    seat: Seat
    move: MoveT
    nudge: str | None = None
    """Left out if nothing was said."""


class TurnOf(msgspec.Struct, Generic[MoveT], frozen=True):
    """A turn that was revealed."""

    turn: Annotated[int, Meta(ge=0)]
    moves: list[RevealedOf[MoveT]]
    """Of those who had to act, in the order of their seats."""


class AskOf(msgspec.Struct, Generic[ViewT, MoveT], frozen=True, kw_only=True):
    """A turn in which the bot has to decide for a seat; `game` says of which game. The same `id` may come twice."""

    id: AskId
    version: str
    """Of the rules."""
    match: str
    turn: Annotated[int, Meta(ge=0)]
    """From 0: as many have been revealed."""
    seat: Seat
    players: int
    time: Time
    deadline: Moment
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
    history: list[TurnOf[MoveT]]
    """Every turn that was revealed, from the first."""


class AnswerOf(msgspec.Struct, Generic[MoveT], frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A decision: either `move`, or its `index` among the `moves` of the ask."""

    ask: AskId | UnsetType = UNSET
    """The `id` of the ask. It may be left out, but not in a batch."""
    move: MoveT | UnsetType = UNSET
    index: Annotated[int, Meta(ge=0)] | UnsetType = UNSET
    nudge: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
    debug: Annotated[str, Meta(max_length=MAX_DEBUG)] | None = None
    """A note for the bot's owner, who finds it in the log; nobody else sees it. At most 1,024 bytes are kept."""


class AsksOf(msgspec.Struct, Generic[ViewT, MoveT], frozen=True):
    """Several asks at once, of any matches of one game; each of them has its own time."""

    asks: Annotated[list[AskOf[ViewT, MoveT]], Meta(min_length=1, max_length=MAX_BATCH)]


class AnswersOf(msgspec.Struct, Generic[MoveT], frozen=True, forbid_unknown_fields=True):
    """One answer for each ask, in any order. An ask without one gets the default move."""

    answers: Annotated[list[AnswerOf[MoveT]], Meta(max_length=MAX_BATCH)]


class StartedOf(msgspec.Struct, Generic[OptionsT], frozen=True, kw_only=True):
    """A match begins in which the bot has this seat. Nothing has to be done about it."""

    game: str
    version: str
    match: str
    seat: Seat
    players: int
    options: OptionsT
    turn_ms: int
    bank_ms: int


class Ended(msgspec.Struct, frozen=True, kw_only=True):
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


class Noted(msgspec.Struct, frozen=True):
    """Whatever the bot answers to a notice: it is not looked at."""


class Challenge(msgspec.Struct, frozen=True):
    """Sent to an address that somebody has registered, to learn whether it is theirs."""

    challenge: Text


class ChallengeMet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The proof that the secret of the bot is known there."""

    answer: Annotated[str, Meta(min_length=1, max_length=128)]
    """`HMAC-SHA256(key, "splito-challenge." + challenge)` in base64; the key is what signatures are made with."""


class Messages(msgspec.Struct, frozen=True):
    """The types of one game."""

    game: AnyGame
    Ask: Any
    Answer: Any
    Asks: Any
    Answers: Any
    Started: Any
    Turn: Any
    Revealed: Any


@cache
def messages_of(game: AnyGame) -> Messages:
    history, tag = {"history": list[turn_type(game)]}, {"tag_field": "game", "tag": game.INFO.id}
    ask = named(game, "Ask", AskOf[game.View, game.Move], history, options=tag)
    answer = named(game, "Answer", AnswerOf[game.Move])
    asks = Annotated[list[ask], Meta(min_length=1, max_length=MAX_BATCH)]
    answers = Annotated[list[answer], Meta(max_length=MAX_BATCH)]
    of_game = Annotated[str, Meta(extra_json_schema={"const": game.INFO.id})]
    return Messages(
        game=game,
        Ask=ask,
        Answer=answer,
        Asks=named(game, "Asks", AsksOf[game.View, game.Move], {"asks": asks}),
        Answers=named(game, "Answers", AnswersOf[game.Move], {"answers": answers}),
        Started=named(game, "Started", StartedOf[game.Options], {"game": of_game}),
        Turn=turn_type(game),
        Revealed=revealed_type(game),
    )


@cache
def revealed_type(game: AnyGame) -> Any:
    return named(game, "Revealed", RevealedOf[game.Move])


@cache
def turn_type(game: AnyGame) -> Any:
    return named(game, "Turn", TurnOf[game.Move], {"moves": list[revealed_type(game)]})


def named(  # noqa: PLR0913 (what a class is made of)
    game: AnyGame,
    name: str,
    base: Any,
    types: Mapping[str, Any] | None = None,
    *,
    fields: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
) -> Any:
    """A generic message as a type of this game: `Ask` becomes `SplitoAsk`. `types` replaces those of some fields,
    `fields` gives defaults, `options` are those of the Struct.
    """
    namespace = {
        "__doc__": base.__doc__ or getattr(base, "__origin__", base).__doc__,
        "__module__": __name__,
        "__annotations__": dict(types or {}),
        **(fields or {}),
    }
    chosen = {"frozen": True, "kw_only": True, "gc": False, **(options or {})}
    return new_class(game.INFO.id.capitalize() + name, (base,), chosen, lambda body: body.update(namespace))


def turn_of(game: AnyGame, number: int, turn: Turn) -> Any:
    """A turn that was revealed, as it is on the wire."""
    revealed = revealed_type(game)
    moves = [revealed(seat=seat, move=move, nudge=turn.talk.get(seat)) for seat, move in turn.moves.items()]
    return turn_type(game)(turn=number, moves=moves)
