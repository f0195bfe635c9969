"""What the routes have in common: reading bodies, languages and clients, and answering JSON."""

import asyncio
from collections.abc import Coroutine, Mapping
from functools import cache
from typing import Any, TypeVar

import msgspec
from litestar import HttpMethod, Request, Response, route
from litestar.handlers import HTTPRouteHandler
from msgspec import UNSET, UnsetType

from splito_engine.game import LANGUAGES, Language
from splito_service.errors import BadRequest, TooLarge, TooSlow, Unavailable, WrongType
from splito_service.http.context import context_of
from splito_service.http.limits.clients import CLIENT, LOCAL
from splito_service.http.limits.rates import Quota, spend_permit
from splito_service.http.responses import JSON, Answer, packed

T = TypeVar("T")
AnyRequest = Request[Any, Any, Any]
MAX_BODY = 16_384
"""Bytes. The largest request, a match with eight names, needs one."""
encode = msgspec.json.Encoder().encode


def json(body: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    return Answer(encode(body), status, packed(headers) if headers else ())


def telling(path: str, methods: str) -> HTTPRouteHandler:
    """What OPTIONS says there. Litestar would tell of one handler only, where there are several."""

    async def tell_methods() -> Response[None]:
        return Response(None, headers={"Allow": methods})

    return route(path, http_method=[HttpMethod.OPTIONS], status_code=204)(tell_methods)


async def read_body(request: AnyRequest, kind: Any, most: int = MAX_BODY) -> Any:
    """The body as that Struct, and nothing more than that; of so many bytes."""
    if (header(request, b"content-type") or "").partition(";")[0].strip().lower() != JSON:
        raise WrongType(f"the body must be declared as Content-Type: {JSON}", field="Content-Type")
    bodies = context_of(request).bodies
    try:
        raw = await bodies.wait(_receive_body(request, most))
    except TimeoutError:
        raise TooSlow(f"a body must arrive within {bodies.seconds:g} s", field="body") from None
    try:
        return _decode(kind, raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadRequest(f"the body cannot be read: {error}", field="body") from None


async def _receive_body(request: AnyRequest, most: int) -> bytes:
    raw, more = b"", True
    while more:
        message: Any = await request.receive()
        raw += message.get("body", b"")
        more = message.get("more_body", False)
        if len(raw) > most:
            raise TooLarge(f"a body has at most {most:,} bytes", field="body")
    return raw


def _decode(kind: Any, raw: bytes) -> Any:
    """In JSON Schema 3.0 is an integer too, so it is here. Hardly anybody writes it, so it may take longer."""
    try:
        return _decoder(kind).decode(raw)
    except msgspec.ValidationError:
        return msgspec.convert(_with_integers(msgspec.json.decode(raw)), kind)


def _with_integers(value: Any) -> Any:
    match value:
        case float() if value.is_integer():
            return int(value)
        case list():
            return [_with_integers(part) for part in value]  # pyright: ignore[reportUnknownVariableType]
        case dict():
            return {name: _with_integers(part) for name, part in value.items()}  # pyright: ignore[reportUnknownVariableType]
        case _:
            return value


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def choose_language(request: AnyRequest, lang: Language | UnsetType) -> Language:
    """What was asked for outright, else the best of `Accept-Language` that we have, else English."""
    if lang is not UNSET:
        return lang
    accepted = (header(request, b"accept-language") or "").split(",")[:20]
    ranked = sorted(map(_weighed, accepted), reverse=True, key=lambda one: one[0])
    for weight, word in ranked:
        for language in LANGUAGES:
            if weight > 0 and language == word:
                return language
    return "en"


def _weighed(part: str) -> tuple[float, str]:
    """`fr-CA;q=0.8` is French, by 0.8."""
    word, _, weight = part.partition(";q=")
    try:
        return float(weight or 1), word.strip().lower().partition("-")[0]
    except ValueError:
        return 0.0, ""


def header(request: AnyRequest, name: bytes) -> str | None:
    """The first of that name, which is in small letters. (Litestar would first make an object of all of them.)"""
    for found, value in request.scope["headers"]:
        if found == name:
            return value.decode("latin-1")
    return None


def client_of(request: AnyRequest) -> str:
    """Return the name of the client by which its limits are counted; `http.limits.admission` has found it."""
    scope: Any = request.scope
    return scope.get(CLIENT, LOCAL)


async def spend(request: AnyRequest, quota: Quota) -> None:
    """Take one permit of the client's quota. Raise `TooMany` if none is left."""
    context = context_of(request)
    await spend_permit(request.scope, context.limits, quota, client_of(request))


async def while_connected(request: AnyRequest, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of the work; if the client leaves before, cancel it and raise `Unavailable`."""
    working = asyncio.create_task(work)
    watching = asyncio.create_task(wait_for_leave(request.receive))
    try:
        await asyncio.wait([working, watching], return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise Unavailable("the client has left")
        return working.result()
    finally:
        for task in (working, watching):
            task.cancel()
        await asyncio.gather(working, watching, return_exceptions=True)


async def wait_for_leave(receive: Any) -> None:
    """Return when the client has closed the connection of its request."""
    message: Any = {}
    while message.get("type") != "http.disconnect":
        message = await receive()
