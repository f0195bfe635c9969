"""Messages between the arena and a bot.

Generated from the documents in openapi/ by `make contract`; do not edit.
"""

from datetime import datetime
from typing import Annotated, Generic, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from splito_bot.schemas.matches import Turn
from splito_bot.schemas.parameters import MoveT, SettledT, ViewT


class BotInfo(Struct, frozen=True, kw_only=True):
    """The description of a bot that the bot itself sends."""

    name: Annotated[str, Meta(max_length=64, min_length=1)]
    """Name of the bot, which records and tables show."""
    author: Annotated[str, Meta(max_length=64, min_length=1)]
    """Name of the author, or of the group of authors."""
    version: Annotated[str, Meta(max_length=64, min_length=1)]
    """Version of the bot. A new version is rated as another bot, and must pass the checks again."""
    games: Annotated[list[Annotated[str, Meta(max_length=64, min_length=1)]], Meta(max_length=64, min_length=1)]
    """Ids of the games that the bot plays."""
    batch: Annotated[int, Meta(ge=0, le=64)] = 0
    """Number of asks that the bot takes in one request; 0 if it has no `/batch`."""
    concurrency: Annotated[int, Meta(ge=1, le=256)] = 1
    """Number of requests that the bot takes at the same time; the arena never sends more."""
    notices: bool = False
    """True if the bot wants a notice when a match begins and ends. A notice does not count towards `concurrency`."""
    ed25519: bool = False
    """True if requests to the bot must also carry an Ed25519 signature by the arena's key."""
    contract: Literal[1] = 1
    """Version of this contract that the bot implements."""


class Time(Struct, frozen=True):
    """The clock of a bot. Thinking time beyond `turn_ms` is charged to the bank."""

    allowed_ms: int
    """Milliseconds from the moment the ask is sent: `turn_ms` and the rest of the bank."""
    turn_ms: int
    """Milliseconds of each turn that are free of charge."""
    bank_ms: int
    """Milliseconds left in the bank for the rest of the match."""


class Cost(Struct, frozen=True):
    """The time that the seat's last turn cost, as the arena measured it."""

    elapsed_ms: float
    """Milliseconds from the first byte of the ask to the last byte of the answer."""
    charged_ms: int
    """Milliseconds taken from the bank."""
    outcome: str
    """`ok`, or the kind of fault for which the default move was played."""


class Rejection(Struct, frozen=True):
    """The reason why the bot's previous answer to this turn was refused. The clock keeps running meanwhile."""

    code: str
    """Code of the fault, as in the table of faults."""
    detail: str
    """Description of the mistake in the answer, for people."""


class Ask(Struct, Generic[ViewT, MoveT], frozen=True, kw_only=True):
    """A request to a bot to decide for one seat in one turn; `game` names the game. The same `id` may come twice."""

    id: str
    """Id of the ask: one for each seat and turn, and the same if the ask is sent again."""
    version: str
    """Version of the rules."""
    match: str
    """Id of the match."""
    turn: int
    """Number of the turn, from 0; it equals the number of turns revealed so far."""
    seat: int
    """The seat for which the bot decides, from 0."""
    players: int
    """Number of seats in the match."""
    time: Time
    """The time that the bot has for its answer."""
    deadline: datetime
    """Moment at which the time is over, by the arena's clock; `time.allowed_ms` gives the same limit without a clock.
    """
    last: Cost | None
    """Time that the seat's previous turn cost; None in its first turn."""
    rejected: Rejection | None
    """Reason why the arena rejected the bot's answer and sends this ask again; None if the ask is sent for the first
    time.
    """
    seed: str
    """Seed for the bot's own dice: the same whenever this ask is sent, and unrelated to the seed of the deal."""
    nudges: list[str]
    """Nudges that the bot may send with its move; empty if table talk is off."""
    game: str
    """Id of the game."""
    moves: list[MoveT]
    """Legal moves. The first is the default move, which the arena plays if no valid answer comes in time."""
    view: ViewT
    """The whole position as far as the seat may know it."""
    history: list[Turn[MoveT]]
    """All revealed turns of the match, from the first."""


class Answer(Struct, Generic[MoveT], frozen=True, kw_only=True):
    """A bot's decision: either `move`, or its `index` among the `moves` of the ask."""

    ask: str | UnsetType = UNSET
    """The `id` of the ask. It may be left out, except in a batch."""
    move: MoveT | UnsetType = UNSET
    """The chosen move, as it stands in `moves` of the ask. Give either `move` or `index`."""
    index: int | UnsetType = UNSET
    """Index of the chosen move in `moves` of the ask, from 0. Index 0 is always legal."""
    nudge: str | None = None
    """One of the `nudges` of the ask, which all seats see with the move; None for none."""
    debug: str | None = None
    """A note to the bot's owner, shown in the owner's log only. The arena keeps at most 1,024 bytes."""


class Asks(Struct, Generic[ViewT, MoveT], frozen=True):
    """A batch of asks from any matches of one game; each ask has its own time."""

    asks: list[Ask[ViewT, MoveT]]
    """The asks. At most as many as `batch` in the bot's info."""


class Answers(Struct, Generic[MoveT], frozen=True):
    """The answers to a batch, one per ask, in any order. An ask without an answer gets the default move."""

    answers: list[Answer[MoveT]]
    """The answers. Each names its ask in `ask`."""


class Started(Struct, Generic[SettledT], frozen=True, kw_only=True):
    """A notice that a match begins in which the bot has this seat. The bot need not act on it."""

    version: str
    """Version of the rules."""
    match: str
    """Id of the match."""
    seat: int
    """The seat of the bot, from 0."""
    players: int
    """Number of seats in the match."""
    turn_ms: int
    """Milliseconds for each turn, free of charge."""
    bank_ms: int
    """Milliseconds for the whole match, which pay for longer turns."""
    game: str
    """Id of the game."""
    options: SettledT
    """Options of the match."""


class FaultNote(Struct, frozen=True):
    """The fault for which the default move was played."""

    turn: int
    """Number of the turn, from 0."""
    code: str
    """Code of the fault, as in the table of faults."""
    detail: str
    """Description of the fault, for people."""


class Ended(Struct, frozen=True, kw_only=True):
    """A notice that a match is over. It does not contain the deal, because other matches may still use it."""

    game: str
    """Id of the game."""
    match: str
    """Id of the match."""
    seat: int
    """The seat of the bot."""
    scores: list[list[int]]
    """Scores of all seats, in the order of the seats: the points first, then the tie-breakers; larger is better."""
    places: list[float]
    """Places of all seats, from 1; tied seats share the mean of their places. A replaced bot has the last place."""
    faults: list[FaultNote]
    """Faults of this seat."""
    replaced: bool
    """True if a house bot played on for this seat, after too many faults."""


class Noted(Struct, frozen=True):
    """The response of a bot to a notice. The arena ignores its content."""


class Challenge(Struct, frozen=True):
    """A challenge that the arena sends to a registered address, to check that the bot there knows its secret."""

    challenge: str
    """A random text that the bot signs."""


class ChallengeMet(Struct, frozen=True):
    """The proof of a bot that it knows its secret."""

    answer: str
    """`HMAC-SHA256(key, "splito-challenge." + challenge)` in base64; the key is the one that signatures are made with.
    """


class AnswerProblem(Struct, Generic[MoveT], frozen=True, kw_only=True):
    """The problem of a refused answer, with the legal moves and the time in which it may be corrected."""

    type: str
    title: str
    status: int
    detail: str
    """Explanation of the refusal, for a person."""
    code: str
    """Stable code of the refusal, for programs."""
    seat: int | None = None
    card: str | None = None
    field: str | None = None
    milliseconds_left: int | UnsetType = UNSET
    legal_moves: list[MoveT] | UnsetType = UNSET
