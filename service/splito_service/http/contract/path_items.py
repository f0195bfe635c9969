"""Operations in OpenAPI form: an endpoint declaration with the types and examples of one game."""

from collections.abc import Iterable, Mapping, Sequence
from inspect import cleandoc
from typing import Any, NamedTuple

from splito_engine.game import AnyGame
from splito_service.http.access import Permission
from splito_service.http.contract.json_schemas import PLACE
from splito_service.http.contract.problem_responses import QUOTA, problems_of, refusal_response, refusals_of
from splito_service.http.endpoint import EVENTS, Endpoint, Kind, Link, Text, text_of
from splito_service.http.examples.example import Examples, Json
from splito_service.http.parameters import PARAMETERS, header_refs, parameter_ref
from splito_service.matches.schemas import GameSchemas

SCHEME = "seatToken"
KEY = "ownerKey"


class Scope(NamedTuple):
    """The values that the rows of operations are filled in with."""

    refs: Mapping[Any, Json]
    games: Sequence[AnyGame]
    wire: GameSchemas | None = None
    """Types of one game; None for operations that are of no game."""

    @property
    def game(self) -> str:
        return self.wire.game.INFO.id if self.wire else ""

    def tag(self, row: Endpoint) -> str:
        """Return the tag of an operation."""
        return self.wire.game.INFO.titles["en"] if self.wire else row.tag

    def fill(self, text: str) -> str:
        return text.replace("{game}", self.game).replace("{Game}", self.game.capitalize())

    def kind(self, kind: Kind) -> Any:
        return getattr(self.wire, kind) if isinstance(kind, str) else kind


def path_items(rows: Iterable[Endpoint], scope: Scope) -> dict[str, Json]:
    paths: dict[str, Json] = {}
    for row in rows:
        method, _, path = scope.fill(row.call).partition(" ")
        paths.setdefault(path, {})[method.lower()] = operation_object(row, scope)
    return paths


def operation_object(row: Endpoint, scope: Scope) -> Json:
    shown = row.examples(scope.wire or scope.games)
    found: Json = {
        "operationId": scope.fill(row.id),
        "tags": [scope.tag(row)],
        "summary": row.summary,
        "description": row.description,
        "security": security(row.access),
        "parameters": [parameter_ref(name, scope.game) for name in row.parameters],
        "x-problems": problems_of(row),
    }
    if row.body is not None:
        content = {"application/json": {"schema": scope.refs[scope.kind(row.body)], "examples": dict(shown.body)}}
        found["requestBody"] = {"required": True, "content": content}
    return found | {"responses": _responses(row, scope, shown)}


def security(permission: Permission) -> list[Json]:
    """Return the security section of an operation."""
    match permission.access:
        case "public":
            return []
        case "seat":
            return [{SCHEME: []}]
        case "either":
            return [{}, {SCHEME: []}]
        case "owner":
            return [{KEY: []}]
        case "owner-or-public":
            return [{}, {KEY: []}]


def _responses(row: Endpoint, scope: Scope, shown: Examples) -> Json:
    headers = header_refs(*row.headers, *(QUOTA if row.limited else ()))
    found = {str(row.status): _success(row, scope, shown) | ({"headers": headers} if headers else {})}
    for status, meaning in row.also.items():
        found[str(status)] = {"description": meaning, "headers": headers}
    special: Json = {}
    if row.refused:
        special = refusal_response(row.refusals[409], scope.refs[scope.kind(row.refused)], shown.refused)
    return found | refusals_of(row, special)


def _success(row: Endpoint, scope: Scope, shown: Examples) -> Json:
    if row.answer is None:
        return {"description": "Done."}
    kind = scope.kind(row.answer)
    content = {row.media: {"schema": _schema(row, kind, scope), "examples": dict(shown.answer)}}
    for media, schema in row.others.items():
        content[media] = {"schema": dict(schema), "examples": dict(shown.others[media])}
    found: Json = {"description": cleandoc(kind.__doc__), "content": content}
    return found | ({"links": dict(_link(link, scope) for link in row.links)} if row.links else {})


def _link(link: Link, scope: Scope) -> tuple[str, Json]:
    target = scope.fill(link.target)
    body = {} if link.body is None else {"requestBody": link.body}
    return target, {"operationId": target, "parameters": dict(link.parameters), **body}


def _schema(row: Endpoint, kind: Any, scope: Scope) -> Json:
    if row.media == EVENTS:
        return _event_stream(row, scope)
    return text_of(row.media) if isinstance(kind, type) and issubclass(kind, Text) else scope.refs[kind]


def event_union(row: Endpoint, scope: Scope) -> str:
    """Return the name of the schema of a stream's events: `SplitoMatchEvent` for `watchSplitoMatch`."""
    return f"{scope.fill(row.id).removeprefix('watch')}Event"


def _event_stream(row: Endpoint, scope: Scope) -> Json:
    """Return the schema of an event stream: a text and, for tools that parse it, the JSON of each kind of event.

    OpenAPI 3.1 has no keyword for the items of a stream, so `contentSchema` is the schema of one event. There is no
    `contentMediaType`: the media type stands above the schema, and tools would parse each event as a stream again.
    """
    carried = [scope.refs[scope.kind(kind)] for kind in row.events.values()]
    place = next(PARAMETERS[name] for name in row.parameters if (PARAMETERS[name].name or name) == "Last-Event-ID")
    event = {
        "id": place.schema,
        "event": {"type": "string", "enum": list(row.events)},
        "data": {"type": "string", "contentMediaType": "application/json", "contentSchema": {"anyOf": carried}},
    }
    return {
        "type": ["string", "object"],
        "contentSchema": {"$ref": PLACE + event_union(row, scope)},
        "properties": event,
        "required": list(event),
        "additionalProperties": False,
    }
