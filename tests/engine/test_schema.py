"""The JSON schemas of all wire messages: one component per type, and no untyped field."""

from collections.abc import Iterator
from typing import Any, TypeAlias

import msgspec
import pytest

from splito_engine.game import CardText, Explanation, GameInfo
from splito_engine.registry import games

Schema: TypeAlias = dict[str, Any]

REQUESTS: list[Any] = [kind for game in games().values() for kind in (game.OpenOptions, game.Move)]
REPLIES: list[Any] = [kind for game in games().values() for kind in (game.Options, game.View)]


def schemas(*kinds: Any) -> tuple[tuple[Schema, ...], dict[str, Schema]]:
    return msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")


ROOTS, COMPONENTS = schemas(*REQUESTS, *REPLIES, GameInfo, CardText, Explanation)


def parts(schema: Schema) -> Iterator[Schema]:
    """Yield the schema and all schemas inside it."""
    yield schema
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", ()), *schema.get("prefixItems", ())]
    inner += [schema[key] for key in ("items", "additionalProperties") if isinstance(schema.get(key), dict)]
    for part in inner:
        yield from parts(part)


def is_typed(schema: Schema) -> bool:
    match schema.get("type"):
        case "object":
            return "properties" in schema or bool(schema.get("additionalProperties"))
        case "array":
            return "items" in schema
        case None:
            return not {"$ref", "anyOf", "enum"}.isdisjoint(schema)
        case _:
            return True


@pytest.mark.parametrize("name", COMPONENTS)
def test_a_component_has_the_name_of_its_type(name: str) -> None:
    assert COMPONENTS[name]["title"] == name  # where two types have one name, msgspec prefixes their modules


def test_every_type_that_is_sent_has_a_component_of_its_own() -> None:
    structs = {kind for kind in (*REQUESTS, *REPLIES) if isinstance(kind, type)}
    assert len(structs) == len({kind.__name__ for kind in structs})
    assert {kind.__name__ for kind in structs} <= COMPONENTS.keys()


@pytest.mark.parametrize("name", COMPONENTS)
def test_no_schema_is_without_a_type(name: str) -> None:
    assert [part for part in parts(COMPONENTS[name]) if not is_typed(part)] == []


@pytest.mark.parametrize("name", schemas(*REQUESTS)[1])
def test_a_request_takes_no_unknown_fields(name: str) -> None:
    assert COMPONENTS[name]["additionalProperties"] is False


def test_a_union_of_structs_says_how_to_tell_them_apart() -> None:
    unions = [part for schema in (*ROOTS, *COMPONENTS.values()) for part in parts(schema) if "anyOf" in part]
    of_structs = [union for union in unions if sum("$ref" in kind for kind in union["anyOf"]) > 1]
    assert of_structs, "the moves of Split it! are one"
    assert all("discriminator" in union for union in of_structs)


def test_the_schema_of_open_options_has_no_deck() -> None:
    assert COMPONENTS["SplitoOpenOptions"]["properties"].keys() == {"deals", "talk"}
    assert COMPONENTS["SplitoOptions"]["properties"].keys() == {"deals", "talk", "deck"}
