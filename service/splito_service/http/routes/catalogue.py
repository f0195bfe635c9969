"""What can be played here, with whom, and by which rules."""

from litestar import get
from litestar.params import FromPath
from litestar.types import ASGIApp

from splito_arena.bots.find import bot_names
from splito_engine.game import Language
from splito_engine.registry import find_game
from splito_service import problems
from splito_service.http.catalogue_schemas import Cards, Games, House, ProblemKind, Problems, RulesText, game_of
from splito_service.http.common import AnyRequest, choose_language, json
from splito_service.http.context import context_of
from splito_service.http.queries import TextQuery, read_query


@get("/games")
async def list_games(request: AnyRequest) -> ASGIApp:
    return json(Games([game_of(find_game(game).INFO) for game in context_of(request).games]))


@get("/house")
async def list_house() -> ASGIApp:
    return json(House(list(bot_names())))


@get("/problems")
async def list_problems() -> ASGIApp:
    return json(Problems([ProblemKind(*row) for row in problems.table()]))


@get("/{game:str}/rules")
async def get_rules(request: AnyRequest, game: FromPath[str]) -> ASGIApp:
    rules = context_of(request).game(game)
    language = choose_language(request, read_query(request, TextQuery).lang)
    text = RulesText(game, rules.INFO.version, language, rules.rulebook(language))
    return json(text, headers=_said_in(language))


@get("/{game:str}/cards")
async def list_cards(request: AnyRequest, game: FromPath[str]) -> ASGIApp:
    rules = context_of(request).game(game)
    language = choose_language(request, read_query(request, TextQuery).lang)
    return json(Cards(game, language, list(rules.cards(language))), headers=_said_in(language))


def _said_in(language: Language) -> dict[str, str]:
    return {"Content-Language": language, "Vary": "Accept-Language"}
