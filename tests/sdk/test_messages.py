"""The messages of the SDK have the same fields and types as those of the service and of the arena."""

from collections.abc import Iterator
from types import ModuleType
from typing import Any, TypeAlias

import msgspec
import pytest

import splito_bot.contract
import splito_bot.messages
import splito_bot.ranked
from splito_arena.match import messages
from splito_bot.games import GAMES
from splito_engine.game import Explanation
from splito_engine.player import Cost, Rejection, Time
from splito_engine.registry import find_game
from splito_service.bots import schemas as bot_schemas
from splito_service.checks import schemas as check_schemas
from splito_service.http import catalogue_schemas
from splito_service.matches import schemas
from splito_service.owners import schemas as owner_schemas
from splito_service.problems import Problem
from splito_service.results import schemas as result_schemas
from splito_service.tournaments.schemas import experiments as experiment_schemas
from splito_service.tournaments.schemas import tournaments as tournament_schemas
from tools.sdk_types.tables import UNTYPED

Schema: TypeAlias = dict[str, Any]

GENERIC = [name for name in schemas.GameSchemas.__struct_fields__ if name not in ("game", "Record")]
"""Types of which each game has its own. Records keep their bytes."""
OF_BOTS = [name for name in messages.Messages.__struct_fields__ if name != "game"]
NOT_FOR_CLIENTS = (schemas.GameSchemas, catalogue_schemas.Health, messages.Messages)

FOR_READERS = {"title", "description", "examples"}
LENGTHS = {"minLength", "maxLength", "minItems", "maxItems"}
LIMITS = {"pattern", "format", "minimum", "maximum", "exclusiveMaximum", *LENGTHS}
"""Which only the service checks."""


def structs_of(module: ModuleType) -> list[Any]:
    """Types that are the same for all games."""
    structs = [kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, msgspec.Struct)]
    ours = [kind for kind in structs if kind.__module__ == module.__name__ and kind not in NOT_FOR_CLIENTS]
    return [kind for kind in ours if not kind.__name__.endswith("Of")]


def ranked_pairs() -> Iterator[Any]:
    """Types about owners, bots, tournaments and experiments, without those that have the options of a game."""
    for module in (owner_schemas, bot_schemas, check_schemas, tournament_schemas, result_schemas, experiment_schemas):
        for theirs in structs_of(module):
            if theirs.__name__ in splito_bot.ranked.__all__ and theirs.__name__ not in UNTYPED:
                yield pytest.param(theirs, theirs.__name__, None, id=theirs.__name__)


def pairs() -> Iterator[Any]:
    """Types of the service or the arena, with their name and type in the SDK."""
    of_bots = (*structs_of(messages), Time, Cost, Rejection)
    for theirs in (*structs_of(schemas), *structs_of(catalogue_schemas), *of_bots, Explanation, Problem):
        yield pytest.param(theirs, theirs.__name__, None, id=theirs.__name__)
    for game in GAMES.values():
        found = find_game(game.id)
        for types, names in ((schemas.game_schemas(found), GENERIC), (messages.messages_of(found), OF_BOTS)):
            for name in names:
                yield pytest.param(getattr(types, name), name, game, id=f"{game.id} {name}")


@pytest.mark.parametrize(("theirs", "name", "game"), [*pairs(), *ranked_pairs()])
def test_a_message_of_the_sdk_has_the_fields_and_types_of_the_service(theirs: Any, name: str, game: Any) -> None:
    homes = (splito_bot.contract, splito_bot.messages, splito_bot.ranked)
    ours = next(getattr(home, name) for home in homes if name in home.__all__)
    assert schema_of(game.typed(ours) if game else ours) == schema_of(theirs)


def test_the_comparison_covers_the_messages_between_arena_and_bot() -> None:
    assert {"Ask", "Answer", "Asks", "Answers", "Started"} <= {*OF_BOTS}
    assert {"BotInfo", "Ended", "Challenge", "ChallengeMet"} <= {kind.__name__ for kind in structs_of(messages)}


def test_the_comparison_finds_a_difference_in_an_inner_type() -> None:
    splito, splitit = (GAMES[name].typed(splito_bot.messages.MatchCreated) for name in ("splito", "splitit"))
    assert schema_of(splito) != schema_of(splitit)
    assert schema_of(splito_bot.messages.TurnClock) != schema_of(splito_bot.messages.BankClock)


def schema_of(kind: Any) -> Schema:
    (root,), components = msgspec.json.schema_components([kind])
    return _comparable(root, components)


def _comparable(schema: Schema, components: dict[str, Schema]) -> Schema:
    """References are written out; names, limits and strictness are left out."""
    found = {**components.get(schema.get("$ref", "").rpartition("/")[2], {}), **schema}
    for name, part in found.items():
        if name in ("anyOf", "prefixItems"):
            found[name] = [_comparable(one, components) for one in part]
        elif name == "properties":
            found[name] = {field: _comparable(_untagged(field, one), components) for field, one in part.items()}
        elif name == "required":
            found[name] = sorted(part)
        elif name == "discriminator":
            found[name] = part["propertyName"]
        elif name in ("items", "additionalProperties") and part is not False:
            found[name] = _comparable(part, components)
    return {name: part for name, part in found.items() if name not in FOR_READERS | LIMITS and not _differs(name, part)}


def _untagged(field: str, schema: Schema) -> Schema:
    """The arena has a type for each game, which is tagged by it; in the SDK the game is a text like others."""
    return {"type": "string"} if field == "game" and ("enum" in schema or "const" in schema) else schema


def _differs(name: str, part: Any) -> bool:
    """The SDK passes over unknown fields, and leaves `options` out to have the default ones."""
    if name == "default":
        return isinstance(part, dict)
    return name == "$ref" or (name == "additionalProperties" and part is False)
