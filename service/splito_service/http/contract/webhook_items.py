"""Webhook events as webhooks of the service's OpenAPI document: one row for each event."""

import msgspec

from splito_arena.net.signing import ID, addressed
from splito_service.http.contract.bot.operations import HEADERS, SCHEME
from splito_service.http.contract.json_schemas import Schemas
from splito_service.http.contract.webhook_events import TOLD, ToldEvent
from splito_service.http.examples.example import EXAMPLE_ID, Json
from splito_service.http.examples.webhooks import MET, told
from splito_service.webhooks.model import event_id

EVENT_ID = "event-id"
"""Name of the parameter component; in the request it is the header `webhook-id`."""
ANSWERS = {
    "204": "Taken; so is any other 2xx. Nobody looks at the body, but its beginning is in the log of the hook.",
    "410": "The hook wants nothing more, and is disabled at once.",
    "default": "Not taken: it is sent again after 5 s, 30 s, 2 min, 10 min, 1 h and 6 h, and then given up.",
}


def webhooks(schemas: Schemas, tag: str) -> Json:
    return {row.webhook: {"post": _operation(row, schemas, tag)} for row in TOLD}


def parameters() -> dict[str, Json]:
    """Return the parameters that only webhooks have."""
    shown = {
        "description": "The id of the hook, an underscore, and the id of the event: the same in every try, so that"
        " nobody need take it twice.",
        "schema": HEADERS[ID].schema,
        "example": addressed(EXAMPLE_ID, event_id("match.finished", EXAMPLE_ID)),
    }
    return {EVENT_ID: {"name": ID, "in": "header", "required": True, **shown}}


def _operation(row: ToldEvent, schemas: Schemas, tag: str) -> Json:
    names = [EVENT_ID if name == ID else name for name in HEADERS]
    content = {"application/json": {"schema": schemas.refs[row.body], "examples": told(row.event)}}
    return {
        "operationId": row.id,
        "tags": [tag],
        "summary": row.summary,
        "description": row.description,
        "security": [{SCHEME: []}],
        "parameters": [{"$ref": f"#/components/parameters/{name}"} for name in names],
        "requestBody": {"required": True, "content": content},
        "responses": _challenged(row.answer, schemas) if row.answer else _answered(),
    }


def _answered() -> Json:
    return {status: {"description": meaning} for status, meaning in ANSWERS.items()}


def _challenged(answer: type[msgspec.Struct], schemas: Schemas) -> Json:
    content = {"application/json": {"schema": schemas.refs[answer], "examples": MET}}
    return {
        "200": {"description": "The proof: the hook is told events from now on.", "content": content},
        "default": {"description": "Not met: the hook is told nothing."},
    }
