"""Problems (RFC 9457) with which the service refuses requests, each with a stable code.

The table gives every code its HTTP status: 400 for a request that violates the contract, 409 for one that fits the
contract but is refused by the match or the game, 404 for an unknown thing.
"""

import logging
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException
from msgspec import UNSET, UnsetType

from splito_engine.errors import GameError
from splito_service.errors import BadRequest, NotFound, TooLarge, Unexpected, WrongMethod

MEDIA_TYPE = "application/problem+json"
TYPE = "/v1/problems#"
"""Type of a problem without its code: an address of the service that lists the meaning of every code."""

STATUS = {
    "bad-request": 400,
    "no-token": 401,
    "no-key": 401,
    "wrong-token": 403,
    "wrong-scope": 403,
    "wrong-owner": 403,
    "not-allowed": 403,
    "banned": 403,
    "protected": 403,
    "not-found": 404,
    "unknown-game": 404,
    "unknown-match": 404,
    "unknown-owner": 404,
    "unknown-key": 404,
    "unknown-bot": 404,
    "unknown-ask": 404,
    "unknown-check": 404,
    "unknown-hook": 404,
    "unknown-delivery": 404,
    "unknown-tournament": 404,
    "unknown-block": 404,
    "unknown-series": 404,
    "wrong-method": 405,
    "too-slow": 408,
    "wrong-players": 409,
    "bad-option": 409,
    "bad-name": 409,
    "bad-bot": 409,
    "bad-nudge": 409,
    "not-begun": 409,
    "not-over": 409,
    "already-over": 409,
    "already-begun": 409,
    "not-open": 409,
    "too-many-games": 409,
    "not-your-turn": 409,
    "unknown-move": 409,
    "illegal-move": 409,
    "already-sealed": 409,
    "wrong-turn": 409,
    "out-of-time": 409,
    "already-answered": 409,
    "wrong-ask": 409,
    "wrong-schema": 409,
    "unknown-seat": 409,
    "seat-taken": 409,
    "bad-address": 409,
    "wrong-kind": 409,
    "not-proved": 409,
    "not-ready": 409,
    "not-banned": 409,
    "no-room": 409,
    "unknown-version": 409,
    "too-large": 413,
    "wrong-type": 415,
    "too-many-requests": 429,
    "too-many-matches": 429,
    "too-many-streams": 429,
    "too-many-connections": 429,
    "unexpected": 500,
    "lookup-failed": 503,
    "unavailable": 503,
    "busy": 503,
}
"""HTTP status of every code that a request can meet."""

FROM_STATUS: Mapping[int, type[GameError]] = {400: BadRequest, 404: NotFound, 405: WrongMethod, 413: TooLarge}
"""Errors for the refusals of Litestar, by status."""

MoveT = TypeVar("MoveT")


class Problem(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The problem (RFC 9457) with which a request is refused. A refused request has changed nothing."""

    type: str
    title: str
    status: int
    detail: str
    """Explanation of the refusal, for a person."""
    code: str
    """Stable code of the refusal, for programs."""
    seat: int | None = None
    card: str | None = None
    field: str | None = None


class MoveProblemOf(Problem, Generic[MoveT], frozen=True, omit_defaults=True, kw_only=True):
    """The problem of a refused move, with the legal moves."""

    legal_moves: list[MoveT] | UnsetType = UNSET


class AnswerProblemOf(MoveProblemOf[MoveT], Generic[MoveT], frozen=True, omit_defaults=True, kw_only=True):
    """The problem of a refused answer, with the legal moves and the time in which it may be corrected."""

    milliseconds_left: int | UnsetType = UNSET


def problem_fields(error: GameError) -> dict[str, Any]:
    return {
        "type": TYPE + error.code,
        "title": title(type(error)),
        "status": STATUS[error.code],
        "detail": error.message,
        "code": error.code,
        "seat": error.seat,
        "card": error.card,
        "field": error.field,
    }


def title(kind: type[GameError]) -> str:
    return (kind.__doc__ or "").partition("\n")[0].rstrip(".")


def table() -> list[tuple[str, int, str]]:
    """Return code, status and title of every problem with which a request can be refused."""
    kinds = {kind.code: kind for kind in _tree(GameError) if "code" in vars(kind)}
    return [(code, status, title(kinds[code])) for code, status in STATUS.items()]


def _tree(kind: type[GameError]) -> list[type[GameError]]:
    return [kind, *(below for child in kind.__subclasses__() for below in _tree(child))]


def answer(problem: Problem, headers: Mapping[str, str] | None = None) -> Response[bytes]:
    return Response(
        msgspec.json.encode(problem), status_code=problem.status, media_type=MEDIA_TYPE, headers=dict(headers or {})
    )


def refuse(error: GameError, headers: Mapping[str, str] | None = None) -> Response[bytes]:
    if error.code not in STATUS:
        return unexpected(error)
    return answer(Problem(**problem_fields(error)), {**HEADERS.get(error.code, {}), **(headers or {})})


HEADERS = {
    "no-token": {"WWW-Authenticate": "Bearer"},
    "no-key": {"WWW-Authenticate": "Bearer"},
    "unavailable": {"Retry-After": "1"},
    "busy": {"Retry-After": "1"},
    "too-many-matches": {"Retry-After": "5"},
    "too-many-streams": {"Retry-After": "5"},
    "too-many-connections": {"Retry-After": "1", "Connection": "close"},
    "too-slow": {"Connection": "close"},
}


def on_game_error(_: Request[Any, Any, Any], error: GameError) -> Response[bytes]:
    return refuse(error)


def on_http_error(request: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    kind = FROM_STATUS.get(error.status_code)
    if kind is None:
        return on_exception(request, error)
    return refuse(kind(_detail(error)), error.headers)


def on_exception(_: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    return unexpected(error)


def unexpected(error: Exception) -> Response[bytes]:
    logging.getLogger("splito").error("unexpected error while a request was answered", exc_info=error)
    return answer(Problem(**problem_fields(Unexpected("internal error of the service; it has been logged"))))


def _detail(error: HTTPException) -> str:
    """Return the detail of an error of Litestar, which names the wrong parameters in `extra`."""
    extra: Any = error.extra
    if isinstance(extra, list):
        faults = [f"{item['key']}: {item['message']}" for item in extra if "key" in item and "message" in item]  # pyright: ignore[reportUnknownVariableType]
        return "; ".join(faults) or error.detail
    return error.detail
