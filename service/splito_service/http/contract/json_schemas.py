"""JSON schemas of all messages, made from the Structs, with the descriptions of their fields.

`msgspec` gives types, bounds, discriminators and the docstrings of classes. It does not see the string below a field,
so that is read from the source, and code and contract say the same.
"""

import ast
import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from inspect import cleandoc
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias, cast

import msgspec
from msgspec.inspect import Field, StructType, Type

Schema: TypeAlias = dict[str, Any]

PLACE = "#/components/schemas/"


class Schemas(NamedTuple):
    components: dict[str, Schema]
    refs: Mapping[Any, Schema]
    """Reference to the schema of each Struct."""


def schemas_of(kinds: Iterable[Any]) -> Schemas:
    """Return the schema of each Struct that is in these types, at any depth."""
    structs = list(structs_in(kinds))
    refs, found = msgspec.json.schema_components(structs, ref_template=PLACE + "{name}")
    components: dict[str, Schema] = plain(found)
    for struct, ref in zip(structs, refs, strict=True):
        _describe(components[ref["$ref"].removeprefix(PLACE)], struct)
    for part in objects_in(components):
        _say_more(part)
    for schema in components.values():
        schema.pop("title", None)  # the title is the name of the component
        if "description" in schema:  # a docstring, whose lines Python 3.13 does not indent and older versions do
            schema["description"] = cleandoc(schema["description"])
    return Schemas(components, dict(zip(structs, refs, strict=True)))


def union_of(kinds: Any) -> Schema:
    """Return the union of Structs that are told apart by a field; each Struct has its own description."""
    (found,), _ = msgspec.json.schema_components([kinds], ref_template=PLACE + "{name}")
    return plain(found)


def plain(value: Any) -> Any:
    """Return the value as JSON has it, without tuples and Structs."""
    return msgspec.json.decode(msgspec.json.encode(value))


def structs_in(kinds: Iterable[Any]) -> Iterator[type[msgspec.Struct]]:
    """Return each Struct in these types once, in the order of appearance."""
    seen: set[type] = set()
    for info in msgspec.inspect.multi_type_info(kinds):
        yield from _structs(info, seen)


def _structs(info: object, seen: set[type]) -> Iterator[type[msgspec.Struct]]:
    if isinstance(info, StructType):
        if info.cls in seen:
            return
        seen.add(info.cls)
        yield info.cls
    if isinstance(info, Type | Field):
        for name in info.__struct_fields__:
            yield from _structs(getattr(info, name), seen)
    elif isinstance(info, tuple):
        for part in cast("tuple[object, ...]", info):
            yield from _structs(part, seen)


TAGS = {
    "game": "Id of the game.",
    "do": "Kind of the move.",
    "kind": "Name of this kind.",
    "type": "Name of the event.",
    "event": "Name of the event.",
}
"""Descriptions of the fields that tell the Structs of a union apart, because such a field is not in the class body."""


def _describe(schema: Schema, struct: type[msgspec.Struct]) -> None:
    properties: Mapping[str, Schema] = schema.get("properties", {})
    if tag := struct.__struct_config__.tag_field:
        properties[tag]["description"] = TAGS[tag]
    docs = field_docs(struct)
    for field in msgspec.structs.fields(struct):
        if field.name in docs and field.encode_name in properties:
            properties[field.encode_name]["description"] = docs[field.name]


def _say_more(schema: Schema) -> None:
    """Adapt a schema to tools: tuples state their items, single strings are constants, objects and null are no
    defaults.
    """
    match schema:
        case {"enum": [str(only)]}:
            del schema["enum"]
            schema |= {"type": "string", "const": only}
        case {"enum": [str(), *_]}:
            schema["type"] = "string"
        case {"prefixItems": [first, *others]}:
            kinds = [first, *(kind for kind in others if kind != first)]
            schema["items"] = first if len(kinds) == 1 else {"anyOf": kinds}
        case {"default": dict() | None, "$ref": _} | {"default": dict() | None, "anyOf": _}:
            del schema["default"]
        case _:
            return


def objects_in(value: Any) -> Iterator[dict[str, Any]]:
    """Return every JSON object inside a value, the outermost first."""
    if isinstance(value, dict):
        yield cast("dict[str, Any]", value)
    inner: Any = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    for part in inner:
        yield from objects_in(part)


def field_docs(kind: type) -> dict[str, str]:
    """Return the descriptions below the fields of a class and of its bases."""
    docs: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if issubclass(base, msgspec.Struct) and base is not msgspec.Struct:
            docs |= _docs_in(base.__module__).get(base.__name__, {})
    return docs


@cache
def _docs_in(module: str) -> dict[str, dict[str, str]]:
    """Return the descriptions of a module, by class and field."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {node.name: dict(_docs_below(node.body)) for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


def _docs_below(body: Sequence[ast.stmt]) -> Iterator[tuple[str, str]]:
    for above, below in pairwise(body):
        match above, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, " ".join(text.split())
            case _:
                continue
