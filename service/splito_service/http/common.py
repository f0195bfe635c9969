"""Functions that all routes share: read the key, body and language of a request, and answer JSON."""

import asyncio
from collections.abc import Coroutine, Mapping
from functools import cache
from typing import Any, TypeVar

import msgspec
from litestar import Request
from msgspec import UNSET, UnsetType

from splito_engine.game import LANGUAGES, Language
from splito_service.errors import BadRequest, TooLarge, TooSlow, Unavailable, WrongType
from splito_service.http.answers.responses import JSON, Answer, packed
from splito_service.http.limits.client_limits import limits_of
from splito_service.owners.keys import Holder, Keys

T = TypeVar("T")
AnyRequest = Request[Any, Any, Any]
MAX_BODY = 16_384
"""Largest body of a request in bytes; a match with eight names is far smaller."""
encode = msgspec.json.Encoder().encode


def json(body: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    """Return the answer with this body as JSON."""
    return Answer(encode(body), status, packed(headers) if headers else ())


async def read_body(request: AnyRequest, kind: Any, most: int = MAX_BODY) -> Any:
    """Return the body as that Struct. Raise `BadRequest`, `TooLarge`, `TooSlow` or `WrongType`."""
    if (header(request, b"content-type") or "").partition(";")[0].strip().lower() != JSON:
        raise WrongType(f"the body must be declared as Content-Type: {JSON}", field="Content-Type")
    bodies = limits_of(request.scope).bodies
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
    """Return the decoded body; 3.0 counts as an integer, because JSON Schema says so."""
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
    """Return the language of the answer: `lang`, else the best of `Accept-Language` that we have, else English."""
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
    """Return weight and language of one part of the header: `fr-CA;q=0.8` is French, by 0.8."""
    word, _, weight = part.partition(";q=")
    try:
        return float(weight or 1), word.strip().lower().partition("-")[0]
    except ValueError:
        return 0.0, ""


def header(request: AnyRequest, name: bytes) -> str | None:
    """Return the first header of that name, which is in lower case; None if there is none.

    Litestar's own `headers` is not used, because it first makes an object of all headers.
    """
    for found, value in request.scope["headers"]:
        if found == name:
            return value.decode("latin-1")
    return None


async def read_key(request: AnyRequest, keys: Keys) -> Holder:
    """Return the owner key of a request, with the scope that its endpoint declares.

    Raise `NoKey` or `WrongScope`, or `Banned` if the endpoint refuses banned owners.
    """
    about = request.route_handler.opt
    holder = await keys.read(header(request, b"authorization"), about["scope"])
    if about["refuses_banned"]:
        await keys.check_ban(holder)
    return holder


async def read_key_if_sent(request: AnyRequest, keys: Keys) -> Holder | None:
    """Return the owner key of a request; None if it has none. Raise as `read_key` for a wrong key."""
    return await read_key(request, keys) if header(request, b"authorization") else None


async def while_connected(request: AnyRequest, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of the work; if the client leaves before, cancel it and raise `Unavailable`."""
    working = asyncio.create_task(work)
    watching = asyncio.create_task(wait_for_leave(request.receive))
    try:
        await asyncio.wait([working, watching], return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise Unavailable("the client has disconnected")
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
