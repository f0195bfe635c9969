"""The contract of the service: one OpenAPI 3.1 document, made of what the service itself runs on.

The operations are a table (`operations`), the schemas come from the Structs of the wire (`schemas`), the problems from
the table of codes (`refusals`), and the examples from a match that is played for them (`examples`, `play`). The same
function makes the committed files, for our games, and what a running service shows, for all games that it plays.
"""

from collections.abc import Iterator, Sequence
from importlib.metadata import metadata
from importlib.resources import files
from typing import Any

from engine.game import AnyGame
from engine.registry import find_game
from service import problems
from service.contract import examples
from service.contract.operations import OF_GAMES, OF_HEALTH, OF_SERVICE
from service.contract.parameters import Json, header_components, parameter_components
from service.contract.paths import SCHEME, Scope, path_items
from service.contract.refusals import example_components, response_components
from service.contract.schemas import Schemas, schemas_of
from service.wire import Over, Seats, Wire, wire_of

HOUSE = ("splito", "splitit", "splitter")
"""The games of the committed contract."""
TABLE = (*OF_SERVICE, *OF_HEALTH, *OF_GAMES)


def contract(games: Sequence[str]) -> Json:
    """For these games, in this order."""
    wires = [wire_of(find_game(game)) for game in games]
    schemas = schemas_of(_kinds(wires))
    return {
        "openapi": "3.1.0",
        "info": _info([wire.game for wire in wires]),
        "servers": [{"url": "/", "description": "The service that shows this document."}],
        "tags": [*TAGS, *(_tag(wire.game) for wire in wires)],
        "paths": _paths(wires, schemas),
        "components": _components(wires, schemas),
    }


TAGS = [
    {"name": "Service", "description": "What is played here, with whom, and how the service says no."},
    {"name": "Health", "description": "For whoever runs the service. Requests are not counted."},
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
        "description": files("service.contract").joinpath("about.md").read_text("utf-8"),
        "contact": {"name": project["Author"]},
        "license": {"name": "MIT", "identifier": "MIT"},
    }


def _paths(wires: Sequence[Wire], schemas: Schemas) -> Json:
    shown = examples.of_service([wire.game for wire in wires])
    paths = path_items(OF_SERVICE, Scope("Service", schemas.refs, shown))
    for wire in wires:
        scope = Scope(wire.game.INFO.titles["en"], schemas.refs, examples.of_game(wire), wire)
        paths |= path_items(OF_GAMES, scope)
    return paths | path_items(OF_HEALTH, Scope("Health", schemas.refs, shown))


def _components(wires: Sequence[Wire], schemas: Schemas) -> Json:
    return {
        "securitySchemes": {SCHEME: {"type": "http", "scheme": "bearer", "description": TOKEN}},
        "parameters": {name: row for wire in wires for name, row in parameter_components(wire.game.INFO).items()},
        "headers": header_components(),
        "responses": response_components(TABLE, schemas.refs[problems.Problem]),
        "examples": example_components(),
        "schemas": schemas.components,
    }


TOKEN = "The secret token of a seat: from the answer to who made the match, or joined it."  # noqa: S105


def _kinds(wires: Sequence[Wire]) -> Iterator[Any]:
    """Every type that travels."""
    yield from (problems.Problem, Seats, Over)
    for row in TABLE:
        for kind in (row.body, row.answer, row.refused):
            yield from (getattr(wire, kind) for wire in wires) if isinstance(kind, str) else [kind] if kind else []
