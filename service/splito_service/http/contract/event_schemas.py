"""Schemas of server-sent events, made from the endpoints: one for each kind of event of a stream, and their union."""

from collections.abc import Iterable, Sequence
from inspect import cleandoc
from typing import Any

from splito_service.http.contract.json_schemas import PLACE
from splito_service.http.contract.path_items import Scope, event_union
from splito_service.http.endpoint import Endpoint
from splito_service.http.examples.example import Json

ID = "Id of the event: its place in the stream. A client that reconnects sends the last one in `Last-Event-ID`."
UNION = "An event of `{operation}`, as a client reads it: the `data` of the stream is the JSON of the field `data`."


def event_schemas(endpoints: Sequence[Endpoint], scopes: Iterable[Scope]) -> dict[str, Json]:
    """Return the components of all event streams: in the scope of a game its own streams, else those of no game."""
    found: dict[str, Json] = {}
    for scope in scopes:
        for row in endpoints:
            if row.events and row.per_game == (scope.wire is not None):
                found |= _stream(row, scope)
    return found


def _stream(row: Endpoint, scope: Scope) -> dict[str, Json]:
    events = {name: scope.kind(kind) for name, kind in row.events.items()}
    places = {name: f"{PLACE}{kind.__name__}Event" for name, kind in events.items()}
    union = {
        "description": UNION.format(operation=scope.fill(row.id)),
        "anyOf": [{"$ref": place} for place in places.values()],
        "discriminator": {"propertyName": "event", "mapping": places},
    }
    kinds = {f"{kind.__name__}Event": _event(name, kind, scope) for name, kind in events.items()}
    return {**kinds, event_union(row, scope): union}


def _event(name: str, kind: Any, scope: Scope) -> Json:
    return {
        "description": cleandoc(kind.__doc__).partition("\n\n")[0],
        "type": "object",
        "properties": {
            "id": {"type": "string", "description": ID},
            "event": {"type": "string", "const": name, "description": "Name of the event."},
            "data": {"description": "Content of the event.", **scope.refs[kind]},
        },
        "required": ["id", "event", "data"],
    }
