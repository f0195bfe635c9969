"""How the contract says no: an example of every code, and a response for the codes that go together in a status."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import msgspec

from splito_arena.errors import BadAddress, LookupFailed
from splito_engine.errors import (
    AlreadySealed,
    BadBot,
    BadNudge,
    BadOption,
    IllegalMove,
    NotYourTurn,
    UnknownMatch,
    UnknownMove,
    UnknownVersion,
    WrongTurn,
)
from splito_service.errors import (
    AlreadyAnswered,
    AlreadyOver,
    BadName,
    BadRequest,
    Busy,
    NoKey,
    NoRoom,
    NotAllowed,
    NotBegun,
    NotFound,
    NoToken,
    NotOver,
    NotProved,
    NotReady,
    OutOfTime,
    SeatTaken,
    TooLarge,
    TooMany,
    TooManyConnections,
    TooManyGames,
    TooManyMatches,
    TooManyStreams,
    TooSlow,
    Unavailable,
    Unexpected,
    UnknownAsk,
    UnknownBlock,
    UnknownBot,
    UnknownCheck,
    UnknownDelivery,
    UnknownHook,
    UnknownKey,
    UnknownSeat,
    UnknownTournament,
    WrongAsk,
    WrongKind,
    WrongOwner,
    WrongSchema,
    WrongScope,
    WrongType,
    wrong_token,
)
from splito_service.http.contract.operations import Operation
from splito_service.http.contract.parameters import header_refs
from splito_service.problems import HEADERS, MEDIA_TYPE, Problem, problem_fields, table

Json: TypeAlias = dict[str, Any]

QUOTA = ("RateLimit", "RateLimit-Policy")
SENT_WITH = {code: [name for name in headers if name != "Connection"] for code, headers in HEADERS.items()} | {
    "too-many-requests": ["Retry-After"]
}
"""The headers that a code brings with it."""

EXAMPLES = {
    error.code: error
    for error in (
        BadRequest("limit: Expected `int` <= 100", field="limit"),
        NoToken("the token of seat 0 is needed: Authorization: Bearer seat-...", seat=0),
        wrong_token(0),
        NoKey("the key of an owner is needed: Authorization: Bearer key-..."),
        WrongScope("this key has no scope 'bots', but play", field="scope"),
        WrongOwner("bot 06gpr1k08099qgdgdpas627q is somebody else's", field="bot"),
        NotAllowed("bot 06gpr1k08099qgdgdpas627q is not open to you: its owner opens it with open_to", field="bot"),
        NotFound("Not Found"),
        UnknownMatch("there is no match '06gpr1k08099qgdgdpas627q'", field="match"),
        UnknownKey("you have no key '06gpr1k08099qgdgdpas627q'", field="key"),
        UnknownBot("there is no bot '06gpr1k08099qgdgdpas627q'", field="bot"),
        UnknownCheck("there is no check '06gpr1k08099qgdgdpas627q' of this bot", field="check"),
        UnknownHook("you have no hook '06gpr1k08099qgdgdpas627q'", field="hook"),
        UnknownDelivery("nothing is kept of a delivery '06gpr1k08099qgdgdpas627q' to this hook", field="delivery"),
        UnknownTournament("there is no tournament '06gpr1k08099qgdgdpas627q'", field="tournament"),
        UnknownBlock("no block '00000002-0001-00013' is over", field="block"),
        AlreadyOver("tournament 06gpr1k08099qgdgdpas627q is finished", field="tournament"),
        TooManyGames("it would come to 480,000 games; 250,000 are the most", field="format"),
        BadOption("only a ladder takes bots while it runs", field="format"),
        UnknownSeat("there is no seat 7 in a match of 3", seat=7, field="seat"),
        BadName("a name has 1 to 64 characters, all of them printable", field="name"),
        BadBot("no bot 'marvin' here; there are: greedy, planner, random", field="bot"),
        BadNudge("seat 0 cannot say 'hurry up' now", seat=0, field="nudge"),
        NotBegun("the match has not begun: seats are still open", seat=0, field="turn"),
        NotOver("the match is not over yet", field="match"),
        NotYourTurn("seat 0 has nothing to decide now", seat=0),
        UnknownMove("this is no move of this game", seat=0, field="move"),
        IllegalMove("this is not a legal move of seat 0 now", seat=0, field="move"),
        AlreadySealed("seat 0 has already sealed another move", seat=0, field="move"),
        WrongTurn("turn 2 has been revealed; turn 3 goes on", seat=0, field="turn"),
        OutOfTime("the time of seat 0 for turn 2 is over", seat=0, field="turn"),
        UnknownAsk("there is no ask '06gpr1k08099qgdgdpas627q-2-0' for a bot of yours", field="ask"),
        AlreadyAnswered("06gpr1k08099qgdgdpas627q-2-0 has been answered otherwise", field="ask"),
        WrongAsk("it names another, not 06gpr1k08099qgdgdpas627q-2-0", seat=0, field="ask"),
        WrongSchema("name either `move` or `index`", seat=0, field="move"),
        SeatTaken("no seat is open", field="seat"),
        BadAddress("port 22 is not called: use 80, 443, 3000 to 3999 or 8000 to 8999", field="url"),
        WrongKind("06gpr1k08099qgdgdpas627q is a pull bot; this is for push bots", field="bot"),
        NotProved("the connection was refused; keep the bot running at its address", field="url"),
        NotReady("have it prove itself first: POST /v1/bots/06gpr1k08099qgdgdpas627q/proof", field="bot"),
        NoRoom("an owner has at most 100 bots: delete one that is not needed", field="bots"),
        UnknownVersion("rules '0.9'; this program has '1.0'", field="version"),
        TooLarge("Request Entity Too Large"),
        WrongType("the body must be declared as Content-Type: application/json", field="Content-Type"),
        TooMany("at most 6000 a minute; try again in 12 s", field="requests"),
        TooManyMatches("16 of your matches among bots alone run; wait until one is over", field="seats"),
        TooManyStreams("a client has at most 128 event streams and long-polls open at a time", field="streams"),
        TooManyConnections("a client has at most 256 requests open at a time", field="connections"),
        TooSlow("a body must arrive within 20 s", field="body"),
        Busy("too many requests are open here; try again"),
        Unexpected("something went wrong here; it is not your fault"),
        LookupFailed("bot.example could not be looked up: no answer within 5 s; our resolver does not answer"),
        Unavailable("Redis does not answer"),
    )
}
"""By code: of all that some operation can meet."""

OF_MOVES = ("unknown-move", "illegal-move")
"""Those that name the legal moves, so every game has examples of its own."""

MEANING = {code: title for code, _, title in table()}


def example_components() -> dict[str, Json]:
    return {
        code: {"summary": MEANING[code], "value": msgspec.to_builtins(Problem(**problem_fields(error)))}
        for code, error in EXAMPLES.items()
        if code not in OF_MOVES
    }


def response_components(operations: Iterable[Operation], schema: Json) -> dict[str, Json]:
    return {
        _name(codes): refusal_response(codes, schema)
        for operation in operations
        for status, codes in operation.refusals.items()
        if not _is_special(operation, status)
    }


def refusals_of(operation: Operation, special: Json) -> Json:
    """The responses by status. `special` is the one that only this operation has, if it has one."""
    return {
        str(status): special if _is_special(operation, status) else {"$ref": f"#/components/responses/{_name(codes)}"}
        for status, codes in operation.refusals.items()
    }


def refusal_response(codes: tuple[str, ...], schema: Json, examples: Mapping[str, Json] | None = None) -> Json:
    """Those of the quota may be missing, as all headers here, so they can stand everywhere."""
    headers = [name for code in codes for name in SENT_WITH.get(code, ())]
    known = {code: {"$ref": f"#/components/examples/{code}"} for code in codes}
    return {
        "description": "\n".join(f"- `{code}`: {MEANING[code]}." for code in codes),
        "headers": header_refs(*headers, *QUOTA),
        "content": {MEDIA_TYPE: {"schema": schema, "examples": {**known, **(examples or {})}}},
    }


def _is_special(operation: Operation, status: int) -> bool:
    return operation.refused is not None and status == 409


def _name(codes: tuple[str, ...]) -> str:
    """`UnknownMatchOrUnknownSeat`."""
    return "Or".join(code.title().replace("-", "") for code in codes)
