"""The OpenAPI 3.1 documents of the service and of a bot, made from the same tables and types as the running service.

The operations come from the endpoint declarations, the schemas from the message Structs, the problems from the table of
codes, and the examples from a match that is played for them. The same function makes the committed files, for our
games, and the document of a running service, for all games that it plays.

The operations of a bot (`contract.bot`) are a document of their own and stand among the webhooks of the service, beside
the events that webhooks of owners receive.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import metadata
from importlib.resources import files
from typing import Any

from splito_arena.match.messages import CONTRACT
from splito_engine.game import AnyGame
from splito_engine.registry import find_game
from splito_service import problems
from splito_service.bots.ask_schemas import OpenAsks, open_asks
from splito_service.http.contract import webhook_items
from splito_service.http.contract.bot import document
from splito_service.http.contract.bot.document import BotContract, bot_kinds
from splito_service.http.contract.event_schemas import event_schemas
from splito_service.http.contract.game_schemas import name_games, share_bases
from splito_service.http.contract.json_schemas import PLACE, Schemas, schemas_of, union_of
from splito_service.http.contract.named_unions import name_unions, refer
from splito_service.http.contract.path_items import KEY, SCHEME, Scope, path_items
from splito_service.http.contract.problem_responses import example_components, response_components
from splito_service.http.contract.shared_examples import share_examples
from splito_service.http.contract.webhook_events import TOLD
from splito_service.http.endpoint import Endpoint
from splito_service.http.examples.example import Json
from splito_service.http.parameters import header_components, parameter_components
from splito_service.matches.schemas import GameSchemas, game_schemas
from splito_service.series.schemas import NewSeries, Series, SeriesPage, new_series, series, series_page
from splito_service.tournaments.schemas.experiments import Experiment, NewExperiment, experiment, new_experiment
from splito_service.tournaments.schemas.tournaments import NewTournament, Tournament, new_tournament, tournament

HOUSE = ("splito", "splitit", "splitter")
"""The games of the committed contract."""
MADE: Mapping[type, Callable[[tuple[str, ...]], Any]] = {
    OpenAsks: open_asks,
    NewTournament: new_tournament,
    Tournament: tournament,
    NewExperiment: new_experiment,
    Experiment: experiment,
    NewSeries: new_series,
    Series: series,
    SeriesPage: series_page,
}
"""Types that depend on the games, with the function that makes them."""


def contract(games: Sequence[str], endpoints: Sequence[Endpoint]) -> Json:
    """Return the document of a service that plays these games and has these endpoints."""
    wires = [game_schemas(find_game(game)) for game in games]
    schemas = _schemas(wires, endpoints)
    bots = BotContract([wire.game for wire in wires], schemas, has_examples=False)
    scopes = _scopes(wires, schemas)
    schemas.components.update(event_schemas(endpoints, scopes))
    paths = _paths(scopes, endpoints)
    webhooks = bots.webhooks("Webhooks") | webhook_items.webhooks(schemas, "Webhooks")
    components = _joined(_components(wires, schemas, endpoints), bots.components)
    components["examples"] |= share_examples(paths) | share_examples(webhooks)
    return {
        "openapi": "3.1.0",
        "info": _info([wire.game for wire in wires]),
        "servers": [{"url": "/", "description": "The service that serves this document."}],
        "tags": [*TAGS, *(_tag(wire.game) for wire in wires)],
        "paths": paths,
        "webhooks": webhooks,
        "components": components,
    }


def _schemas(wires: Sequence[GameSchemas], endpoints: Sequence[Endpoint]) -> Schemas:
    """Return the schemas of all messages; those that depend on the games are made for these games."""
    games = tuple(wire.game.INFO.id for wire in wires)
    made = {kind: make(games) for kind, make in MADE.items()}
    found = schemas_of(made.get(kind, kind) for kind in _kinds(wires, endpoints))
    found.components["BlockGame"]["properties"]["record"] |= _any_record(wires, found)
    unions = {kind.__name__: union_of(union) for kind, union in made.items() if union not in found.refs}
    refs = {kind: found.refs.get(one) or {"$ref": PLACE + kind.__name__} for kind, one in made.items()}
    for name, union in unions.items():
        refer(found.components.values(), union, name)
    components = {**found.components, **unions}
    name_unions(components, [wire.game for wire in wires])
    name_games(components, games)
    share_bases(components, games)
    return Schemas(components, {**found.refs, **refs})


def _any_record(wires: Sequence[GameSchemas], schemas: Schemas) -> Json:
    """Return the schema of any record.

    A record names its game but is not a type of it, because its bytes must never change.
    """
    refs = {wire.game.INFO.id: schemas.refs[wire.Record] for wire in wires}
    mapping = {game: ref["$ref"] for game, ref in refs.items()}
    return {"anyOf": [*refs.values()], "discriminator": {"propertyName": "game", "mapping": mapping}}


def bot_contract(games: Sequence[str]) -> Json:
    """Return the OpenAPI document of a bot that plays these games."""
    found = [find_game(game) for game in games]
    schemas = schemas_of(bot_kinds(found))
    name_unions(schemas.components, found)
    name_games(schemas.components, games)
    share_bases(schemas.components, games)
    bots = BotContract(found, schemas)
    return {
        "openapi": "3.1.0",
        "info": _bot_info(found),
        "servers": [{"url": "http://localhost:8001", "description": "A bot on your own machine."}],
        "tags": [{"name": "Bot", "description": "Requests of the arena, and the answers of a bot."}],
        "paths": bots.paths("Bot"),
        "components": {**bots.components, "schemas": schemas.components},
    }


def _joined(one: Json, other: Json) -> Json:
    """Return the components of both documents. No name is in both."""
    return {kind: parts | other.get(kind, {}) for kind, parts in one.items()}


TAGS = [
    {"name": "Service", "description": "Games, built-in bots, and the codes of problems."},
    {"name": "Owners", "description": "Owners of bots, and their keys."},
    {"name": "Bots", "description": "Registered bots: those that the arena calls, and those that poll it for asks."},
    {"name": "Tournaments", "description": "Tournaments, their results, and ratings with intervals."},
    {"name": "Experiments", "description": "Comparisons of a new version of a bot with an old one."},
    {"name": "Moderation", "description": "Bans, removed tournaments, and the log of these actions, for organisers."},
    {"name": "Hooks", "description": "Addresses that receive events, and the log of deliveries."},
    {"name": "Health", "description": "State of the service, for its operators. These requests are not counted."},
    {
        "name": "Webhooks",
        "description": "Requests of the arena to bots, which openapi/bot.yaml describes with examples and the rules of"
        " the games, and to hooks.",
    },
]


def _tag(game: AnyGame) -> Json:
    info = game.INFO
    seats = f"{info.min_players} to {info.max_players} players"
    return {"name": info.titles["en"], "description": f"Matches of {info.titles['en']}, rules {info.version}: {seats}."}


def _info(games: Sequence[AnyGame]) -> Json:
    project = metadata("splito-arena")
    return {
        "title": "Splito Arena",
        "version": project["Version"],
        "summary": f"Matches between people and bots. Games: {', '.join(game.INFO.titles['en'] for game in games)}.",
        "description": files("splito_service.http.contract").joinpath("about.md").read_text("utf-8"),
        "contact": {"name": project["Author"]},
        "license": {"name": "MIT", "identifier": "MIT"},
    }


def _bot_info(games: Sequence[AnyGame]) -> Json:
    return {
        **_info(games),
        "title": "Splito Arena: a bot",
        "version": str(CONTRACT),
        "summary": f"The HTTP interface of a bot. Games: {', '.join(game.INFO.titles['en'] for game in games)}.",
        "description": document.description(games),
    }


def _scopes(wires: Sequence[GameSchemas], schemas: Schemas) -> list[Scope]:
    """Return the scope of the operations that are of no game, and then one for each game."""
    games = [wire.game for wire in wires]
    return [Scope(schemas.refs, games), *(Scope(schemas.refs, games, wire) for wire in wires)]


def _paths(scopes: Sequence[Scope], endpoints: Sequence[Endpoint]) -> Json:
    paths: Json = {}
    for scope in scopes:
        paths |= path_items([row for row in endpoints if row.per_game == (scope.wire is not None)], scope)
    return paths


def _components(wires: Sequence[GameSchemas], schemas: Schemas, endpoints: Sequence[Endpoint]) -> Json:
    return {
        "securitySchemes": {
            SCHEME: {"type": "http", "scheme": "bearer", "description": TOKEN},
            KEY: {"type": "http", "scheme": "bearer", "description": OWNER_KEY},
        },
        "parameters": _parameters(wires) | webhook_items.parameters(),
        "headers": header_components(),
        "responses": response_components(endpoints, schemas.refs[problems.Problem]),
        "examples": example_components(),
        "schemas": schemas.components,
    }


def _parameters(wires: Sequence[GameSchemas]) -> dict[str, Json]:
    return {name: row for wire in wires for name, row in parameter_components(wire.game.INFO).items()}


TOKEN = "The secret token of a seat. The response that creates or joins a match shows it once."  # noqa: S105
OWNER_KEY = "A secret key of an owner. The response that creates the owner or the key shows it once."


def _kinds(wires: Sequence[GameSchemas], endpoints: Sequence[Endpoint]) -> Iterator[Any]:
    """Return the types of all messages."""
    yield problems.Problem
    yield from bot_kinds([wire.game for wire in wires])
    yield from (row.body for row in TOLD)
    yield from (row.answer for row in TOLD if row.answer)
    for row in endpoints:
        for kind in (row.body, row.answer, row.refused, *row.events.values()):
            yield from (getattr(wire, kind) for wire in wires) if isinstance(kind, str) else [kind] if kind else []
