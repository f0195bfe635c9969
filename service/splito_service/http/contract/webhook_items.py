"""Webhook events as webhooks of the service's OpenAPI document: one row for each event."""

import msgspec

from splito_arena.net.signing import ID, addressed
from splito_service.http.contract.bot.operations import HEADERS, SCHEME
from splito_service.http.contract.json_schemas import Schemas
from splito_service.http.contract.webhook_events import TOLD, ToldEvent
from splito_service.http.examples.bot_messages import signed_headers
from splito_service.http.examples.example import EXAMPLE_ID, Json
from splito_service.http.examples.webhooks import MET, told
from splito_service.webhooks.model import event_id

EVENT_ID = (
    "Id of the hook, an underscore, and the id of the event. It is the same in every attempt, so that the receiver can"
    " ignore an event that it already has."
)
ANSWERS = {
    "204": "Delivered; so is any other 2xx. The arena ignores the body; its beginning is in the log of the hook.",
    "410": "The receiver wants no more events. The arena disables the hook at once.",
    "default": "Not delivered. The arena sends the event again after 5 s, 30 s, 2 min, 10 min, 1 h and 6 h, then gives"
    " up.",
}


def webhooks(schemas: Schemas, tag: str) -> Json:
    """Return the webhooks of the service's document that are events, by name."""
    return {row.webhook: {"post": _operation(row, schemas, tag)} for row in TOLD}


def parameters() -> dict[str, Json]:
    """Return the parameters of webhooks: the headers of a signed request, all required, because every hook has a
    secret.
    """
    shown = signed_headers() | {ID: addressed(EXAMPLE_ID, event_id("match.finished", EXAMPLE_ID))}
    return {
        _component(name): {
            "name": name,
            "in": "header",
            "required": True,
            **header._asdict(),
            **({"description": EVENT_ID} if name == ID else {}),
            "example": shown[name],
        }
        for name, header in HEADERS.items()
    }


def _component(header: str) -> str:
    """Return the name of the parameter component of a header: `event-id` for `webhook-id`."""
    return header.replace("webhook", "event")


def _operation(row: ToldEvent, schemas: Schemas, tag: str) -> Json:
    content = {"application/json": {"schema": schemas.refs[row.body], "examples": told(row.event)}}
    return {
        "operationId": row.id,
        "tags": [tag],
        "summary": row.summary,
        "description": row.description,
        "security": [{SCHEME: []}],
        "parameters": [{"$ref": f"#/components/parameters/{name}"} for name in map(_component, HEADERS)],
        "requestBody": {"required": True, "content": content},
        "responses": _challenged(row.answer, schemas) if row.answer else _answered(),
    }


def _answered() -> Json:
    return {status: {"description": meaning} for status, meaning in ANSWERS.items()}


def _challenged(answer: type[msgspec.Struct], schemas: Schemas) -> Json:
    content = {"application/json": {"schema": schemas.refs[answer], "examples": MET}}
    return {
        "200": {"description": "The proof. The arena sends events to the hook from now on.", "content": content},
        "default": {"description": "No proof. The arena sends no events to the hook."},
    }
