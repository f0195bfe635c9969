"""What the routes have in common: reading bodies, languages and clients, and answering JSON."""

from collections.abc import Mapping
from functools import cache
from time import time
from typing import Any

import msgspec
from litestar import HttpMethod, Request, Response, route
from litestar.handlers import HTTPRouteHandler
from msgspec import UNSET, UnsetType

from engine.game import LANGUAGES, Language
from service.errors import BadRequest, TooLarge, TooMany, WrongType
from service.hall import Hall, hall_of
from service.limits import SPENT, Quota
from service.routes.answer import JSON, Answer, packed

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
    raw = await _receive_body(request, most)
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


def client_of(request: AnyRequest, hall: Hall) -> str:
    """Whose quota it is: the address that connected, or the one that our proxy saw."""
    if hall.behind_proxy and (seen := header(request, b"x-forwarded-for")):
        return seen.rpartition(",")[2].strip()[:64]
    client = request.scope["client"]
    return client[0] if client else "local"


async def spend_permit(request: AnyRequest) -> None:
    """Before every request: may this client ask for more?"""
    await spend(request, hall_of(request).requests)


async def spend_asking(request: AnyRequest) -> None:
    """Instead of that, for bots that poll."""
    await spend(request, hall_of(request).asking)


async def spend(request: AnyRequest, quota: Quota) -> None:
    hall = hall_of(request)
    client = client_of(request, hall)
    spent = hall.limits.spend_held(quota, client, time()) or await hall.limits.spend(quota, client)
    if spent is None:
        return
    request.scope[SPENT] = spent.headers  # pyright: ignore[reportGeneralTypeIssues] (a key of our own)
    if not spent.granted:
        raise TooMany(f"at most {quota.permits} a minute; try again in {spent.seconds} s", field=quota.name)
