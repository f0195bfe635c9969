"""What schemathesis cannot know: matches that there are, whose seats they have, and which moves are legal there.

A fuzzer alone asks for matches that nobody made, with tokens that nobody issued. Every second valid request of its is
led to a real match; tokens are those that the service itself has issued, to us or to the fuzzer.
"""

import os
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import msgspec
import schemathesis
from schemathesis import AuthContext, GenerationMode, HookContext, Response

from tests.fuzz.hooks_names import ANSWERS, SERVICE, TABLES

OURS = "Bearer seat-0-0-" + 32 * "x"
"""Stands for the right token until it is known which that is."""

untyped: Any = schemathesis
tokens: dict[str, list[str | None]] = msgspec.json.decode(Path(os.environ[TABLES]).read_bytes())
ticks = count()


@untyped.auth(refresh_interval=None)
class SeatTokens:
    def get(self, _case: Any, _context: AuthContext) -> str:
        return OURS

    def set(self, case: Any, data: str, _context: AuthContext) -> None:
        case.headers = {**(case.headers or {}), "Authorization": data}


@untyped.hook
def before_call(_: HookContext, case: Any, _kwargs: dict[str, Any]) -> None:
    """What is invalid on purpose stays so, and so does a request from which the token was taken."""
    headers: dict[str, str] = case.headers or {}
    if headers.get("Authorization") != OURS or "match" not in case.path_parameters:
        return
    if _path(case) not in tokens and _is_valid(case) and next(ticks) % 2:
        _lead_to_table(case)
    known, seat = tokens.get(_path(case), []), str(case.path_parameters.get("seat", 0))
    token = known[int(seat)] if seat.isdecimal() and int(seat) < len(known) else None
    if token is None:
        return
    case.headers["Authorization"] = f"Bearer {token}"
    if "turn" in case.path_parameters and _is_valid(case) and next(ticks) % 2:
        _play(case)


@untyped.hook
def after_call(_: HookContext, case: Any, response: Response) -> None:
    """Remember every match that was made, and every seat that was taken."""
    with Path(os.environ[ANSWERS]).open("a", encoding="utf-8") as answers:
        answers.write(f"{case.method} {case.operation.path} {response.status_code}\n")
    if response.status_code != 201:
        return
    made: Any = response.json()
    path = f"/v1/{made['match']['game']}/matches/{made['match']['id']}"
    known = tokens.setdefault(path, made.get("tokens") or [None] * len(made["match"]["seats"]))
    if "token" in made:
        known[made["seat"]] = made["token"]


def _path(case: Any) -> str:
    return f"/v1/{_game(case.operation.path)}/matches/{case.path_parameters['match']}"


def _game(path: str) -> str:
    return path.split("/")[2]


def _is_valid(case: Any) -> bool:
    return case.meta is None or case.meta.generation.mode is GenerationMode.POSITIVE


def _lead_to_table(case: Any) -> None:
    tables = [path for path in tokens if _game(path) == _game(case.operation.path)]
    table = tables[next(ticks) % len(tables)]
    case.path_parameters["match"] = table.rpartition("/")[2]
    if "seat" in case.path_parameters:
        case.path_parameters["seat"] = int(case.path_parameters["seat"]) % len(tokens[table])


def _play(case: Any) -> None:
    """Make a legal move of it, if there is one."""
    headers = {"Authorization": case.headers["Authorization"]}
    own = httpx.get(os.environ[SERVICE] + _path(case), headers=headers).json()
    if own.get("legal_moves"):
        case.path_parameters["turn"] = own["turn"]
        case.body = {"move": own["legal_moves"][next(ticks) % len(own["legal_moves"])]}
