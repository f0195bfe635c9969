"""Matches with people: requests, answers and events.

Generated from the documents in openapi/ by `make contract`; do not edit.
"""

from datetime import datetime
from typing import Generic, Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from splito_bot.schemas.parameters import MoveT, OptionsT, ViewT

Status: TypeAlias = Literal["open", "over", "running"]

Kind: TypeAlias = Literal["bot", "open", "person"]


class NoClock(Struct, frozen=True, tag_field="kind", tag="off"):
    """No clock: a person may think without limit."""


class TurnClock(Struct, frozen=True, tag_field="kind", tag="turn"):
    """A clock with a number of seconds for each turn."""

    seconds: int


class BankClock(Struct, frozen=True, tag_field="kind", tag="bank"):
    """A clock with a number of seconds per seat for the whole match."""

    seconds: int


Clock: TypeAlias = NoClock | TurnClock | BankClock


class NewPerson(Struct, frozen=True, tag_field="kind", tag="person"):
    """A seat for a person whose token you get: yourself, or a person at the same screen."""

    name: str


class NewBot(Struct, frozen=True, tag_field="kind", tag="bot"):
    """A seat for a bot: a house bot by its name, or a registered bot by its id if it is ready and plays this game."""

    bot: str = "planner"


class NewOpen(Struct, frozen=True, tag_field="kind", tag="open"):
    """A seat for any person who joins. The match begins when the last open seat is taken."""


NewSeat: TypeAlias = NewPerson | NewBot | NewOpen


class NewMatch(Struct, Generic[OptionsT], frozen=True, kw_only=True):
    """Request to create a match. The cards are dealt at once, and the answer contains the commitment to them."""

    options: OptionsT | UnsetType = UNSET
    """Options of the game. Without options the match is played by the standard rules."""
    clock: Clock | UnsetType = UNSET
    """Clock of the persons. Without a clock a person may think without limit."""
    listed: bool = True
    """True to show the match in the public list. Otherwise only clients that know its address find it."""
    seats: list[NewSeat]


class Joining(Struct, frozen=True):
    """Request of a person to take an open seat."""

    name: str
    seat: int | None = None
    """Number of the seat; any open seat if None."""


class BotJoining(Struct, frozen=True):
    """Request to seat a bot at an open seat."""

    bot: str
    """Name of a house bot, or id of a registered bot that is open to you."""
    seat: int | None = None
    """Number of the seat; any open seat if None."""


class BotSeated(Struct, frozen=True):
    """The seat that the bot has taken."""

    seat: int


class Decision(Struct, Generic[MoveT], frozen=True):
    """A move, optionally with a message of table talk."""

    move: MoveT
    nudge: str | None = None


class SeatInfo(Struct, frozen=True):
    """The player at a seat. A bot may have the name of a person whom it stands in for."""

    kind: Kind
    name: str | None
    bot: str | None


class Match(Struct, Generic[ViewT, MoveT], frozen=True, kw_only=True):
    """A match as the public sees it or, with a seat token, as that seat sees it."""

    id: str
    version: str
    """Version of the rules."""
    status: Status
    created: datetime
    listed: bool
    commitment: str
    """SHA-256 over the seed and the salt of the deal; the record shows both after the end."""
    clock: Clock
    """The clock of the persons in a match; `kind` says how time is counted."""
    seats: list[SeatInfo]
    turn: int
    """Number of the current turn, from 0; it equals the number of revealed turns. -1 while seats are open."""
    acting: list[int]
    """Seats that must move in this turn."""
    sealed: list[int]
    """Seats that have sealed a move in this turn. The moves are hidden until all acting seats have sealed one."""
    deadlines: list[datetime | None]
    """Deadlines by seat: the time at which the arena seals the default move, the first legal one; None without a
    deadline.
    """
    seat: int | None
    """The seat whose view this is; None without a token."""
    nudges: list[str]
    """Messages that the seat may send with its move."""
    scores: list[list[int]] | None
    """Scores by seat; None until the match is over."""
    game: str
    view: ViewT | None
    """The view of the seat or of the public; None while seats are open."""
    legal_moves: list[MoveT]
    """Legal moves of the seat; the first is the default move."""


class MatchSummary(Struct, frozen=True, kw_only=True):
    """A match as the list shows it."""

    id: str
    game: str
    status: Status
    created: datetime
    clock: Clock
    """The clock of the persons in a match; `kind` says how time is counted."""
    seats: list[SeatInfo]
    turn: int
    """Number of the current turn, from 0; -1 while seats are open."""
    scores: list[list[int]] | None
    """Scores by seat; None until the match is over."""


class MatchPage(Struct, frozen=True):
    """A page of matches, newest first."""

    matches: list[MatchSummary]
    next: str | None
    """The `cursor` of the next page; None on the last page."""


class MatchCreated(Struct, Generic[ViewT, MoveT], frozen=True):
    """A new match and the tokens of its persons."""

    tokens: list[str | None]
    """Secret tokens of the persons, by seat; None for other seats. They are shown only here."""
    match: Match[ViewT, MoveT]


class Joined(Struct, Generic[ViewT, MoveT], frozen=True):
    """The seat that you have taken, and the match as that seat sees it."""

    seat: int
    token: str
    """Secret token of the seat. It is shown only here."""
    match: Match[ViewT, MoveT]


class Sealed(Struct, frozen=True, kw_only=True):
    """Confirmation that a move is sealed. It is stored durably."""

    match: str
    turn: int
    """Number of the turn that the move was sealed for."""
    seat: int
    next: int
    """Number of the current turn; it is larger if the sealed turn has been revealed."""
    over: bool


class Revealed(Struct, Generic[MoveT], frozen=True):
    """The move of one seat in a revealed turn, and the nudge that the seat sent with it."""

    seat: int
    """The seat that moved."""
    move: MoveT
    """The move of the seat."""
    nudge: str | None = None
    """Nudge that the seat sent with the move; left out if there is none."""


class Turn(Struct, Generic[MoveT], frozen=True):
    """A revealed turn of a match."""

    turn: int
    """Number of the turn, from 0."""
    moves: list[Revealed[MoveT]]
    """Moves of the seats that had to act, in the order of the seats."""


class Turns(Struct, Generic[MoveT], frozen=True):
    """All revealed turns, from the first."""

    turns: list[Turn[MoveT]]


class Seats(Struct, frozen=True):
    """Event: a person has sat down or left. It is also the first event of every stream."""

    status: Status
    seats: list[SeatInfo]


class Over(Struct, frozen=True):
    """Event: the match is over."""

    scores: list[list[int]]
    """Scores by seat: points first, then tie-breakers; larger is better."""


class MoveProblem(Struct, Generic[MoveT], frozen=True, kw_only=True):
    """The problem of a refused move, with the legal moves."""

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
    legal_moves: list[MoveT] | UnsetType = UNSET
