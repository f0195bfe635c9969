"""Schemas of an OpenAPI document as classes: fields with types in Python, and one generic class for all games."""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from tools.sdk_types.tables import (
    CHECKED,
    GAME_ALIASES,
    MODULES,
    PARAMETERS,
    POSITIONAL,
    RENAMED,
    UNTYPED,
)

Schema: TypeAlias = dict[str, Any]

REFERENCE = "#/components/schemas/"
SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
LIMITS = {
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_length",
    "maxItems": "max_length",
    "minimum": "ge",
    "maximum": "le",
}
"""Limits of a schema, and their names in `msgspec.Meta`."""


class Underivable(Exception):
    """Raised for a part of the document that the generator cannot write as a type."""


class Field(NamedTuple):
    """A field of a class."""

    name: str
    type: str
    default: str | None
    about: str | None


class Class(NamedTuple):
    """A message type."""

    name: str
    about: str
    parameters: tuple[str, ...]
    """Type parameters, for a message that differs from game to game."""
    tag: tuple[str, str] | None
    """The field that tells the members of a union apart, and the value of this one."""
    fields: tuple[Field, ...]

    @property
    def keywords_only(self) -> bool:
        """True if the fields must be named: there are many, or an optional one stands before a required one."""
        optional = [field.default is not None for field in self.fields]
        return len(self.fields) > POSITIONAL or optional != sorted(optional)


class Document:
    """The schemas of a document, with the parts that differ from game to game."""

    def __init__(self, schemas: Mapping[str, Schema]) -> None:
        self._schemas = {name: _inlined(schema, schemas) for name, schema in schemas.items()}
        self.games = {
            name.removesuffix("Ask"): self.whole(name)["properties"]["game"]["const"]
            for name in schemas
            if name.endswith("Ask") and "const" in self.whole(name)["properties"].get("game", {})
        }
        """The ids of the games, by the prefix of their types: `Splito` for `splito`."""
        self._parameters = {
            prefix: {name: _shape(self.at(prefix + place)) for name, place in PARAMETERS.items()}
            for prefix in self.games
        }
        self._aliases = self._named_shapes()

    def whole(self, name: str) -> Schema:
        """Return the schema of this name; the parts of an `allOf` are put together."""
        schema = self._schemas[name]
        parts = [self.whole(_name(part)) if "$ref" in part else part for part in schema.get("allOf", [schema])]
        return {
            "description": schema.get("description", ""),
            "properties": {key: value for part in parts for key, value in part.get("properties", {}).items()},
            "required": [field for part in parts for field in part.get("required", ())],
        }

    def at(self, place: str) -> Schema:
        """Return the schema of a field, such as `Match.status`, or of its items: `NewMatch.seats[]`."""
        name, _, field = place.partition(".")
        found = self.whole(self._variants(name)[0])["properties"][field.removesuffix("[]")]
        return found["items"] if field.endswith("[]") else found

    def alias(self, place: str) -> str:
        """Return the type of a field in Python, without its name."""
        return self._type(self.at(place), None, "tuple", named=False)

    def move(self, prefix: str) -> str | None:
        """Return the union of all moves of a game; None if there is a single type of move."""
        move = self._parameters[prefix]["MoveT"]
        return self._type(move, None, "tuple", named=False) if "anyOf" in move else None

    def types_of_game(self, prefix: str) -> list[str]:
        """Return the names of the types of one game, found from its options, views and moves."""
        found: list[str] = []
        waiting = [name for shape in self._parameters[prefix].values() for name in _references(shape)]
        while waiting:
            name = waiting.pop(0)
            if name not in found:
                found.append(name)
                waiting += _references(self.whole(name)["properties"])
        return found

    def plain_class(self, name: str, array: str) -> Class:
        """Return the class of one schema; `array` is the type of its arrays, `tuple` or `list`."""
        whole = self.whole(name)
        tag, fields = _tag(whole), list[Field]()
        for field, schema in whole["properties"].items():
            if tag is None or field != tag[0]:
                kept = "tuple" if "default" in schema else array  # because a default may not change
                kind = self._limited(schema, kept) if name in CHECKED else self._type(schema, None, kept)
                fields.append(self._field(field, kind, schema, whole["required"]))
        return Class(RENAMED.get(name, name), whole["description"], (), tag, tuple(fields))

    def message_class(self, name: str) -> Class:
        """Return the class of a message that all games have, generic in the parts in which they differ."""
        variants = self._variants(name)
        if variants == [name]:
            return self.plain_class(name, "list")
        whole = self.whole(variants[0])
        kinds = {field: self._common(name, field) for field in whole["properties"]}
        fields = [
            self._field(field, kinds[field], schema, whole["required"]) for field, schema in whole["properties"].items()
        ]
        parameters = tuple(one for one in PARAMETERS if any(one in kind for kind in kinds.values()))
        return Class(name, whole["description"], parameters, None, tuple(fields))

    def _variants(self, name: str) -> list[str]:
        """Return the names of a message in the document: one for each game, or one for all of them."""
        variants = [prefix + name for prefix in self.games if prefix + name in self._schemas]
        return variants if variants and "properties" not in self._schemas.get(name, {}) else [name]

    def _common(self, name: str, field: str) -> str:
        """Return the type of a field, the same for all games after its parts of one game are made parameters."""
        orders = list(PARAMETERS), list(reversed(PARAMETERS))
        possible = [
            {self._type(self.whole(prefix + name)["properties"][field], (prefix, order), "list") for order in orders}
            for prefix in self.games
        ]
        common = sorted(set.intersection(*possible))
        if len(common) != 1:
            raise Underivable(f"{name}.{field} differs from game to game in more than options, view and move")
        return common[0] if name not in UNTYPED else common[0].replace("OptionsT", OBJECT).replace("SettledT", OBJECT)

    def _field(self, name: str, kind: str, schema: Schema, required: list[str]) -> Field:
        about = schema.get("description")
        if name in required:
            return Field(name, kind, None, about)
        if "default" in schema:
            return Field(name, kind, _default(schema["default"]), about)
        if kind.endswith("| None"):
            return Field(name, kind, "None", about)
        return Field(name, f"{kind} | UnsetType", "UNSET", about)

    def _limited(self, schema: Schema, array: str) -> str:
        """Return a type with its limits, which msgspec checks."""
        limits = ", ".join(f"{LIMITS[key]}={value}" for key, value in schema.items() if key in LIMITS)
        items = f"{array}[{self._limited(schema['items'], array)}]" if "items" in schema else None
        kind = items or self._type(schema, None, array)
        return f"Annotated[{kind}, Meta({limits})]" if limits else kind

    def _type(self, schema: Schema, game: "Game | None", array: str, *, named: bool = True) -> str:
        """Return the type of a schema in Python. `game` makes the parts of one game parameters."""
        shape = _shape(schema)
        if parameter := self._parameter(shape, game):
            return parameter
        if named and (alias := self._aliases.get(_key(shape))):
            return alias
        if "$ref" in schema:
            return self._reference(_name(schema), game)
        if "anyOf" in schema:
            return " | ".join(self._type(one, game, array) for one in schema["anyOf"])
        if "enum" in schema:
            return f"Literal[{', '.join(_literal(value) for value in schema['enum'])}]"
        return self._simple(schema, game, array)

    def _simple(self, schema: Schema, game: "Game | None", array: str) -> str:
        match schema:
            case {"type": "array", "prefixItems": parts}:
                return f"tuple[{', '.join(self._type(part, game, array) for part in parts)}]"
            case {"type": "array", "items": items}:
                return f"{array}[{self._type(items, game, array)}{', ...' if array == 'tuple' else ''}]"
            case {"type": "object", "additionalProperties": dict(values)}:
                return f"dict[str, {self._type(values, game, array)}]"
            case {"type": "string", "format": "date-time"}:
                return "datetime"
            case {"type": str(kind)} if kind in SIMPLE:
                return SIMPLE[kind]
            case _:
                raise Underivable(f"no type of Python stands for {schema}")

    def _parameter(self, shape: Schema, game: "Game | None") -> str | None:
        prefix, order = game or ("", [])
        return next((name for name in order if self._parameters[prefix][name] == shape), None)

    def _reference(self, name: str, game: "Game | None") -> str:
        """Return the name of a class; a message of one game has the name that all games share, with parameters."""
        shared = name.removeprefix(game[0]) if game else name
        if shared == name or self._variants(shared) == [shared]:
            return RENAMED.get(name, name)
        parameters = self.message_class(shared).parameters
        return f"{shared}[{', '.join(parameters)}]" if parameters else shared

    def _named_shapes(self) -> dict[str, str]:
        tables = [*(module.aliases for module in MODULES.values()), *GAME_ALIASES.values()]
        shapes = {_key(_shape(self.at(place))): name for table in tables for name, place in table.items()}
        if len(shapes) != sum(map(len, tables)):
            raise Underivable("two aliases name the same type")
        return shapes


Game: TypeAlias = tuple[str, list[str]]
"""The prefix of a game, and the order in which parameters are tried: two of them may have the same type in a game."""
OBJECT = "dict[str, Any]"


def _name(reference: Schema) -> str:
    return reference["$ref"].removeprefix(REFERENCE)


def _inlined(part: Any, schemas: Mapping[str, Schema]) -> Any:
    """Return a part of the document with unions in the place of references to them; `tables` names unions."""
    if isinstance(part, list):
        return [_inlined(one, schemas) for one in part]
    if not isinstance(part, dict):
        return part
    union = schemas[_name(part)] if "$ref" in part else {}
    whole = {**union, **{key: value for key, value in part.items() if key != "$ref"}} if "anyOf" in union else part
    return {key: _inlined(value, schemas) for key, value in whole.items()}


def _shape(schema: Schema) -> Schema:
    """Return a schema without the parts that differ between fields of the same type."""
    return {key: value for key, value in schema.items() if key not in {"description", "default", "examples"}}


def _key(shape: Schema) -> str:
    """Return a key for an enumeration or a union; values of enumerations may have any order."""
    if "enum" in shape:
        return repr(sorted(map(repr, shape["enum"])))
    return repr([one.get("$ref") for one in shape["anyOf"]]) if "anyOf" in shape else ""


def _references(part: Any) -> list[str]:
    """Return the names of all schemas to which a part of the document refers."""
    if isinstance(part, dict):
        return [_name(part)] if "$ref" in part else [name for value in part.values() for name in _references(value)]
    return [name for value in part for name in _references(value)] if isinstance(part, list) else []


def _tag(whole: Schema) -> tuple[str, str] | None:
    found = [(name, schema["const"]) for name, schema in whole["properties"].items() if "const" in schema]
    return found[0] if found and found[0][0] in whole["required"] else None


def _literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _default(value: Any) -> str:
    return repr(tuple(value)) if isinstance(value, list) else _literal(value)
