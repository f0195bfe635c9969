"""Games, cards, rules, explanations and problems.

Generated from the documents in openapi/ by `make contract`; do not edit.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

Language: TypeAlias = Literal["de", "en", "fr"]


class Problem(Struct, frozen=True, kw_only=True):
    """The problem (RFC 9457) with which a request is refused. A refused request has changed nothing."""

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


class ProblemKind(Struct, frozen=True):
    """A kind of problem: one way in which the service refuses a request."""

    code: str
    """Stable code of the problem, for programs."""
    status: int
    """Status of the HTTP response."""
    title: str
    """Meaning of the code, for people."""


class Problems(Struct, frozen=True):
    """Every kind of problem with which the service refuses a request."""

    problems: list[ProblemKind]


class Titles(Struct, frozen=True):
    """The title of a game, by language."""

    en: str
    fr: str
    de: str


class GameSummary(Struct, frozen=True, kw_only=True):
    """A game that this service plays."""

    id: str
    """The id of the game, as in the paths of its matches."""
    version: str
    """The version of the rules. It is in every record, and changes when a record would replay to another result."""
    titles: Titles
    min_players: int
    max_players: int
    reconstructed_players: tuple[int, ...] = ()
    """Numbers of players for which the rules are reconstructed and may differ from the printed game."""


class Games(Struct, frozen=True):
    """The games that this service plays."""

    games: list[GameSummary]


class House(Struct, frozen=True):
    """The names of the house bots."""

    bots: list[str]


class CardText(Struct, frozen=True):
    """The text of a card, die or number in one language."""

    id: str
    """The name of the card in `pieces`, views and moves."""
    text: str
    points: int | None = None
    """The points printed on the card, if `text` does not include them."""
    reconstructed: tuple[str, ...] = ()
    """Facts of the card that are our best guess, not confirmed by the printed game: `count`, `points`, `need`, ..."""


class Cards(Struct, frozen=True):
    """The texts of the cards of a game, in one language."""

    game: str
    language: Language
    cards: list[CardText]


class RulesText(Struct, frozen=True):
    """The rules of a game, in one language, clause by clause."""

    game: str
    version: str
    language: Language
    markdown: str


class Reason(Struct, frozen=True):
    """One line of an explanation: a card or group that scored or did not, and why."""

    about: str
    met: bool
    points: int
    text: str


class Section(Struct, frozen=True):
    """A part of an explanation: the reasons of one zone, column or sheet."""

    title: str
    points: int
    reasons: list[Reason]


class Explanation(Struct, frozen=True):
    """The explanation of all scores in one language. `totals` has one line per seat."""

    sections: list[Section]
    totals: list[str]
