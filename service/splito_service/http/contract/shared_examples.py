"""Examples of the document, each written once in its components and referred to where it is shown."""

from collections.abc import Iterator
from typing import Any

import msgspec

from splito_service.http.contract.json_schemas import objects_in
from splito_service.http.examples.example import Json

PLACE = "#/components/examples/"


def share_examples(paths: Json) -> dict[str, Json]:
    """Replace the examples in these paths by references; return the examples by name.

    An example is named after the type of its message. Equal examples of one type are one example.
    """
    found: dict[str, Json] = {}
    names: dict[bytes, str] = {}
    for kind, content in _contents_in(paths):
        for label, example in content["examples"].items():
            if "$ref" in example:
                continue
            key = msgspec.json.encode((kind, example["value"]))
            if key not in names:
                names[key] = _free_name(f"{kind}-{label}", found)
                found[names[key]] = example
            content["examples"] = {**content["examples"], label: {"$ref": PLACE + names[key]}}
    return found


def _contents_in(paths: Json) -> Iterator[tuple[str, Json]]:
    """Return each content that has examples, with the name of its type or else of its operation."""
    for operation in (part for part in objects_in(paths) if "operationId" in part and "responses" in part):
        for content in (part for part in objects_in(operation) if "schema" in part and "examples" in part):
            yield _kind(content["schema"]) or operation["operationId"], content


def _kind(schema: Any) -> str:
    return schema.get("$ref", "").rpartition("/")[2]


def _free_name(name: str, taken: dict[str, Json]) -> str:
    number = 1
    while (free := name if number == 1 else f"{name}-{number}") in taken:
        number += 1
    return free
