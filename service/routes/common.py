"""What the routes have in common: reading bodies, languages and clients, and answering JSON."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.types import Message, Scope
from msgspec import UNSET, UnsetType

from engine.game import LANGUAGES, Language
from service.errors import BadRequest, TooMany, WrongType
from service.hall import Hall, hall_of
from service.limits import Quota

JSON = "application/json"
AnyRequest = Request[Any, Any, Any]
LIMITS = "splito.limits"
encode = msgspec.json.Encoder().encode


def json(body: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response[bytes]:
    return Response(encode(body), status_code=status, media_type=JSON, headers=headers)


async def read_body(request: AnyRequest, kind: Any) -> Any:
    """The body as that Struct, and nothing more than that."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        raise WrongType(f"the body must be declared as Content-Type: {JSON}", field="Content-Type")
    raw = await request.body()
    try:
        return _decode(kind, raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadRequest(f"the body cannot be read: {error}", field="body") from None


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
    accepted = request.headers.get("accept-language", "").split(",")[:20]
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


def client_of(request: AnyRequest, hall: Hall) -> str:
    """Whose quota it is: the address that connected, or the one that our proxy saw."""
    if hall.behind_proxy and (seen := request.headers.get("x-forwarded-for")):
        return seen.rpartition(",")[2].strip()[:64]
    return request.client.host if request.client else "local"


async def spend_permit(request: AnyRequest) -> None:
    """Before every request: may this client ask for more?"""
    await spend(request, hall_of(request).requests)


async def spend(request: AnyRequest, quota: Quota) -> None:
    hall = hall_of(request)
    spent = await hall.limits.spend(quota, client_of(request, hall))
    if spent is None:
        return
    request.scope[LIMITS] = spent.headers  # pyright: ignore[reportGeneralTypeIssues] (a key of our own)
    if not spent.granted:
        raise TooMany(f"at most {quota.permits} a minute; try again in {spent.seconds} s", field=quota.name)


async def tell_limits(message: Message, scope: Scope) -> None:
    """Before every answer, refusals included: what is left goes into its headers."""
    if message["type"] == "http.response.start" and LIMITS in scope:
        message["headers"] = [*message["headers"], *scope[LIMITS]]  # pyright: ignore[reportGeneralTypeIssues]
