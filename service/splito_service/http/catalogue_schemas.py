"""What travels beside matches: games, bots, cards, rules and problems to read about, and how the service is."""

from typing import Literal

import msgspec

from splito_engine.game import CardText, GameInfo, Language


class Titles(msgspec.Struct, frozen=True):
    """What the game is called, by language."""

    en: str
    fr: str
    de: str


class GameSummary(msgspec.Struct, frozen=True):
    """A game that is played here."""

    id: str
    """As in the addresses of its matches."""
    version: str
    """Of the rules. It stands in every record and changes with every change of what a record replays to."""
    titles: Titles
    min_players: int
    max_players: int
    reconstructed_players: tuple[int, ...] = ()
    """Numbers of players for which the rules are reconstructed and may differ from the printed game."""


class Games(msgspec.Struct, frozen=True):
    """What is played here."""

    games: list[GameSummary]


class House(msgspec.Struct, frozen=True):
    """The names of the bots of the house."""

    bots: list[str]


class ProblemKind(msgspec.Struct, frozen=True):
    """A way in which a request can be refused."""

    code: str
    """Stable: for programs."""
    status: int
    """Of the HTTP response."""
    title: str
    """What it means, for a person."""


class Problems(msgspec.Struct, frozen=True):
    """Every way in which a request can be refused."""

    problems: list[ProblemKind]


class Cards(msgspec.Struct, frozen=True):
    """What the cards of a game say, in one language."""

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
    """That all is well."""

    status: Literal["live", "ready"]


def game_of(info: GameInfo) -> GameSummary:
    return msgspec.convert(msgspec.to_builtins(info), GameSummary)
