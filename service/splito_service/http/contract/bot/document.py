"""The OpenAPI document of a bot: the requests that the arena sends, and the answers that a bot must give.

The operations are a table (`operations`), the schemas come from the Structs of `splito_arena.match.messages`, the
examples from played matches (`bot_messages`), the faults from `splito_arena.faults`. The same operations are the paths
of the bot's document and webhooks of the service's document.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from typing import Any

from splito_arena.faults import FAULTS
from splito_arena.match.messages import messages_of
from splito_arena.match.terms import STRIKES
from splito_arena.net.http_response import BODY_LIMIT, HEAD_LIMIT
from splito_arena.net.signing import SIGNATURE
from splito_engine.game import AnyGame
from splito_service.bots.schemas import BotProblem
from splito_service.http.contract.bot.operations import HEADERS, OF_BOTS, OPTIONAL, SCHEME, BotOperation, Kind
from splito_service.http.contract.game_schemas import own_properties
from splito_service.http.contract.json_schemas import PLACE, Schemas
from splito_service.http.examples.bot_messages import bot_examples, signed_headers
from splito_service.http.examples.example import Json
from splito_service.problems import MEDIA_TYPE

SIGNED = (
    "A signature after Standard Webhooks, which only the arena and the holder of the bot's secret can make. Requests to"
    " a bot without a secret have none. See the section on signatures."
)
REFUSALS = {
    "BotRefuses": "The bot refuses the request, for example with 401 for a wrong signature. The arena counts the fault"
    " `bad-status`.",
    "BotFails": "Any other status than 200. The arena counts the fault `bad-status` or `redirect`, and plays the"
    " default move.",
}


class BotContract:
    """The operations of a bot that plays these games. `schemas` may hold more schemas than a bot needs.

    The service's document lists them without examples, because the bot's document has the examples.
    """

    def __init__(self, games: Sequence[AnyGame], schemas: Schemas, *, has_examples: bool = True) -> None:
        self._games, self._schemas, self._has_examples = games, schemas, has_examples

    def paths(self, tag: str) -> Json:
        """Return the path items of a bot's own document."""
        found: Json = {}
        for row in OF_BOTS:
            method, _, path = row.call.partition(" ")
            found[path] = {method.lower(): self._operation(row, tag)}
        return found

    def webhooks(self, tag: str) -> Json:
        """Return the same path items by the names of the service's webhooks."""
        paths = self.paths(tag)
        return {row.webhook: paths[row.call.partition(" ")[2]] for row in OF_BOTS}

    @cached_property
    def components(self) -> dict[str, Json]:
        """Return the components that the operations refer to, apart from schemas."""
        return {
            "securitySchemes": {SCHEME: {"type": "apiKey", "in": "header", "name": SIGNATURE, "description": SIGNED}},
            "parameters": _parameters(),
            "responses": {name: self._refusal(name, meaning) for name, meaning in REFUSALS.items()},
            "examples": bot_examples(self._games) if self._has_examples else {},
        }

    def _operation(self, row: BotOperation, tag: str) -> Json:
        found: Json = {
            "operationId": row.id,
            "tags": [tag],
            "summary": row.summary,
            "description": row.description,
            "security": OPTIONAL,
            "parameters": [{"$ref": f"#/components/parameters/{name}"} for name in HEADERS],
        }
        if row.body is not None:
            found["requestBody"] = {"required": True, "content": self._content(row.body, row.shown)}
        success = {"description": "The answer of the bot.", "content": self._content(row.answer, row.answers)}
        refusals = {"4XX": _response("BotRefuses"), "default": _response("BotFails")}
        return found | {"responses": {"200": success, **refusals}}

    def _content(self, kind: Kind, shown: Sequence[str]) -> Json:
        names = [filled for name in shown for filled in self._fill(name)]
        return {"application/json": {"schema": self._schema(kind), **self._examples(names)}}

    def _examples(self, names: Sequence[str]) -> Json:
        if not self._has_examples:
            return {}
        return {"examples": {name: {"$ref": f"#/components/examples/{name}"} for name in names}}

    def _fill(self, name: str) -> Sequence[str]:
        if "{Game}" not in name:
            return [name]
        return [name.format(Game=game.INFO.id.capitalize()) for game in self._games]

    def _schema(self, kind: Kind) -> Json:
        """Return the schema of a message, one of each game.

        Asks name their game; answers need not, because the arena knows the ask.
        """
        if not isinstance(kind, str):
            return self._schemas.refs[kind]
        refs = [self._schemas.refs[getattr(messages_of(game), kind)] for game in self._games]
        if len(refs) == 1:
            return refs[0]
        told = self._told_apart([ref["$ref"] for ref in refs])
        return {"anyOf": refs} | ({"discriminator": {"propertyName": "game", "mapping": told}} if told else {})

    def _told_apart(self, places: Sequence[str]) -> Mapping[str, str]:
        """Return the place of each game's schema, for schemas that name the game."""
        fields = {place: own_properties(self._schemas.components[place.removeprefix(PLACE)]) for place in places}
        return {named["game"]["const"]: place for place, named in fields.items() if "const" in named.get("game", {})}

    def _refusal(self, name: str, meaning: str) -> Json:
        content = {"schema": self._schemas.refs[BotProblem], **self._examples([name])}
        return {"description": meaning, "content": {MEDIA_TYPE: content}}


def bot_kinds(games: Sequence[AnyGame]) -> Iterator[Any]:
    """Return every message type between the arena and a bot."""
    yield BotProblem
    for row in OF_BOTS:
        for kind in (row.body, row.answer):
            yield from (getattr(messages_of(game), kind) for game in games) if isinstance(kind, str) else [kind]


def description(games: Sequence[AnyGame]) -> str:
    """Return the description of the document in Markdown: limits, faults and the rules of these games filled in."""
    page = files("splito_service.http.contract").joinpath("bot.md").read_text("utf-8")
    limits = {"{body}": f"{BODY_LIMIT:,}", "{head}": f"{HEAD_LIMIT:,}", "{strikes}": str(STRIKES)}
    rules = "\n".join(_below(game.rulebook("en"), 2) for game in games)
    for name, value in (limits | {"{faults}": fault_table(), "{games}": rules}).items():
        page = page.replace(name, value)
    return page


def _below(page: str, levels: int) -> str:
    """Return a page of Markdown with its headings so many levels deeper; text between code fences stays as it is."""
    parts = page.split("```")
    parts[::2] = [re.sub(r"^#", "#" * (levels + 1), part, flags=re.MULTILINE) for part in parts[::2]]
    return "```".join(parts)


def fault_table() -> str:
    """Return the table of faults in Markdown."""
    rows = [
        f"| `{code}` | {kind.meaning} | {kind.advice} | {'yes' if kind.again else 'no'} |"
        for code, kind in FAULTS.items()
    ]
    return "\n".join(["| code | what is wrong | what to do | asked again |", "|---|---|---|---|", *rows])


def _parameters() -> dict[str, Json]:
    shown = signed_headers()
    return {
        name: {
            "name": name,
            "in": "header",
            "required": False,
            "schema": header.schema,
            "description": f"{header.description} Missing if the request is not signed.",
            "example": shown[name],
        }
        for name, header in HEADERS.items()
    }


def _response(name: str) -> Json:
    return {"$ref": f"#/components/responses/{name}"}
