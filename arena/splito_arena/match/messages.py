"""Messages between the arena and a bot, the same for every transport: push, pull or in this process.

A game's types are made from the generic types here, under names of their own: `SplitoAsk` is an `AskOf` with the views
and moves of Splito. They are the schema of the wire and of both OpenAPI documents. An ask is complete: a bot can answer
it without having seen any earlier message of the match.
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
"""Version of the bot contract. A bot states in its info which version it speaks."""
MAX_BATCH = 64
MAX_CONCURRENCY = 256

Text: TypeAlias = Annotated[str, Meta(min_length=1, max_length=64)]
AskId: TypeAlias = Annotated[str, Meta(min_length=1, max_length=128, pattern="^[A-Za-z0-9_-]+$")]
Points: TypeAlias = list[int]
"""Score of a seat: the points first, then the tie-breakers; larger is better."""
Moment: TypeAlias = Annotated[datetime, Meta(tz=True)]

ViewT = TypeVar("ViewT")
MoveT = TypeVar("MoveT")
OptionsT = TypeVar("OptionsT")


class BotInfo(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The description of a bot that the bot itself sends."""

    name: Text
    """Name of the bot, which records and tables show."""
    author: Text
    """Name of the author, or of the group of authors."""
    version: Text
    """Version of the bot. A new version is rated as another bot, and must pass the checks again."""
    games: Annotated[list[Text], Meta(min_length=1, max_length=64)]
    """Ids of the games that the bot plays."""
    batch: Annotated[int, Meta(ge=0, le=MAX_BATCH)] = 0
    """Number of asks that the bot takes in one request; 0 if it has no `/batch`."""
    concurrency: Annotated[int, Meta(ge=1, le=MAX_CONCURRENCY)] = 1
    """Number of requests that the bot takes at the same time; the arena never sends more."""
    notices: bool = False
    """True if the bot wants a notice when a match begins and ends. A notice does not count towards `concurrency`."""
    ed25519: bool = False
    """True if requests to the bot must also carry an Ed25519 signature by the arena's key."""
    contract: Literal[1] = CONTRACT
    """Version of this contract that the bot implements."""

    def __post_init__(self) -> None:
        """Raise ValueError if the name is not printable, because names appear in records and on screens."""
        if not self.name.isprintable():
            raise ValueError("the name of a bot must be printable")


class RevealedOf(msgspec.Struct, Generic[MoveT], frozen=True, omit_defaults=True):
    """The move of one seat in a revealed turn, and the nudge that the seat sent with it."""

    seat: Seat
    """The seat that moved."""
    move: MoveT
    """The move of the seat."""
    nudge: str | None = None
    """Nudge that the seat sent with the move; left out if there is none."""


class TurnOf(msgspec.Struct, Generic[MoveT], frozen=True):
    """A revealed turn of a match."""

    turn: Annotated[int, Meta(ge=0)]
    """Number of the turn, from 0."""
    moves: list[RevealedOf[MoveT]]
    """Moves of the seats that had to act, in the order of the seats."""


class AskOf(msgspec.Struct, Generic[ViewT, MoveT], frozen=True, kw_only=True):
    """A request to a bot to decide for one seat in one turn; `game` names the game. The same `id` may come twice."""

    id: AskId
    """Id of the ask: one for each seat and turn, and the same if the ask is sent again."""
    version: str
    """Version of the rules."""
    match: str
    """Id of the match."""
    turn: Annotated[int, Meta(ge=0)]
    """Number of the turn, from 0; it equals the number of turns revealed so far."""
    seat: Seat
    """The seat for which the bot decides, from 0."""
    players: int
    """Number of seats in the match."""
    time: Time
    """The time that the bot has for its answer."""
    deadline: Moment
    """Moment at which the time is over, by the arena's clock; `time.allowed_ms` gives the same limit without a clock.
    """
    last: Cost | None
    """Time that the seat's previous turn cost; null in its first turn."""
    rejected: Rejection | None
    """Reason why the arena rejected the bot's answer and sends this ask again; null if the ask is sent for the first
    time.
    """
    seed: str
    """Seed for the bot's own dice: the same whenever this ask is sent, and unrelated to the seed of the deal."""
    nudges: list[str]
    """Nudges that the bot may send with its move; empty if table talk is off."""
    moves: list[MoveT]
    """Legal moves. The first is the default move, which the arena plays if no valid answer comes in time."""
    view: ViewT
    """The whole position as far as the seat may know it."""
    history: list[TurnOf[MoveT]]
    """All revealed turns of the match, from the first."""


class AnswerOf(msgspec.Struct, Generic[MoveT], frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A bot's decision: either `move`, or its `index` among the `moves` of the ask."""

    ask: AskId | UnsetType = UNSET
    """The `id` of the ask. It may be left out, except in a batch."""
    move: MoveT | UnsetType = UNSET
    """The chosen move, as it stands in `moves` of the ask. Give either `move` or `index`."""
    index: Annotated[int, Meta(ge=0)] | UnsetType = UNSET
    """Index of the chosen move in `moves` of the ask, from 0. Index 0 is always legal."""
    nudge: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
    """One of the `nudges` of the ask, which all seats see with the move; null for none."""
    debug: Annotated[str, Meta(max_length=MAX_DEBUG)] | None = None
    """A note to the bot's owner, shown in the owner's log only. The arena keeps at most 1,024 bytes."""


class AsksOf(msgspec.Struct, Generic[ViewT, MoveT], frozen=True):
    """A batch of asks from any matches of one game; each ask has its own time."""

    asks: Annotated[list[AskOf[ViewT, MoveT]], Meta(min_length=1, max_length=MAX_BATCH)]
    """The asks. At most as many as `batch` in the bot's info."""


class AnswersOf(msgspec.Struct, Generic[MoveT], frozen=True, forbid_unknown_fields=True):
    """The answers to a batch, one per ask, in any order. An ask without an answer gets the default move."""

    answers: Annotated[list[AnswerOf[MoveT]], Meta(max_length=MAX_BATCH)]
    """The answers. Each names its ask in `ask`."""


class StartedOf(msgspec.Struct, Generic[OptionsT], frozen=True, kw_only=True):
    """A notice that a match begins in which the bot has this seat. The bot need not act on it."""

    game: str
    """Id of the game."""
    version: str
    """Version of the rules."""
    match: str
    """Id of the match."""
    seat: Seat
    """The seat of the bot, from 0."""
    players: int
    """Number of seats in the match."""
    options: OptionsT
    """Options of the match."""
    turn_ms: int
    """Milliseconds for each turn, free of charge."""
    bank_ms: int
    """Milliseconds for the whole match, which pay for longer turns."""


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """A notice that a match is over. It does not contain the deal, because other matches may still use it."""

    game: str
    """Id of the game."""
    match: str
    """Id of the match."""
    seat: Seat
    """The seat of the bot."""
    scores: list[Points]
    """Scores of all seats, in the order of the seats: the points first, then the tie-breakers; larger is better."""
    places: list[float]
    """Places of all seats, from 1; tied seats share the mean of their places. A replaced bot has the last place."""
    faults: list[FaultNote]
    """Faults of this seat."""
    replaced: bool
    """True if a house bot played on for this seat, after too many faults."""


class Noted(msgspec.Struct, frozen=True):
    """The response of a bot to a notice. The arena ignores its content."""


class Challenge(msgspec.Struct, frozen=True):
    """A challenge that the arena sends to a registered address, to check that the bot there knows its secret."""

    challenge: Text
    """A random text that the bot signs."""


class ChallengeMet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The proof of a bot that it knows its secret."""

    answer: Annotated[str, Meta(min_length=1, max_length=128)]
    """`HMAC-SHA256(key, "splito-challenge." + challenge)` in base64; the key is the one that signatures are made with.
    """


class Messages(msgspec.Struct, frozen=True):
    """The message types of one game."""

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
    """Return a generic message as a type of this game: `Ask` becomes `SplitoAsk`.

    `types` replaces the types of some fields, `fields` gives defaults, `options` are options of the Struct.
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
    """Return a revealed turn in its wire form."""
    revealed = revealed_type(game)
    moves = [revealed(seat=seat, move=move, nudge=turn.talk.get(seat)) for seat, move in turn.moves.items()]
    return turn_type(game)(turn=number, moves=moves)
