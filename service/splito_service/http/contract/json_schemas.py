"""The schemas of everything that travels, from the Structs themselves, with what their fields mean.

`msgspec` gives types, bounds, discriminators and the docstrings of classes. What stands below a field in the source,
as here, it does not see: that is read from the source, so that code and contract say the same.
"""

import ast
import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias, cast

import msgspec
from msgspec.inspect import Field, StructType, Type

Schema: TypeAlias = dict[str, Any]

PLACE = "#/components/schemas/"


class Schemas(NamedTuple):
    components: dict[str, Schema]
    refs: Mapping[Any, Schema]
    """Where each Struct is to be found."""


def schemas_of(kinds: Iterable[Any]) -> Schemas:
    """Of each Struct that is in these types, however deep."""
    structs = list(structs_in(kinds))
    refs, found = msgspec.json.schema_components(structs, ref_template=PLACE + "{name}")
    components: dict[str, Schema] = plain(found)
    for struct, ref in zip(structs, refs, strict=True):
        _describe(components[ref["$ref"].removeprefix(PLACE)], struct)
    for part in objects_in(components):
        _say_more(part)
    for schema in components.values():
        schema.pop("title", None)  # it is the name of the component
    return Schemas(components, dict(zip(structs, refs, strict=True)))


def union_of(kinds: Any) -> Schema:
    """Of Structs that are told apart by a field of theirs; they are described by themselves."""
    (found,), _ = msgspec.json.schema_components([kinds], ref_template=PLACE + "{name}")
    return plain(found)


def plain(value: Any) -> Any:
    """As it is on the wire: no tuples, no Structs."""
    return msgspec.json.decode(msgspec.json.encode(value))


def structs_in(kinds: Iterable[Any]) -> Iterator[type[msgspec.Struct]]:
    """Each of them once, in the order in which they are met."""
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


def _describe(schema: Schema, struct: type[msgspec.Struct]) -> None:
    properties: Mapping[str, Schema] = schema.get("properties", {})
    docs = field_docs(struct)
    for field in msgspec.structs.fields(struct):
        if field.name in docs and field.encode_name in properties:
            properties[field.encode_name]["description"] = docs[field.name]


def _say_more(schema: Schema) -> None:
    """As tools want it: a tuple says what is in it, one string is no enum, objects and nothing are no defaults."""
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
    """Every JSON object inside it, the outermost first."""
    if isinstance(value, dict):
        yield cast("dict[str, Any]", value)
    inner: Any = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    for part in inner:
        yield from objects_in(part)


def field_docs(kind: type) -> dict[str, str]:
    """What stands below the fields of a class and of those it is made from."""
    docs: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if issubclass(base, msgspec.Struct) and base is not msgspec.Struct:
            docs |= _docs_in(base.__module__).get(base.__name__, {})
    return docs


@cache
def _docs_in(module: str) -> dict[str, dict[str, str]]:
    """By class and field."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {node.name: dict(_docs_below(node.body)) for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


def _docs_below(body: Sequence[ast.stmt]) -> Iterator[tuple[str, str]]:
    for above, below in pairwise(body):
        match above, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, " ".join(text.split())
            case _:
                continue
