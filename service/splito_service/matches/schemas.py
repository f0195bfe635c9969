"""What travels: the requests and answers of the service, for every game with its own types.

A game's types are made from the generic ones here, under names of their own: `SplitoMatch` is a `MatchOf` with
Splito's views and moves. They are the schema of the wire and of the OpenAPI document alike.
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
from splito_service.schemas import Id, Name, TurnNumber

Token: TypeAlias = Annotated[str, Meta(pattern=TOKEN_PATTERN, examples=["seat-0-1-example-example-example-example-"])]


class NewPerson(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="person"):
    """A person whose token you get: yourself, or somebody at the same screen."""

    name: Name


class NewBot(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="bot"):
    """A bot of the house, by its name; or a registered one, by its id, if it is ready and plays this game."""

    bot: Annotated[str, Meta(min_length=1, max_length=64)] = "planner"


class NewOpen(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="open"):
    """A seat for whoever joins. The match begins when the last one is taken."""


NewSeat: TypeAlias = NewPerson | NewBot | NewOpen


class NewMatchOf(msgspec.Struct, Generic[OptionsT], frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A match to be made. The cards are dealt at once, and the commitment to them is in the answer."""

    options: OptionsT
    """Those of the game. Without any, it is played as its rules have it."""
    clock: Clock = NoClock()
    """Without one, everybody thinks for as long as they like."""
    listed: bool = True
    """Whether everybody finds it in the list; otherwise only who has its address."""


class Joining(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody who takes an open seat."""

    name: Name
    seat: Annotated[int, Meta(ge=0, le=63)] | None = None
    """Any open seat if none is named."""


class DecisionOf(msgspec.Struct, Generic[MoveT], frozen=True, forbid_unknown_fields=True):
    """A move, and perhaps a word of table talk with it."""

    move: MoveT
    nudge: Annotated[str, Meta(min_length=1, max_length=64)] | None = None


class SeatInfo(msgspec.Struct, frozen=True):
    """Who sits there. A bot may have the name of a person whom it stands in for."""

    kind: Kind
    name: str | None
    bot: str | None


class MatchOf(msgspec.Struct, Generic[ViewT, MoveT], frozen=True, kw_only=True):
    """A match as everybody may see it or, with a token, as a seat may."""

    id: Id
    game: str
    version: str
    """Of the rules."""
    status: Status
    created: Moment
    listed: bool
    commitment: Hex64
    """SHA-256 over the seed and the salt of the deal; the record shows both after the end."""
    clock: Clock
    seats: list[SeatInfo]
    turn: Annotated[int, Meta(ge=NOT_BEGUN)]
    """The turn that goes on, from 0: as many have been revealed. -1 as long as seats are open."""
    acting: list[Seat]
    """Who must move in this turn."""
    sealed: list[Seat]
    """Who of them has; what, nobody is told before all have."""
    deadlines: list[Moment | None]
    """By seat: when the clock runs out and the default move, the first legal one, is sealed."""
    seat: Seat | None
    """Whose view this is; nobody's without a token."""
    view: ViewT | None
    """Nothing as long as seats are open."""
    legal_moves: list[MoveT]
    """Of the seat; the first is the default move."""
    nudges: list[str]
    """What the seat may say with its move."""
    scores: list[Points] | None
    """By seat, once the match is over."""


class MatchSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What a list shows of a match."""

    id: Id
    game: str
    status: Status
    created: Moment
    clock: Clock
    seats: list[SeatInfo]
    turn: Annotated[int, Meta(ge=NOT_BEGUN)]
    """The turn that goes on, from 0; -1 as long as seats are open."""
    scores: list[Points] | None
    """By seat, once the match is over."""


class MatchPage(msgspec.Struct, frozen=True):
    """Matches, the newest first."""

    matches: list[MatchSummary]
    next: Id | None
    """The `cursor` of the next page; nothing on the last one."""


class MatchCreatedOf(msgspec.Struct, Generic[ViewT, MoveT], frozen=True):
    """A new match, and the tokens of its persons."""

    tokens: list[Token | None]
    """By seat: the secret tokens of the persons. Each is shown only here."""
    match: MatchOf[ViewT, MoveT]


class JoinedOf(msgspec.Struct, Generic[ViewT, MoveT], frozen=True):
    """A seat that is yours now, and the match as it sees it."""

    seat: Seat
    token: Token
    """The secret token of the seat. It is shown only here."""
    match: MatchOf[ViewT, MoveT]


class Sealed(msgspec.Struct, frozen=True):
    """The move is kept, whatever happens."""

    match: Id
    turn: TurnNumber
    """The one that was sealed."""
    seat: Seat
    next: TurnNumber
    """The turn that goes on: a larger number if this one has been revealed."""
    over: bool


class TurnsOf(msgspec.Struct, Generic[MoveT], frozen=True):
    """All turns that were revealed, from the first."""

    turns: list[TurnOf[MoveT]]


class Seats(msgspec.Struct, frozen=True):
    """An event: somebody has sat down or left, or this is the first you hear of it."""

    status: Status
    seats: list[SeatInfo]


class Over(msgspec.Struct, frozen=True):
    """An event: the match is over."""

    scores: list[Points]
    """By seat: points first, then tie-breakers; larger is better."""


RECORD = "A match that is over: all that is needed to replay it, and to prove that nobody touched it."


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
    """The match as the seat, or everybody, may see it."""
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
