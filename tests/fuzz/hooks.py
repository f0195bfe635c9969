"""Hooks of schemathesis: existing matches, their seat tokens, and legal moves, which a fuzzer cannot know.

A fuzzer alone asks for matches that were never made, with tokens that were never issued. Every second valid request is
led to a real match; tokens are those that the service itself has issued, to us or to the fuzzer. So it is with bots and
keys, all of one owner.
"""

import os
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import msgspec
import schemathesis
from schemathesis import AuthContext, GenerationMode, HookContext, Response
from schemathesis.core.parameters import ParameterLocation

from tests.fuzz.hooks_names import ANSWERS, OWNER, SERVICE, TABLES

OURS = "Bearer seat-0-0-" + 32 * "x"
"""Stands for the right token until it is known which that is."""

FALSE = "Bearer seat-0-0-" + 32 * "y"

OF_OWNERS = ("/v1/bots", "/v1/keys", "/v1/hooks")
OF_BOTS = "/v1/bot/"
OF_ORGANISERS = ("/v1/tournaments", "/v1/experiments", "/v1/series")
HOUSE = ("greedy", "planner", "random")
AFTERWARDS = ("/record", "/explanation")
"""Of matches that are over, as the first one is that we are told of."""
FEW = 5
"""Tournaments to which we lead: so few that something happens to each of them."""
MADE = {"/v1/bots": "bot", "/v1/keys": "key", "/v1/hooks": "hook"}
DELETED = {
    "/v1/bots/{bot}": "bot",
    "/v1/keys/{key}": "key",
    "/v1/hooks/{hook}": "hook",
    "/v1/tournaments/{tournament}": "tournament",
    "/v1/experiments/{experiment}": "experiment",
}
"""Parameter of the operations that delete something."""

untyped: Any = schemathesis
tokens: dict[str, list[str | None]] = msgspec.json.decode(Path(os.environ[TABLES]).read_bytes())
owner: dict[str, Any] = msgspec.json.decode(Path(os.environ[OWNER]).read_bytes())
known: dict[str, list[str]] = {"bot": owner["bots"], "key": [], "hook": []}
"""The ids of what is the owner's, but for the key that we use."""
held: dict[str, list[str]] = {"tournament": owner["tournaments"], "experiment": owner["experiments"]}
"""The ids of those that are over, or run, and of all that were made since."""
checks: list[str] = []
"""The ids of those of the bot that nobody deletes."""
ticks = count()
service = httpx.Client(base_url=os.environ[SERVICE], timeout=60, verify=False)  # noqa: S501 (plain HTTP on this machine)
"""Client of the requests that the hooks send themselves: one, because a new one for each takes longer than its request.
"""


@untyped.auth(refresh_interval=None)
class SeatTokens:
    def get(self, _case: Any, _context: AuthContext) -> str:
        return OURS

    def set(self, case: Any, data: str, _context: AuthContext) -> None:
        case.headers = {**(case.headers or {}), "Authorization": data}


@untyped.hook
def before_call(_: HookContext, case: Any, _kwargs: dict[str, Any]) -> None:
    """A request that is invalid on purpose stays invalid, and so does a request without its token."""
    headers: dict[str, str] = case.headers or {}
    if headers.get("Authorization") != OURS:
        return
    if case.operation.path.startswith(OF_OWNERS):
        _be_owner(case)
    elif case.operation.path.startswith(OF_ORGANISERS):
        _organise(case)
    elif case.operation.path.startswith(OF_BOTS):
        _be_bot(case)
    elif "match" in case.path_parameters:
        _be_player(case)
    elif case.operation.path.endswith("/matches"):  # a match is made with the key of an owner, or with none
        case.headers["Authorization"] = f"Bearer {owner['key']}"


def _be_owner(case: Any) -> None:
    case.headers["Authorization"] = f"Bearer {owner['key']}"
    if not _is_valid(case):
        return
    if (case.method, case.path_parameters.get("bot")) == ("DELETE", owner["polls"]):
        _lead_to(known, case)
    elif (case.method, case.operation.path.endswith("/secret")) == ("DELETE", True) and next(ticks) % 2:
        _lead_to_two_secrets(case)
    elif not _names_one_of(known | {"bot": [*known["bot"], owner["polls"]]}, case):
        if next(ticks) % 4:
            _lead_to(known, case)
        if "/checks" in case.operation.path and next(ticks) % 2:
            _lead_to_check(case)


def _names_one_of(there: dict[str, list[str]], case: Any) -> bool:
    """Then the fuzzer has the id from an answer, and the request must stay as it is: whatever we change in it, the
    fuzzer takes for something that it was told of, and holds it against the service if nothing is found there.
    """
    return any(case.path_parameters.get(name) in ids for name, ids in there.items())


def _lead_to(there: dict[str, list[str]], case: Any) -> None:
    for name, ids in there.items():
        if name in case.path_parameters and ids:
            case.path_parameters[name] = ids[next(ticks) % len(ids)]


def _lead_to_two_secrets(case: Any) -> None:
    """Lead a request to a bot or webhook with a second secret, because only then can the previous one be deleted."""
    name = next(iter(case.path_parameters))
    for one in known[name]:
        path = case.operation.path.format(**{name: one})
        if service.post(path, headers={"Authorization": case.headers["Authorization"]}).is_success:
            case.path_parameters[name] = one
            return


def _lead_to_check(case: Any) -> None:
    case.path_parameters["bot"] = owner["polls"]
    if "check" in case.path_parameters and checks:
        case.path_parameters["check"] = checks[next(ticks) % len(checks)]


def _organise(case: Any) -> None:
    """Every fourth request that could be granted is as the fuzzer has it; what is held is held between the house."""
    case.headers["Authorization"] = f"Bearer {owner['key']}"
    if not _is_valid(case) or not next(ticks) % 4 or _names_one_of(held, case):
        return
    ended = case.operation.path.endswith("/state") and not next(ticks) % 3
    _lead_to({name: ids[: 1 if ended else FEW] for name, ids in held.items()}, case)
    if "bot" in case.path_parameters:
        case.path_parameters["bot"] = HOUSE[next(ticks) % len(HOUSE)]
    if "block" in case.path_parameters:
        case.path_parameters["block"] = "00000000-0000-00000"
    if case.method == "POST" or "series" in case.path_parameters:
        wanted: Any = case.body
        if isinstance(wanted, dict):
            _invite_house(wanted["tournament"] if "rule" in wanted else wanted)


def _invite_house(body: Any) -> None:
    """To tables that all of them can fill, and to play no more than anybody would look at."""
    body["players"] = 2
    if "field" in body:
        body |= {"new": HOUSE[0], "old": HOUSE[1], "field": [HOUSE[2]]}
        return
    body["bots"] = [*HOUSE]
    if "bot" in body["format"]:
        body["format"]["bot"] = HOUSE[0]
    if "blocks" in body["format"]:
        body["format"]["blocks"] = 1 + next(ticks) % 9


def _be_bot(case: Any) -> None:
    case.headers["Authorization"] = f"Bearer {owner['key']}"
    if not next(ticks) % 4:
        return
    if "ask" in case.path_parameters and (_is_valid(case) or _has_only_a_wrong_body(case)):
        _lead_to_ask(case)
    elif _is_valid(case):
        case.query["bot"] = owner["polls"]


def _has_only_a_wrong_body(case: Any) -> bool:
    """True if a real ask makes the request right but for its body: the service reads the body only of such a one."""
    modes = {place: part.mode for place, part in case.meta.components.items()}
    return modes.pop(ParameterLocation.BODY, None) is GenerationMode.NEGATIVE and not any(
        mode is GenerationMode.NEGATIVE for mode in modes.values()
    )


def _be_player(case: Any) -> None:
    if _path(case) not in tokens and _is_valid(case) and next(ticks) % 2:
        _lead_to_table(case)
    sitting, seat = tokens.get(_path(case), []), str(case.path_parameters.get("seat", 0))
    token = sitting[int(seat)] if seat.isdecimal() and int(seat) < len(sitting) else None
    if token is None:
        case.headers["Authorization"] = FALSE  # a changed header makes schemathesis look again at what is valid in it
        return
    case.headers["Authorization"] = f"Bearer {token}"
    if "turn" in case.path_parameters and _is_valid(case) and next(ticks) % 2:
        _play(case)


@untyped.hook
def after_call(_: HookContext, case: Any, response: Response) -> None:
    """Remember every match that was made, every seat that was taken, and what became of the owner's things."""
    with Path(os.environ[ANSWERS]).open("a", encoding="utf-8") as answers:
        answers.write(f"{case.method} {case.operation.path} {response.status_code}\n")
    path = case.operation.path
    if response.status_code == 204 and path in DELETED:
        name = DELETED[path]
        there = held if name in held else known
        there[name] = [one for one in there[name] if one != case.path_parameters[name]]
    elif response.status_code == 204 and path.endswith("/matches/{match}"):
        tokens.pop(_path(case), None)
    elif response.status_code == 202 and response.json().get("bot") == owner["polls"]:
        checks.append(response.json()["id"])
    elif response.status_code == 201 and path in OF_ORGANISERS:
        held[path.removeprefix("/v1/").removesuffix("s")].append(response.json()["id"])
    elif response.status_code == 201 and path in MADE:
        _remember(path, case, response.json())
    elif response.status_code == 201 and path.endswith(("/matches", "/seats")):
        _sit_down(response.json())


def _remember(path: str, case: Any, made: Any) -> None:
    name = MADE[path]
    if case.headers["Authorization"] == f"Bearer {owner['key']}":
        known[name].append(made["summary" if name == "key" else name]["id"])


def _sit_down(made: Any) -> None:
    path = f"/v1/{made['match']['game']}/matches/{made['match']['id']}"
    sitting = tokens.setdefault(path, made.get("tokens") or [None] * len(made["match"]["seats"]))
    if "token" in made:
        sitting[made["seat"]] = made["token"]


def _path(case: Any) -> str:
    return f"/v1/{_game(case.operation.path)}/matches/{case.path_parameters['match']}"


def _game(path: str) -> str:
    return path.split("/")[2]


def _is_valid(case: Any) -> bool:
    return case.meta is None or case.meta.generation.mode is GenerationMode.POSITIVE


def _lead_to_table(case: Any) -> None:
    tables = [path for path in tokens if _game(path) == _game(case.operation.path)]
    afterwards = case.operation.path.endswith(AFTERWARDS) and next(ticks) % 3
    table = tables[0 if afterwards else next(ticks) % len(tables)]
    case.path_parameters["match"] = table.rpartition("/")[2]
    if "seat" in case.path_parameters:
        case.path_parameters["seat"] = int(case.path_parameters["seat"]) % len(tokens[table])


def _lead_to_ask(case: Any) -> None:
    """Lead the request to an ask of a match that is made for it, if none waits; two of three valid ones answer it."""
    game, headers = case.operation.path.split("/")[3], {"Authorization": case.headers["Authorization"]}
    waiting = _open_asks(headers, game, 0)
    while not waiting:
        seats = 2 * [{"kind": "bot", "bot": owner["polls"]}]
        service.post(f"/v1/{game}/matches", json={"seats": seats}, headers=headers)
        waiting = _open_asks(headers, game, 5)
    ask = waiting[next(ticks) % len(waiting)]
    case.path_parameters["ask"] = ask["id"]
    if _is_valid(case) and next(ticks) % 3:
        case.body = {"index": next(ticks) % len(ask["moves"])}


def _open_asks(headers: dict[str, str], game: str, wait: int) -> list[Any]:
    polled = service.get("/v1/bot/asks", params={"bot": owner["polls"], "limit": 100, "wait": wait}, headers=headers)
    return [ask for ask in polled.json()["asks"] if ask["game"] == game]


def _play(case: Any) -> None:
    """Make a legal move of it, if there is one."""
    headers = {"Authorization": case.headers["Authorization"]}
    own = service.get(_path(case), headers=headers).json()
    if own.get("legal_moves"):
        case.path_parameters["turn"] = own["turn"]
        case.body = {"move": own["legal_moves"][next(ticks) % len(own["legal_moves"])]}
