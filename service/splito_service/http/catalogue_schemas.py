"""Response schemas of the catalogue: games, house bots, cards, rules and problem codes; and of the health checks."""

from typing import Literal

import msgspec

from splito_engine.game import CardText, GameInfo, Language


class Titles(msgspec.Struct, frozen=True):
    """The title of a game, by language."""

    en: str
    fr: str
    de: str


class GameSummary(msgspec.Struct, frozen=True):
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


class Games(msgspec.Struct, frozen=True):
    """The games that this service plays."""

    games: list[GameSummary]


class House(msgspec.Struct, frozen=True):
    """The names of the house bots."""

    bots: list[str]


class ProblemKind(msgspec.Struct, frozen=True):
    """A kind of problem: one way in which the service refuses a request."""

    code: str
    """Stable code of the problem, for programs."""
    status: int
    """Status of the HTTP response."""
    title: str
    """Meaning of the code, for people."""


class Problems(msgspec.Struct, frozen=True):
    """Every kind of problem with which the service refuses a request."""

    problems: list[ProblemKind]


class Cards(msgspec.Struct, frozen=True):
    """The texts of the cards of a game, in one language."""

    game: str
    language: Language
    cards: list[CardText]


class RulesText(msgspec.Struct, frozen=True):
    """The rules of a game, in one language, clause by clause."""

    game: str
    version: str
    language: Language
    markdown: str


class Health(msgspec.Struct, frozen=True):
    """The state of a healthy service."""

    status: Literal["live", "ready"]


def game_of(info: GameInfo) -> GameSummary:
    return msgspec.convert(msgspec.to_builtins(info), GameSummary)
