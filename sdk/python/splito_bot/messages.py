"""Requests and answers of the service about matches, under the names of its OpenAPI document.

Messages that differ from game to game are generic: `Match[SplitoView, SplitoMove]` is `SplitoMatch` in the document.
The service checks limits, such as the length of a name. Fields that a newer service adds are ignored. A test compares
all other parts with the service.
"""

from datetime import datetime
from typing import Generic, Literal, TypeAlias, TypeVar

from msgspec import UNSET, Struct, UnsetType

Seat: TypeAlias = int
Language: TypeAlias = Literal["en", "fr", "de"]
Kind: TypeAlias = Literal["person", "bot", "open"]
Status: TypeAlias = Literal["open", "running", "over"]
Points: TypeAlias = list[int]
"""Points first, then tie-breakers; larger is better."""

OptionsT = TypeVar("OptionsT")
SettledT = TypeVar("SettledT")
ViewT = TypeVar("ViewT")
MoveT = TypeVar("MoveT")


class NoClock(Struct, frozen=True, tag_field="kind", tag="off"):
    """No clock: a seat may think for any time."""


class TurnClock(Struct, frozen=True, tag_field="kind", tag="turn"):
    """A clock with `seconds` for each turn."""

    seconds: int


class BankClock(Struct, frozen=True, tag_field="kind", tag="bank"):
    """A clock with `seconds` for each seat in the whole match."""

    seconds: int


Clock: TypeAlias = NoClock | TurnClock | BankClock


class NewPerson(Struct, frozen=True, tag_field="kind", tag="person"):
    """A seat for a person whose token you get: yourself, or another person at the same screen."""

    name: str


class NewBot(Struct, frozen=True, tag_field="kind", tag="bot"):
    """A seat for a built-in bot, by its name, or for a registered bot, by its id."""

    bot: str = "planner"


class NewOpen(Struct, frozen=True, tag_field="kind", tag="open"):
    """An open seat, for a person who joins. The match begins when the last open seat is taken."""


NewSeat: TypeAlias = NewPerson | NewBot | NewOpen


class NewMatch(Struct, Generic[OptionsT], frozen=True, kw_only=True):
    """The request that creates a match."""

    seats: list[NewSeat]
    options: OptionsT | UnsetType = UNSET
    clock: Clock = NoClock()
    listed: bool = True


class Joining(Struct, frozen=True):
    name: str
    seat: Seat | None = None


class Decision(Struct, Generic[MoveT], frozen=True):
    move: MoveT
    nudge: str | None = None


class SeatInfo(Struct, frozen=True):
    """The occupant of a seat. A bot that replaces a person keeps the name of that person."""

    kind: Kind
    name: str | None
    bot: str | None


class Match(Struct, Generic[ViewT, MoveT], frozen=True, kw_only=True):
    """A match as the public sees it or, with a token, as its seat sees it."""

    id: str
    game: str
    version: str
    """The version of the rules."""
    status: Status
    created: datetime
    listed: bool
    commitment: str
    """SHA-256 over the seed and the salt of the deal; the record shows both after the end."""
    clock: Clock
    seats: list[SeatInfo]
    turn: int
    """The current turn, from 0: as many turns have been revealed. -1 while seats are open."""
    acting: list[Seat]
    """The seats that must move in this turn."""
    sealed: list[Seat]
    """The seats that have sealed a move; the moves stay hidden until all have."""
    deadlines: list[datetime | None]
    """By seat, the time at which the clock runs out and the default move, the first legal one, is sealed."""
    seat: Seat | None
    """The seat of the view; None without a token."""
    view: ViewT | None
    """The view; None while seats are open."""
    legal_moves: list[MoveT]
    """Legal moves of the seat, the default move first; empty if the seat has nothing to decide, or has decided."""
    nudges: list[str]
    """Nudges that the seat may say with its move."""
    scores: list[Points] | None
    """Scores by seat; None before the end of the match."""


class MatchSummary(Struct, frozen=True, kw_only=True):
    id: str
    game: str
    status: Status
    created: datetime
    clock: Clock
    seats: list[SeatInfo]
    turn: int
    scores: list[Points] | None


class MatchPage(Struct, frozen=True):
    """Matches, the newest first."""

    matches: list[MatchSummary]
    next: str | None
    """The `cursor` of the next page; None on the last page."""


class MatchCreated(Struct, Generic[ViewT, MoveT], frozen=True):
    tokens: list[str | None]
    """By seat, the secret tokens of persons. They are shown only here."""
    match: Match[ViewT, MoveT]

    def token(self, seat: Seat) -> str:
        """Return the token of a person's seat. Raise `KeyError` if the seat is no person's."""
        token = self.tokens[seat]
        if token is None:
            raise KeyError(f"seat {seat} is no person's: there is no token")
        return token


class Joined(Struct, Generic[ViewT, MoveT], frozen=True):
    seat: Seat
    token: str
    """The secret token of the seat. It is shown only here."""
    match: Match[ViewT, MoveT]


class Sealed(Struct, frozen=True):
    """The confirmation that a move is stored."""

    match: str
    turn: int
    """The turn of the sealed move."""
    seat: Seat
    next: int
    """The current turn; larger than `turn` if that turn has been revealed."""
    over: bool


class Revealed(Struct, Generic[MoveT], frozen=True):
    """The move and the nudge of one seat in a turn."""

    seat: Seat
    move: MoveT
    nudge: str | None = None


class Turn(Struct, Generic[MoveT], frozen=True):
    """A revealed turn."""

    turn: int
    moves: list[Revealed[MoveT]]


class Turns(Struct, Generic[MoveT], frozen=True):
    turns: list[Turn[MoveT]]


class Seats(Struct, frozen=True):
    """An event: the seats at the start of a stream, and whenever a person joins or leaves."""

    status: Status
    seats: list[SeatInfo]


class Over(Struct, frozen=True):
    """An event: the match is over."""

    scores: list[Points]


class Titles(Struct, frozen=True):
    """The title of a game, by language."""

    en: str
    fr: str
    de: str


class GameSummary(Struct, frozen=True):
    """A game of the service."""

    id: str
    version: str
    """The version of the rules."""
    titles: Titles
    min_players: int
    max_players: int
    reconstructed_players: tuple[int, ...] = ()
    """Numbers of players for which the rules are reconstructed and may differ from the printed game."""


class Games(Struct, frozen=True):
    games: list[GameSummary]


class House(Struct, frozen=True):
    bots: list[str]


class CardText(Struct, frozen=True):
    """A card, die or number, described in words."""

    id: str
    """The id in views and moves."""
    text: str
    points: int | None = None
    """The points printed on the card, if `text` does not name them."""
    reconstructed: tuple[str, ...] = ()
    """Facts of the card that are our best guess, not confirmed by the printed game: `count`, `points`, `need`, ..."""


class Cards(Struct, frozen=True):
    game: str
    language: Language
    cards: list[CardText]


class RulesText(Struct, frozen=True):
    game: str
    version: str
    language: Language
    markdown: str


class Reason(Struct, frozen=True):
    """One reason why points were scored, or not."""

    about: str
    met: bool
    points: int
    text: str


class Section(Struct, frozen=True):
    """A part of an explanation: a zone, a column or a sheet."""

    title: str
    points: int
    reasons: tuple[Reason, ...]


class Explanation(Struct, frozen=True):
    """How the scores came about, in one language. `totals` has one line per seat."""

    sections: tuple[Section, ...]
    totals: tuple[str, ...]


class ProblemKind(Struct, frozen=True):
    code: str
    status: int
    title: str


class Problems(Struct, frozen=True):
    problems: list[ProblemKind]


class Problem(Struct, frozen=True, kw_only=True):
    """The reason why a request was refused (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    seat: int | None = None
    card: str | None = None
    field: str | None = None


class MoveProblem(Problem, Generic[MoveT], frozen=True, kw_only=True):
    """The reason why a move was refused, and the legal moves."""

    legal_moves: list[MoveT] | UnsetType = UNSET
