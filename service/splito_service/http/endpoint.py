"""The declaration of an endpoint: everything that the service says about it stands beside its handler.

    BOTS = Endpoints("Bots")

    @BOTS.declare(
        "GET /v1/bots/{bot}",
        id="getBot",
        summary="Read a bot",
        description="...",
        answer=Bot,
        errors=("unknown-bot",),
        access=everybody(),
        example=examples.get_bot,
    )
    async def get_bot(request: AnyRequest, bot: FromPath[str]) -> ASGIApp: ...

The routes of the application, its answers to OPTIONS, the OpenAPI document, the permission table and the table of
operations in the docs are all made from these rows. An endpoint with `{game}` in its path is one operation of each
game, and `{Game}` in its id is the name of the game.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec
from litestar import HttpMethod, Response, route
from litestar.handlers import HTTPRouteHandler

from splito_service.http.access import Permission
from splito_service.http.examples.example import NONE, Examples
from splito_service.http.parameters import PARAMETERS
from splito_service.problems import STATUS

Kind: TypeAlias = type | str
"""A Struct; or the name of a type in `GameSchemas`, of which each game has its own."""
Handler: TypeAlias = Callable[..., Any]

EVENTS = "text/event-stream"
API = "/v1"

EVERY = ("too-many-requests", "too-many-connections", "unexpected", "unavailable", "busy")
BODY = ("bad-request", "too-large", "wrong-type", "too-slow")
STREAM = ("too-many-streams",)
KEY = ("no-key", "wrong-scope")
MATCH = ("unknown-match", "unknown-version")
"""Codes that several endpoints share; those of `EVERY` are added to each endpoint under `/v1`."""

IN_PATH = re.compile(r"\{(\w+)\}")


class Text:
    """Base of the markers for answers that are no JSON; the docstring of a marker describes the answer."""


def text_of(media: str) -> dict[str, str]:
    """Return the schema of an answer that is no JSON."""
    return {"type": "string", "contentMediaType": media}


class Link(msgspec.Struct, frozen=True):
    """An operation that a client can call next, with values of this answer."""

    target: str
    parameters: Mapping[str, str]
    body: Mapping[str, str] | None = None


def first_move(match: str) -> dict[str, str]:
    """Return the default move of a match, whose JSON pointer in the answer this is, as the body of a link."""
    return {"move": f"$response.body#{match}/legal_moves/0"}


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """The declaration of one endpoint."""

    call: str
    """Method and path."""
    id: str
    tag: str
    summary: str
    description: str
    access: Permission
    parameters: tuple[str, ...] = ()
    """Names of rows in `PARAMETERS`."""
    body: Kind | None = None
    status: int = 200
    answer: Kind | None = None
    """Type of the answer; None if it has no content. Of a stream of events, the type of one event's data."""
    media: str = "application/json"
    events: Mapping[str, Kind] = {}
    """Types of the data by the name of the event, if the answer is a stream of events."""
    others: Mapping[str, Mapping[str, object]] = {}
    """Schemas of the answer in other media types, by media type."""
    headers: tuple[str, ...] = ()
    also: Mapping[int, str] = {}
    """Descriptions of other answers that are no problems and have no content, by status."""
    errors: tuple[str, ...] = ()
    """Codes of the problems that a request can meet, beside those of `EVERY`."""
    links: tuple[Link, ...] = ()
    refused: str | None = None
    """Type of a refusal with status 409, if it says more than a `Problem`."""
    example: Callable[[Any], Examples] | None = None
    """Function that returns the examples: of all games, or of the `GameSchemas` of one game."""

    @property
    def method(self) -> str:
        """Return the HTTP method."""
        return self.call.partition(" ")[0]

    @property
    def path(self) -> str:
        """Return the path as OpenAPI writes it."""
        return self.call.partition(" ")[2]

    @property
    def per_game(self) -> bool:
        """True if every game has an operation of its own."""
        return "{game}" in self.path

    @property
    def limited(self) -> bool:
        """True if requests are counted."""
        return self.path.startswith(API + "/")

    @property
    def refuses_banned(self) -> bool:
        """True if the endpoint refuses the key of a banned owner: it changes something, and the row does not except it.

        A banned owner may still read, and delete what is theirs.
        """
        return self.access.scope is not None and self.method in ("POST", "PUT") and not self.access.while_banned

    @property
    def refusals(self) -> dict[int, tuple[str, ...]]:
        """Return the codes that a request can meet, by status."""
        met = {*self.errors, *(EVERY if self.limited else ("unexpected",))}
        if self.refuses_banned:
            met.add("banned")
        if self.media == EVENTS or "wait" in self.parameters:
            met |= {*STREAM}
        by_status: dict[int, tuple[str, ...]] = {}
        for code, status in STATUS.items():
            if code in met:
                by_status[status] = (*by_status.get(status, ()), code)
        return by_status

    def examples(self, scope: Any) -> Examples:
        """Return the examples for all games, or for the `GameSchemas` of one game."""
        return self.example(scope) if self.example else NONE


class Endpoints:
    """The endpoints of one concept, in the order of their declaration."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        """Tag of the operations that are of no game; the others have the title of their game."""
        self.rows: list[Endpoint] = []
        self.handlers: list[HTTPRouteHandler] = []

    def declare(self, call: str, **about: Any) -> Callable[[Handler], HTTPRouteHandler]:
        """Return the decorator that makes a function the handler of this endpoint; `about` are fields of `Endpoint`."""
        row = Endpoint(call=call, tag=self.tag, **about)

        def decorate(handler: Handler) -> HTTPRouteHandler:
            made = route(
                litestar_path(row.path),
                http_method=[HttpMethod(row.method)],
                status_code=row.status,
                opt={"scope": row.access.scope, "refuses_banned": row.refuses_banned},
            )(handler)
            self.rows.append(row)
            self.handlers.append(made)
            return made

        return decorate


def litestar_path(path: str) -> str:
    """Return the path as Litestar writes it, with the type of each parameter."""
    return IN_PATH.sub(_typed, path)


def _typed(name: re.Match[str]) -> str:
    row = PARAMETERS.get(name[1])
    return f"{{{name[1]}:{'int' if row and row.schema['type'] == 'integer' else 'str'}}}"


def handlers_of(groups: Sequence[Endpoints]) -> Iterator[HTTPRouteHandler]:
    """Return the handlers of these endpoints, and before them one of OPTIONS for each path with several methods.

    Litestar's own answer to OPTIONS names only one of several methods; it adds its own unless it has met ours before.
    """
    methods: dict[str, set[str]] = {}
    for row in (row for group in groups for row in group.rows):
        methods.setdefault(litestar_path(row.path), set()).add(row.method)
    for path, allowed in methods.items():
        if len(allowed) > 1:
            yield _options_handler(path, ", ".join(sorted({*allowed, "OPTIONS"})))
    for group in groups:
        yield from group.handlers


def _options_handler(path: str, methods: str) -> HTTPRouteHandler:
    async def tell_methods() -> Response[None]:
        return Response(None, headers={"Allow": methods})

    return route(path, http_method=[HttpMethod.OPTIONS], status_code=204)(tell_methods)
