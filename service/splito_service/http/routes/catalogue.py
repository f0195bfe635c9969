"""Endpoints of the catalogue: games, rules, cards, built-in bots and problem codes."""

from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.types import ASGIApp

from splito_arena.bots.find import bot_names
from splito_engine.game import Language
from splito_engine.registry import find_game
from splito_service import problems
from splito_service.http.access import everybody
from splito_service.http.catalogue_schemas import Cards, Games, House, ProblemKind, Problems, RulesText, game_of
from splito_service.http.common import AnyRequest, choose_language, json
from splito_service.http.endpoint import Endpoints
from splito_service.http.examples import catalogue as examples
from splito_service.http.queries import TextQuery, read_query
from splito_service.http.services.games import PlayedGames

ENDPOINTS = Endpoints("Service")


@ENDPOINTS.declare(
    "GET /v1/games",
    id="listGames",
    summary="List the games",
    description="The games whose matches are played here.",
    answer=Games,
    access=everybody(),
    example=examples.list_games,
)
async def list_games(services: NamedDependency[PlayedGames]) -> ASGIApp:
    return json(Games([game_of(find_game(game).INFO) for game in services.ids]))


@ENDPOINTS.declare(
    "GET /v1/house",
    id="listHouse",
    summary="List the bots of the house",
    description="What can be named in a seat of kind `bot`.",
    answer=House,
    access=everybody(),
    example=examples.list_house,
)
async def list_house() -> ASGIApp:
    return json(House(list(bot_names())))


@ENDPOINTS.declare(
    "GET /v1/problems",
    id="listProblems",
    summary="List the problems",
    description="Every code that a refusal can have. The `type` of a problem leads here.",
    answer=Problems,
    access=everybody(),
    example=examples.list_problems,
)
async def list_problems() -> ASGIApp:
    return json(Problems([ProblemKind(*row) for row in problems.table()]))


@ENDPOINTS.declare(
    "GET /v1/{game}/rules",
    id="get{Game}Rules",
    summary="Read the rules",
    description="The rulebook in Markdown. Its clauses have stable numbers.",
    parameters=("lang", "Accept-Language"),
    answer=RulesText,
    headers=("Content-Language",),
    errors=("bad-request",),
    access=everybody(),
    example=examples.get_rules,
)
async def get_rules(request: AnyRequest, services: NamedDependency[PlayedGames], game: FromPath[str]) -> ASGIApp:
    rules = services.find(game)
    language = choose_language(request, read_query(request, TextQuery).lang)
    text = RulesText(game, rules.INFO.version, language, rules.rulebook(language))
    return json(text, headers=_said_in(language))


@ENDPOINTS.declare(
    "GET /v1/{game}/cards",
    id="list{Game}Cards",
    summary="List the cards",
    description="What each different card of the standard deck says. None, for a game that needs no such texts.",
    parameters=("lang", "Accept-Language"),
    answer=Cards,
    headers=("Content-Language",),
    errors=("bad-request",),
    access=everybody(),
    example=examples.list_cards,
)
async def list_cards(request: AnyRequest, services: NamedDependency[PlayedGames], game: FromPath[str]) -> ASGIApp:
    rules = services.find(game)
    language = choose_language(request, read_query(request, TextQuery).lang)
    return json(Cards(game, language, list(rules.cards(language))), headers=_said_in(language))


def _said_in(language: Language) -> dict[str, str]:
    return {"Content-Language": language, "Vary": "Accept-Language"}
