"""Request and response schemas of matches, with types of their own for every game.

The types of a game are made from the generic types here, under names of their own: `SplitoMatch` is a `MatchOf` with
Splito's views and moves. They define the JSON of the service and the OpenAPI document alike.
"""

from datetime import datetime
from functools import cache
from typing import Annotated, Any, Generic, TypeAlias

import msgspec
from msgspec import Meta

from splito_arena.match.messages import (
    Moment,
    MoveT,
    OptionsT,
    Points,
    TurnOf,
    ViewT,
    messages_of,
    named,
    revealed_type,
    turn_type,
)
from splito_engine.game import AnyGame, Seat
from splito_engine.match import legal_moves
from splito_engine.record import Hex64, Record
from splito_service.ids import created, moment
from splito_service.matches.list_store import Listed
from splito_service.matches.model import (
    NOT_BEGUN,
    TOKEN_PATTERN,
    Clock,
    Kind,
    NoClock,
    Sitter,
    Status,
    StoredMatch,
)
from splito_service.problems import AnswerProblemOf, MoveProblemOf
from splito_service.schemas import BotWord, Id, Name, TurnNumber

Token: TypeAlias = Annotated[str, Meta(pattern=TOKEN_PATTERN, examples=["seat-0-1-example-example-example-example-"])]


class NewPerson(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="person"):
    """A seat for a person whose token you get: yourself, or a person at the same screen."""

    name: Name


class NewBot(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="bot"):
    """A seat for a bot: a house bot by its name, or a registered bot by its id if it is ready and plays this game."""

    bot: Annotated[str, Meta(min_length=1, max_length=64)] = "planner"


class NewOpen(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="open"):
    """A seat for any person who joins. The match begins when the last open seat is taken."""


NewSeat: TypeAlias = NewPerson | NewBot | NewOpen


class NewMatchOf(msgspec.Struct, Generic[OptionsT], frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Request to create a match. The cards are dealt at once, and the answer contains the commitment to them."""

    options: OptionsT
    """Options of the game. Without options the match is played by the standard rules."""
    clock: Clock = NoClock()
    """Clock of the persons. Without a clock a person may think without limit."""
    listed: bool = True
    """True to show the match in the public list. Otherwise only clients that know its address find it."""


class Joining(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Request of a person to take an open seat."""

    name: Name
    seat: Annotated[int, Meta(ge=0, le=63)] | None = None
    """Number of the seat; any open seat if null."""


class BotJoining(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Request to seat a bot at an open seat."""

    bot: BotWord
    """Name of a house bot, or id of a registered bot that is open to you."""
    seat: Annotated[int, Meta(ge=0, le=63)] | None = None
    """Number of the seat; any open seat if null."""


class BotSeated(msgspec.Struct, frozen=True):
    """The seat that the bot has taken."""

    seat: Seat


class DecisionOf(msgspec.Struct, Generic[MoveT], frozen=True, forbid_unknown_fields=True):
    """A move, optionally with a message of table talk."""

    move: MoveT
    nudge: Annotated[str, Meta(min_length=1, max_length=64)] | None = None


class SeatInfo(msgspec.Struct, frozen=True):
    """The player at a seat. A bot may have the name of a person whom it stands in for."""

    kind: Kind
    name: str | None
    bot: str | None


class MatchOf(msgspec.Struct, Generic[ViewT, MoveT], frozen=True, kw_only=True):
    """A match as the public sees it or, with a seat token, as that seat sees it."""

    id: Id
    game: str
    version: str
    """Version of the rules."""
    status: Status
    created: Moment
    listed: bool
    commitment: Hex64
    """SHA-256 over the seed and the salt of the deal; the record shows both after the end."""
    clock: Clock
    seats: list[SeatInfo]
    turn: Annotated[int, Meta(ge=NOT_BEGUN)]
    """Number of the current turn, from 0; it equals the number of revealed turns. -1 while seats are open."""
    acting: list[Seat]
    """Seats that must move in this turn."""
    sealed: list[Seat]
    """Seats that have sealed a move in this turn. The moves are hidden until all acting seats have sealed one."""
    deadlines: list[Moment | None]
    """Deadlines by seat: the time at which the arena seals the default move, the first legal one; null without a
    deadline.
    """
    seat: Seat | None
    """The seat whose view this is; null without a token."""
    view: ViewT | None
    """The view of the seat or of the public; null while seats are open."""
    legal_moves: list[MoveT]
    """Legal moves of the seat; the first is the default move."""
    nudges: list[str]
    """Messages that the seat may send with its move."""
    scores: list[Points] | None
    """Scores by seat; null until the match is over."""


class MatchSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A match as the list shows it."""

    id: Id
    game: str
    status: Status
    created: Moment
    clock: Clock
    seats: list[SeatInfo]
    turn: Annotated[int, Meta(ge=NOT_BEGUN)]
    """Number of the current turn, from 0; -1 while seats are open."""
    scores: list[Points] | None
    """Scores by seat; null until the match is over."""


class MatchPage(msgspec.Struct, frozen=True):
    """A page of matches, newest first."""

    matches: list[MatchSummary]
    next: Id | None
    """The `cursor` of the next page; null on the last page."""


class MatchCreatedOf(msgspec.Struct, Generic[ViewT, MoveT], frozen=True):
    """A new match and the tokens of its persons."""

    tokens: list[Token | None]
    """Secret tokens of the persons, by seat; null for other seats. They are shown only here."""
    match: MatchOf[ViewT, MoveT]


class JoinedOf(msgspec.Struct, Generic[ViewT, MoveT], frozen=True):
    """The seat that you have taken, and the match as that seat sees it."""

    seat: Seat
    token: Token
    """Secret token of the seat. It is shown only here."""
    match: MatchOf[ViewT, MoveT]


class Sealed(msgspec.Struct, frozen=True):
    """Confirmation that a move is sealed. It is stored durably."""

    match: Id
    turn: TurnNumber
    """Number of the turn that the move was sealed for."""
    seat: Seat
    next: TurnNumber
    """Number of the current turn; it is larger if the sealed turn has been revealed."""
    over: bool


class TurnsOf(msgspec.Struct, Generic[MoveT], frozen=True):
    """All revealed turns, from the first."""

    turns: list[TurnOf[MoveT]]


class Seats(msgspec.Struct, frozen=True):
    """Event: a person has sat down or left. It is also the first event of every stream."""

    status: Status
    seats: list[SeatInfo]


class Over(msgspec.Struct, frozen=True):
    """Event: the match is over."""

    scores: list[Points]
    """Scores by seat: points first, then tie-breakers; larger is better."""


RECORD = "The record of a finished match: everything needed to replay it and to prove that it was not altered."


class GameSchemas(msgspec.Struct, frozen=True):
    """The types of one game."""

    game: AnyGame
    NewMatch: Any
    Match: Any
    MatchCreated: Any
    Joined: Any
    Decision: Any
    Revealed: Any
    Turn: Any
    Turns: Any
    Record: Any
    MoveProblem: Any
    Answer: Any
    AnswerProblem: Any


@cache
def game_schemas(game: AnyGame) -> GameSchemas:
    info = game.INFO
    match = named(game, "Match", MatchOf[game.View, game.Move])
    seats = Annotated[list[NewSeat], Meta(min_length=info.min_players, max_length=info.max_players)]
    wanted, options = {"seats": seats, "options": game.OpenOptions}, {"options": game.OpenOptions()}
    return GameSchemas(
        game=game,
        NewMatch=named(game, "NewMatch", NewMatchOf[game.OpenOptions], wanted, fields=options),
        Match=match,
        MatchCreated=named(game, "MatchCreated", MatchCreatedOf[game.View, game.Move], {"match": match}),
        Joined=named(game, "Joined", JoinedOf[game.View, game.Move], {"match": match}),
        Decision=named(game, "Decision", DecisionOf[game.Move]),
        Revealed=revealed_type(game),
        Turn=turn_type(game),
        Turns=named(game, "Turns", TurnsOf[game.Move], {"turns": list[turn_type(game)]}),
        Record=named(game, "Record", Record, {"options": game.Options}, fields={"__doc__": RECORD}),
        MoveProblem=named(game, "MoveProblem", MoveProblemOf[game.Move]),
        Answer=messages_of(game).Answer,
        AnswerProblem=named(game, "AnswerProblem", AnswerProblemOf[game.Move]),
    )


def match_of(wire: GameSchemas, kept: StoredMatch, seat: Seat | None) -> Any:
    """Return the match as the seat sees it, or as the public sees it if `seat` is None."""
    match, deal = kept.match, kept.deal
    return wire.Match(
        id=kept.id,
        game=deal.game,
        version=deal.version,
        status=kept.status,
        created=created(kept.id),
        listed=deal.listed,
        commitment=deal.commitment,
        clock=deal.clock,
        seats=[seat_info(sitter) for sitter in kept.sitters],
        turn=kept.turn,
        acting=list(match.actors) if kept.begun else [],
        sealed=sorted(kept.sealed),
        deadlines=_deadlines(kept),
        seat=seat,
        view=match.game.view(match.state, seat) if kept.begun else None,
        legal_moves=legal_moves(match, seat) if seat in kept.awaited else [],
        nudges=list(match.game.nudges(match.state, seat)) if seat in kept.awaited else [],
        scores=[list(points) for points in match.scores] if kept.over else None,
    )


def _deadlines(kept: StoredMatch) -> list[datetime | None]:
    if isinstance(kept.deal.clock, NoClock):
        return [None] * kept.deal.players
    return [None if (at := kept.deadline(seat)) is None else moment(at) for seat in range(kept.deal.players)]


def summary_of(listed: Listed) -> MatchSummary:
    return MatchSummary(
        id=listed.id,
        game=listed.game,
        status=listed.status,
        created=created(listed.id),
        clock=listed.clock,
        seats=[seat_info(sitter) for sitter in listed.sitters],
        turn=listed.turn,
        scores=None if listed.scores is None else [list(points) for points in listed.scores],
    )


def seat_info(sitter: Sitter) -> SeatInfo:
    return SeatInfo(sitter.kind, sitter.name or None, sitter.bot or None)
