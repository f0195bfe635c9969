"""The contract of the service, and that of a bot: two OpenAPI 3.1 documents, made of what the service itself runs on.

The operations are a table (`operations`), the schemas come from the Structs of the wire (`schemas`), the problems from
the table of codes (`refusals`), and the examples from a match that is played for them (`examples`, `play`). The same
function makes the committed files, for our games, and what a running service shows, for all games that it plays.

What a bot implements (`bot`) is a document of its own, and stands among the webhooks of the service.
"""

from collections.abc import Iterator, Sequence
from importlib.metadata import metadata
from importlib.resources import files
from typing import Any

from arena.messages import CONTRACT
from engine.game import AnyGame
from engine.registry import find_game
from service import problems
from service.asking import OpenAsks, open_asks
from service.contract import ask_examples, bot, check_examples, examples, owner_examples
from service.contract.ask_operations import OF_ASKS
from service.contract.bot import BotContract, bot_kinds
from service.contract.check_operations import OF_CHECKS
from service.contract.operations import OF_GAMES, OF_HEALTH, OF_SERVICE
from service.contract.owner_operations import OF_OWNERS, OF_REGISTERED
from service.contract.parameters import Json, header_components, parameter_components
from service.contract.paths import KEY, SCHEME, Scope, path_items
from service.contract.refusals import example_components, response_components
from service.contract.schemas import Schemas, schemas_of
from service.wire import Over, Seats, Wire, wire_of

HOUSE = ("splito", "splitit", "splitter")
"""The games of the committed contract."""
TABLE = (*OF_SERVICE, *OF_OWNERS, *OF_REGISTERED, *OF_CHECKS, *OF_ASKS, *OF_HEALTH, *OF_GAMES)


def contract(games: Sequence[str]) -> Json:
    """For these games, in this order."""
    wires = [wire_of(find_game(game)) for game in games]
    schemas = _schemas(wires)
    bots = BotContract([wire.game for wire in wires], schemas)
    return {
        "openapi": "3.1.0",
        "info": _info([wire.game for wire in wires]),
        "servers": [{"url": "/", "description": "The service that shows this document."}],
        "tags": [*TAGS, *(_tag(wire.game) for wire in wires)],
        "paths": _paths(wires, schemas),
        "webhooks": bots.webhooks("Webhooks"),
        "components": _joined(_components(wires, schemas), bots.components),
    }


def _schemas(wires: Sequence[Wire]) -> Schemas:
    """Of every type that travels. What bots poll for depends on all games, so its type is made for them."""
    made = open_asks(tuple(wire.game.INFO.id for wire in wires))
    found = schemas_of(made if kind is OpenAsks else kind for kind in _kinds(wires))
    return Schemas(found.components, {**found.refs, OpenAsks: found.refs[made]})


def bot_contract(games: Sequence[str]) -> Json:
    """What a bot implements that plays these games."""
    found = [find_game(game) for game in games]
    schemas = schemas_of(bot_kinds(found))
    bots = BotContract(found, schemas)
    return {
        "openapi": "3.1.0",
        "info": _bot_info(found),
        "servers": [{"url": "http://localhost:8001", "description": "A bot on your own machine."}],
        "tags": [{"name": "Bot", "description": "What the arena asks, and a bot answers."}],
        "paths": bots.paths("Bot"),
        "components": {**bots.components, "schemas": schemas.components},
    }


def _joined(one: Json, other: Json) -> Json:
    """The components of both; no name is in both."""
    return {kind: parts | other.get(kind, {}) for kind, parts in one.items()}


TAGS = [
    {"name": "Service", "description": "What is played here, with whom, and how the service says no."},
    {"name": "Owners", "description": "Who has bots here, and the keys that prove it."},
    {"name": "Bots", "description": "Bots that their owners have registered: the arena calls them, or they ask it."},
    {"name": "Health", "description": "For whoever runs the service. Requests are not counted."},
    {"name": "Webhooks", "description": "What is asked of a bot at its own address; openapi/bot.yaml has more of it."},
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


def _bot_info(games: Sequence[AnyGame]) -> Json:
    return {
        **_info(games),
        "title": "Splito Arena: a bot",
        "version": str(CONTRACT),
        "summary": f"What a bot implements. Games: {', '.join(game.INFO.titles['en'] for game in games)}.",
        "description": bot.description(),
    }


def _paths(wires: Sequence[Wire], schemas: Schemas) -> Json:
    shown = examples.of_service([wire.game for wire in wires])
    registered = owner_examples.of_registered([wire.game for wire in wires])
    paths = path_items(OF_SERVICE, Scope("Service", schemas.refs, shown))
    paths |= path_items(OF_OWNERS, Scope("Owners", schemas.refs, owner_examples.of_owners()))
    paths |= path_items(OF_REGISTERED, Scope("Bots", schemas.refs, registered))
    checks = check_examples.of_checks([wire.game for wire in wires])
    paths |= path_items(OF_CHECKS, Scope("Bots", schemas.refs, checks))
    asks = ask_examples.of_asks([wire.game for wire in wires])
    paths |= path_items(OF_ASKS, Scope("Bots", schemas.refs, asks))
    for wire in wires:
        scope = Scope(wire.game.INFO.titles["en"], schemas.refs, examples.of_game(wire), wire)
        paths |= path_items(OF_GAMES, scope)
    return paths | path_items(OF_HEALTH, Scope("Health", schemas.refs, shown))


def _components(wires: Sequence[Wire], schemas: Schemas) -> Json:
    return {
        "securitySchemes": {
            SCHEME: {"type": "http", "scheme": "bearer", "description": TOKEN},
            KEY: {"type": "http", "scheme": "bearer", "description": OWNER_KEY},
        },
        "parameters": {name: row for wire in wires for name, row in parameter_components(wire.game.INFO).items()},
        "headers": header_components(),
        "responses": response_components(TABLE, schemas.refs[problems.Problem]),
        "examples": example_components(),
        "schemas": schemas.components,
    }


TOKEN = "The secret token of a seat: from the answer to who made the match, or joined it."  # noqa: S105
OWNER_KEY = "The secret key of an owner: from the answer to who became one, or made a key."


def _kinds(wires: Sequence[Wire]) -> Iterator[Any]:
    """Every type that travels."""
    yield from (problems.Problem, Seats, Over)
    yield from bot_kinds([wire.game for wire in wires])
    for row in TABLE:
        for kind in (row.body, row.answer, row.refused):
            yield from (getattr(wire, kind) for wire in wires) if isinstance(kind, str) else [kind] if kind else []
