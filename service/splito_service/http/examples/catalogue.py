"""Examples of the games, the built-in bots, the problems and the health of the service."""

from collections.abc import Sequence

from splito_engine.game import AnyGame
from splito_service.http.catalogue_schemas import Cards, Games, Health, House, ProblemKind, Problems, RulesText, game_of
from splito_service.http.examples.example import LANGUAGE, Examples, one
from splito_service.matches.schemas import GameSchemas
from splito_service.problems import table


def list_games(games: Sequence[AnyGame]) -> Examples:
    return Examples(one("games", "The games of the service", Games([game_of(game.INFO) for game in games])))


def list_house(_: Sequence[AnyGame]) -> Examples:
    return Examples(one("bots", "The built-in bots", House(["greedy", "planner", "random"])))


def list_problems(_: Sequence[AnyGame]) -> Examples:
    return Examples(one("problems", "The first codes", Problems([ProblemKind(*row) for row in table()][:3])))


def get_liveness(_: Sequence[AnyGame]) -> Examples:
    return Examples(one("live", "The service is running", Health("live")))


def get_readiness(_: Sequence[AnyGame]) -> Examples:
    return Examples(one("ready", "The service is ready", Health("ready")))


def get_rules(wire: GameSchemas) -> Examples:
    return Examples(one("rules", "The beginning of the rules", _rules(wire.game)))


def list_cards(wire: GameSchemas) -> Examples:
    return Examples(one("cards", "The first cards", _cards(wire.game)))


def _rules(game: AnyGame) -> RulesText:
    beginning = "\n\n".join(game.rulebook(LANGUAGE).split("\n\n")[:3])
    return RulesText(game.INFO.id, game.INFO.version, LANGUAGE, beginning)


def _cards(game: AnyGame) -> Cards:
    return Cards(game.INFO.id, LANGUAGE, list(game.cards(LANGUAGE))[:3])
