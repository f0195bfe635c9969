"""Schemas of which each game has its own: shared properties are written once, and each schema names its game."""

from collections.abc import Iterable, Sequence

from splito_service.http.contract.json_schemas import PLACE
from splito_service.http.examples.example import Json

LEAST = 3
"""Properties that a base must have to be worth a schema of its own."""


def name_games(schemas: dict[str, Json], games: Sequence[str]) -> None:
    """Make `game` a constant in every type of one game, so that unions of these types narrow by it."""
    for game in games:
        for name in _names_of(schemas, game):
            properties = schemas[name].get("properties", {})
            if properties.get("game", {}).get("type") == "string":
                about = {key: value for key, value in properties["game"].items() if key == "description"}
                properties["game"] = {"type": "string", "const": game, **about}


def share_bases(schemas: dict[str, Json], games: Sequence[str]) -> None:
    """Move properties that are the same in all games into a base: `SplitoMatch` is `MatchBase` and what is its own.

    A type that allows no other properties is left as it is, because a base would have to allow them.
    """
    if len(games) < 2:
        return
    first, *others = (game.capitalize() for game in games)
    for kind in [name.removeprefix(first) for name in _names_of(schemas, games[0])]:
        family = [first + kind, *(other + kind for other in others)]
        if kind and all(name in schemas for name in family):
            _share_base(schemas, f"{kind}Base", family)


def _share_base(schemas: dict[str, Json], base: str, family: Sequence[str]) -> None:
    members = [schemas[name] for name in family]
    if any("properties" not in member or "additionalProperties" in member for member in members):
        return
    needs = [set(member.get("required", ())) for member in members]
    shared = {
        name: schema
        for name, schema in members[0]["properties"].items()
        if all(member["properties"].get(name) == schema for member in members)
        and len({name in needed for needed in needs}) == 1
    }
    if len(shared) < LEAST or base in schemas:
        return
    schemas[base] = {
        "description": f"Fields that are the same in {', '.join(family[:-1])} and {family[-1]}.",
        "type": "object",
        "properties": shared,
        "required": [name for name in shared if name in needs[0]],
    }
    for name, member in zip(family, members, strict=True):
        schemas[name] = _derived(member, base, shared)


def own_properties(schema: Json) -> Json:
    """Return the properties of a type that are not those of its base."""
    return schema["allOf"][-1]["properties"] if "allOf" in schema else schema["properties"]


def _derived(member: Json, base: str, shared: Json) -> Json:
    own = {name: schema for name, schema in member["properties"].items() if name not in shared}
    required = [name for name in member.get("required", ()) if name in own]
    rest = {"type": "object", "properties": own, "required": required}
    about = {"description": member["description"]} if "description" in member else {}
    return {**about, "allOf": [{"$ref": PLACE + base}, rest]}


def _names_of(schemas: Iterable[str], game: str) -> list[str]:
    prefix = game.capitalize()
    return [name for name in schemas if name.startswith(prefix) and name.removeprefix(prefix)[:1].isupper()]
