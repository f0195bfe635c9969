"""Reads a contract as its users do: what operations there are, and whether something is as it says."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import jsonschema
import yaml
from referencing import Registry
from referencing.jsonschema import DRAFT202012

Json: TypeAlias = dict[str, Any]

HERE = "urn:contract"


def read_yaml(text: str | bytes) -> Any:
    """Return what a YAML document says, with the reader in C if there is one: it takes an eighth of the time."""
    return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 (both are safe)


class Call(NamedTuple):
    """An operation, and where it stands."""

    method: str
    path: str
    operation: Json

    @property
    def id(self) -> str:
        return self.operation["operationId"]

    @property
    def name(self) -> str:
        return f"{self.method.upper()} {self.path}"


class Content(NamedTuple):
    """Something that is sent or received: its schema, and examples of it."""

    place: str
    schema: Json
    examples: dict[str, Any]


class Document:
    def __init__(self, whole: Json) -> None:
        self.whole = whole
        self._registry: Any = Registry[Any]().with_resource(HERE, DRAFT202012.create_resource(whole))

    @property
    def schemas(self) -> dict[str, Json]:
        return self.whole["components"]["schemas"]

    @property
    def calls(self) -> Iterator[Call]:
        for path, item in self.whole["paths"].items():
            for method, operation in item.items():
                yield Call(method, path, operation)

    def call(self, operation_id: str) -> Call:
        return next(call for call in self.calls if call.id == operation_id)

    def resolve(self, part: Json) -> Json:
        """Itself, or where it leads to."""
        found: Any = part
        if "$ref" in part:
            found = self.whole
            for step in part["$ref"].removeprefix("#/").split("/"):
                found = found[step]
        return found

    def responses(self, call: Call) -> dict[int, Json]:
        return {int(status): self.resolve(response) for status, response in call.operation["responses"].items()}

    def contents(self, call: Call) -> Iterator[Content]:
        """The body of the request and of every response."""
        for place, holder in (("request", call.operation.get("requestBody", {})), *call.operation["responses"].items()):
            for media in self.resolve(holder).get("content", {}).values():
                yield Content(f"{call.id} {place}", media["schema"], self._examples(media))

    def faults(self, schema: Json, value: Any) -> list[str]:
        """Return the errors of a value against its schema."""
        here = json.loads(json.dumps(schema).replace('"#/', f'"{HERE}#/'))
        validator: Any = jsonschema.Draft202012Validator(here, registry=self._registry)
        return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]

    def _examples(self, media: Json) -> dict[str, Any]:
        return {name: self.resolve(example)["value"] for name, example in media["examples"].items()}
