"""Endpoints of the course of a match: turns, record and explanation of the scores."""

from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.types import ASGIApp

from splito_arena.match.messages import turn_of
from splito_engine.game import Explanation
from splito_engine.record import encode as encode_record
from splito_service.errors import NotOver
from splito_service.http.access import everybody
from splito_service.http.answers.responses import Answer
from splito_service.http.common import AnyRequest, choose_language, json
from splito_service.http.endpoint import MATCH, Endpoints
from splito_service.http.examples import matches as examples
from splito_service.http.queries import TextQuery, read_query
from splito_service.http.services.matches import ID, MatchServices
from splito_service.matches.model import StoredMatch
from splito_service.matches.schemas import game_schemas

ENDPOINTS = Endpoints("Matches")


@ENDPOINTS.declare(
    "GET /v1/{game}/matches/{match}/turns",
    id="list{Game}Turns",
    summary="Read the turns",
    description="Returns every revealed turn with its table talk. The turns are public.",
    parameters=("match",),
    answer="Turns",
    errors=MATCH,
    access=everybody("Only revealed turns."),
    example=examples.list_turns,
)
async def list_turns(services: NamedDependency[MatchServices], game: FromPath[str], match: FromPath[str]) -> ASGIApp:
    kept = await services.find(game, match)
    wire = game_schemas(kept.match.game)
    return json(wire.Turns(turns=[turn_of(wire.game, number, turn) for number, turn in enumerate(kept.match.turns)]))


@ENDPOINTS.declare(
    "GET /v1/{game}/matches/{match}/record",
    id="get{Game}Record",
    summary="Read the record",
    description="Returns the record of a match that is over: all that is needed to replay it, with the seed and the"
    " salt of the deal. `splito verify` checks exactly these bytes.",
    parameters=("match",),
    answer="Record",
    errors=(*MATCH, "not-over"),
    access=everybody("Only when the match is over."),
    example=examples.get_record,
)
async def get_record(services: NamedDependency[MatchServices], game: FromPath[str], match: FromPath[str]) -> ASGIApp:
    services.games.find(game)
    raw = await services.store.archived_record(game, match) if ID.fullmatch(match) else None
    return Answer(raw or encode_record(_over(await services.find(game, match)).record()))


@ENDPOINTS.declare(
    "GET /v1/{game}/matches/{match}/explanation",
    id="explain{Game}Match",
    summary="Explain the scores",
    description="Returns for a match that is over the single items that make up the points of every seat.",
    parameters=("match", "lang", "Accept-Language"),
    answer=Explanation,
    headers=("Content-Language",),
    errors=("bad-request", *MATCH, "not-over"),
    access=everybody("Only when the match is over."),
    example=examples.explain_match,
)
async def explain_match(
    request: AnyRequest, services: NamedDependency[MatchServices], game: FromPath[str], match: FromPath[str]
) -> ASGIApp:
    language = choose_language(request, read_query(request, TextQuery).lang)
    kept = _over(await services.find(game, match))
    headers = {"Content-Language": language, "Vary": "Accept-Language"}
    return json(kept.match.game.explain(kept.match.state, language), headers=headers)


def _over(kept: StoredMatch) -> StoredMatch:
    if not kept.over:
        raise NotOver("the match is not over yet", field="match")
    return kept
