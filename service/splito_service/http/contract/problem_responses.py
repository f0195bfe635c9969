"""Problem responses of the contract: an example of every code, and one response for each status."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any, TypeAlias

import msgspec

from splito_service.http.endpoint import EVERY, Endpoint
from splito_service.http.examples.problems import EXAMPLES
from splito_service.http.parameters import header_refs
from splito_service.problems import HEADERS, MEDIA_TYPE, STATUS, Problem, problem_fields, table

Json: TypeAlias = dict[str, Any]

QUOTA = ("RateLimit", "RateLimit-Policy")
SENT_WITH = {code: [name for name in headers if name != "Connection"] for code, headers in HEADERS.items()} | {
    "too-many-requests": ["Retry-After"]
}
"""Headers that a problem sends, by its code."""


OF_MOVES = ("unknown-move", "illegal-move")
"""Codes whose problems name the legal moves, so every game has examples of its own."""

MEANING = {code: title for code, _, title in table()}


def example_components() -> dict[str, Json]:
    return {
        code: {"summary": MEANING[code], "value": msgspec.to_builtins(Problem(**problem_fields(error)))}
        for code, error in EXAMPLES.items()
        if code not in OF_MOVES
    }


def response_components(endpoints: Iterable[Endpoint], schema: Json) -> dict[str, Json]:
    """Return one response for each status, with all codes that some operation can meet by it."""
    met: dict[int, set[str]] = {}
    for endpoint in endpoints:
        for status, codes in endpoint.refusals.items():
            met.setdefault(status, set()).update(codes)
    ordered = {status: tuple(code for code in STATUS if code in codes) for status, codes in sorted(met.items())}
    return {_name(status): refusal_response(codes, schema) for status, codes in ordered.items()}


def refusals_of(endpoint: Endpoint, special: Json) -> Json:
    """Return the responses by status. `special` is the one that only this operation has, if it has one."""
    return {
        str(status): special if _is_special(endpoint, status) else {"$ref": f"#/components/responses/{_name(status)}"}
        for status in endpoint.refusals
    }


def problems_of(endpoint: Endpoint) -> list[str]:
    """Return the codes that an operation can meet beside those of `EVERY`, in the order of their status."""
    return [code for _, codes in sorted(endpoint.refusals.items()) for code in codes if code not in EVERY]


def refusal_response(codes: tuple[str, ...], schema: Json, examples: Mapping[str, Json] | None = None) -> Json:
    """Return the response of a refusal; its headers may be missing, so that those of the quota can stand everywhere."""
    headers = [name for code in codes for name in SENT_WITH.get(code, ())]
    known = {code: {"$ref": f"#/components/examples/{code}"} for code in codes if code not in OF_MOVES}
    return {
        "description": "\n".join(f"- `{code}`: {MEANING[code]}." for code in codes),
        "headers": header_refs(*headers, *QUOTA),
        "content": {MEDIA_TYPE: {"schema": schema, "examples": {**known, **(examples or {})}}},
    }


def _is_special(endpoint: Endpoint, status: int) -> bool:
    return endpoint.refused is not None and status == HTTPStatus.CONFLICT


def _name(status: int) -> str:
    """Return the name of the response by its status: `NotFound`."""
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return "ContentTooLarge"  # Python 3.13 has another phrase for it than 3.12
    return HTTPStatus(status).phrase.title().replace(" ", "").replace("-", "")
