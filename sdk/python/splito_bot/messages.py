"""What travels, in both directions: the messages of the service, under the names of its OpenAPI document.

Where a message differs from game to game it is generic here: `Match[SplitoView, SplitoMove]` is the document's
`SplitoMatch`. Limits are for the service to check (how long a name may be), and a field that a newer service adds is
passed over; all else is exactly the same, and a test of the service sees to it.
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
    """Everybody thinks for as long as they like."""


class TurnClock(Struct, frozen=True, tag_field="kind", tag="turn"):
    """So many seconds for each turn."""

    seconds: int


class BankClock(Struct, frozen=True, tag_field="kind", tag="bank"):
    """So many seconds for the whole match, for each seat."""

    seconds: int


Clock: TypeAlias = NoClock | TurnClock | BankClock


class NewPerson(Struct, frozen=True, tag_field="kind", tag="person"):
    """A person whose token you get: yourself, or somebody at the same screen."""

    name: str


class NewBot(Struct, frozen=True, tag_field="kind", tag="bot"):
    """A bot of the house by its name, or a registered bot by its id."""

    bot: str = "planner"


class NewOpen(Struct, frozen=True, tag_field="kind", tag="open"):
    """A seat for whoever joins. The match begins when the last one is taken."""


NewSeat: TypeAlias = NewPerson | NewBot | NewOpen


class NewMatch(Struct, Generic[OptionsT], frozen=True, kw_only=True):
    """A match to be made."""

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
    """Who sits there. A bot may have the name of a person whom it stands in for."""

    kind: Kind
    name: str | None
    bot: str | None


class Match(Struct, Generic[ViewT, MoveT], frozen=True, kw_only=True):
    """A match as everybody may see it or, with a token, as a seat may."""

    id: str
    game: str
    version: str
    """Of the rules."""
    status: Status
    created: datetime
    listed: bool
    commitment: str
    """SHA-256 over the seed and the salt of the deal; the record shows both after the end."""
    clock: Clock
    seats: list[SeatInfo]
    turn: int
    """The turn that goes on, from 0: as many have been revealed. -1 as long as seats are open."""
    acting: list[Seat]
    """Who must move in this turn."""
    sealed: list[Seat]
    """Who of them has; what, nobody is told before all have."""
    deadlines: list[datetime | None]
    """By seat: when the clock runs out and the default move, the first legal one, is sealed."""
    seat: Seat | None
    """Whose view this is; nobody's without a token."""
    view: ViewT | None
    """Nothing as long as seats are open."""
    legal_moves: list[MoveT]
    """Of the seat; the first is the default move. Empty when it has nothing to decide, or has decided."""
    nudges: list[str]
    """What the seat may say with its move."""
    scores: list[Points] | None
    """By seat, once the match is over."""


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
    """The `cursor` of the next page; nothing on the last one."""


class MatchCreated(Struct, Generic[ViewT, MoveT], frozen=True):
    tokens: list[str | None]
    """By seat: the secret tokens of the persons. Each is shown only here."""
    match: Match[ViewT, MoveT]

    def token(self, seat: Seat) -> str:
        """Of a seat that was made for a person."""
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
    """The move is kept, whatever happens."""

    match: str
    turn: int
    """The one that was sealed."""
    seat: Seat
    next: int
    """The turn that goes on: a larger number if this one has been revealed."""
    over: bool


class Revealed(Struct, Generic[MoveT], frozen=True):
    """What one seat did in a turn, and what it said."""

    seat: Seat
    move: MoveT
    nudge: str | None = None


class Turn(Struct, Generic[MoveT], frozen=True):
    """A turn that was revealed."""

    turn: int
    moves: list[Revealed[MoveT]]


class Turns(Struct, Generic[MoveT], frozen=True):
    turns: list[Turn[MoveT]]


class Seats(Struct, frozen=True):
    """An event: somebody has sat down or left, or this is the first you hear of it."""

    status: Status
    seats: list[SeatInfo]


class Over(Struct, frozen=True):
    """An event: the match is over."""

    scores: list[Points]


class Titles(Struct, frozen=True):
    """What the game is called, by language."""

    en: str
    fr: str
    de: str


class GameSummary(Struct, frozen=True):
    """A game that is played here."""

    id: str
    version: str
    """Of the rules."""
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
    """What a card, die or number shows, for a reader."""

    id: str
    """As in views and moves."""
    text: str
    points: int | None = None
    """What the card says it is worth, where `text` does not say it."""
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
    """One thing that scored, or did not, and why."""

    about: str
    met: bool
    points: int
    text: str


class Section(Struct, frozen=True):
    """What belongs together in an explanation: a zone, a column, a sheet."""

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
    """Why a request was refused (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    seat: int | None = None
    card: str | None = None
    field: str | None = None


class MoveProblem(Problem, Generic[MoveT], frozen=True, kw_only=True):
    """Why a move was refused, and which moves would not be."""

    legal_moves: list[MoveT] | UnsetType = UNSET
