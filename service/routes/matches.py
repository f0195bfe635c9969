"""Matches: make one, find one, join, look, move, leave; and what there is to read when it is over."""

from functools import lru_cache
from time import monotonic
from typing import Annotated

from litestar import Response, delete, get, post, put
from litestar.params import FromPath, FromQuery, QueryParameter

from engine.errors import IllegalMove, UnknownMatch, UnknownMove
from engine.game import Language, Seat
from engine.match import legal_moves
from engine.record import encode as encode_record
from service.errors import BadName, NoToken, NotOver, WrongToken
from service.hall import Hall, hall_of
from service.house import check_bot
from service.problems import answer, problem_fields
from service.routes.common import JSON, AnyRequest, choose_language, encode, json, read_body, spend
from service.store.kept import ID_PATTERN, OPEN, Decision, Kept, Sitter, Status, Terms
from service.store.notices import seen
from service.tokens import Sitting, check_seat, check_sitting
from service.wire import (
    Joining,
    MatchPage,
    NewBot,
    NewPerson,
    NewSeat,
    Sealed,
    match_of,
    summary_of,
    turn_of,
    wire_of,
)

PAGE = 20
MOST = 100
"""Matches on a page."""
LONGEST = 30
"""Seconds that a request may wait."""
STAND_IN = "planner"
"""The bot that plays on for a person who has left."""
ID_LENGTH = 24
PRIVATE = {"Cache-Control": "no-cache", "Vary": "Authorization"}

Limit = Annotated[int, QueryParameter(ge=1, le=MOST)]
Cursor = Annotated[str | None, QueryParameter(pattern=ID_PATTERN)]
Wait = Annotated[int, QueryParameter(ge=0, le=LONGEST)]
After = Annotated[int | None, QueryParameter(ge=-1)]


@post("/{game:str}/matches")
async def create_match(request: AnyRequest, game: FromPath[str]) -> Response[bytes]:
    hall = hall_of(request)
    wire = wire_of(hall.game(game))
    wanted = await read_body(request, wire.NewMatch)
    sitters = [_sitter(seat, game) for seat in wanted.seats]
    terms = Terms(options=wanted.options, clock=wanted.clock, listed=wanted.listed)
    await spend(request, hall.creations)
    kept = await hall.matches.create(game, sitters, terms)
    hall.attendant.attend(kept)
    tokens = [
        await hall.tokens.issue(game, kept.id, Sitting(seat, number)) if number > 0 else None
        for seat, number in enumerate(kept.sittings)
    ]
    body = wire.MatchCreated(tokens=tokens, match=match_of(wire, kept, None))
    return json(body, 201, {"Location": f"/v1/{game}/matches/{kept.id}"})


@get("/{game:str}/matches")
async def list_matches(
    request: AnyRequest,
    game: FromPath[str],
    status: FromQuery[Status] = "running",
    players: FromQuery[int | None] = None,
    cursor: Cursor = None,
    limit: Limit = PAGE,
) -> Response[bytes]:
    hall = hall_of(request)
    hall.game(game)
    ids = await hall.matches.page(game, status, cursor, limit)
    found = [kept for match_id in ids if (kept := await _still(hall, game, status, match_id))]
    shown = [summary_of(kept) for kept in found if players in (None, kept.deal.players)]
    return json(MatchPage(shown, ids[-1] if len(ids) == limit else None))


@get("/{game:str}/matches/{match:str}")
async def get_match(
    request: AnyRequest, game: FromPath[str], match: FromPath[str], after: After = None, wait: Wait = 0
) -> Response[bytes]:
    hall = hall_of(request)
    sitting = await hall.tokens.read(game, match, request.headers.get("authorization"))
    kept = await find(hall, game, match)
    if after is not None and wait and kept.turn <= after and not kept.over:
        kept = await _wait(hall, kept, after, wait)
    seat = check_sitting(kept, sitting)
    tag = f'"{"over" if kept.over else kept.change}.{"all" if seat is None else seat}"'
    if has_tag(request.headers.get("if-none-match"), tag):
        return Response(b"", status_code=304, headers={"ETag": tag, **PRIVATE}, media_type=JSON)
    return Response(_encoded(kept, seat), media_type=JSON, headers={"ETag": tag, **PRIVATE})


@post("/{game:str}/matches/{match:str}/seats")
async def join_match(request: AnyRequest, game: FromPath[str], match: FromPath[str]) -> Response[bytes]:
    hall = hall_of(request)
    wire = wire_of(hall.game(game))
    joining = await read_body(request, Joining)
    kept = await find(hall, game, match)
    if joining.seat is not None:
        check_seat(kept, joining.seat)
    kept, seat, number = await hall.matches.join(match, joining.seat, check_name(joining.name))
    hall.attendant.attend(kept)
    token = await hall.tokens.issue(game, match, Sitting(seat, number))
    return json(wire.Joined(seat=seat, token=token, match=match_of(wire, kept, seat)), 201)


@delete("/{game:str}/matches/{match:str}/seats/{seat:int}", status_code=204)
async def leave_match(request: AnyRequest, game: FromPath[str], match: FromPath[str], seat: FromPath[int]) -> None:
    hall = hall_of(request)
    kept, sitting = await _seated(request, hall, game, match, seat)
    hall.attendant.attend(await hall.matches.leave(kept.id, seat, sitting.number, STAND_IN))


@put("/{game:str}/matches/{match:str}/turns/{turn:int}/seats/{seat:int}")
async def seal_move(
    request: AnyRequest, game: FromPath[str], match: FromPath[str], turn: FromPath[int], seat: FromPath[int]
) -> Response[bytes]:
    hall = hall_of(request)
    wire = wire_of(hall.game(game))
    sitting = await _token(request, hall, game, match, seat)
    decision = await read_body(request, wire.Decision)
    if len(match) != ID_LENGTH:
        raise UnknownMatch(f"there is no match {match!r}", field="match")
    try:
        said = Decision(turn, seat, decision.move, decision.nudge, sitting.number)
        kept = await hall.matches.seal(match, said)
    except (IllegalMove, UnknownMove) as error:
        moves = legal_moves((await find(hall, game, match)).match, seat)
        return answer(wire.MoveProblem(**problem_fields(error), legal_moves=moves))
    hall.attendant.attend(kept)
    return json(Sealed(match, turn, seat, kept.turn, kept.over))


@get("/{game:str}/matches/{match:str}/turns")
async def list_turns(request: AnyRequest, game: FromPath[str], match: FromPath[str]) -> Response[bytes]:
    hall = hall_of(request)
    kept = await find(hall, game, match)
    wire = wire_of(kept.match.game)
    return json(wire.Turns(turns=[turn_of(wire, number, turn) for number, turn in enumerate(kept.match.turns)]))


@get("/{game:str}/matches/{match:str}/record")
async def get_record(request: AnyRequest, game: FromPath[str], match: FromPath[str]) -> Response[bytes]:
    kept = _over(await find(hall_of(request), game, match))
    return Response(encode_record(kept.record()), media_type=JSON)


@get("/{game:str}/matches/{match:str}/explanation")
async def explain_match(
    request: AnyRequest, game: FromPath[str], match: FromPath[str], lang: FromQuery[Language | None] = None
) -> Response[bytes]:
    kept = _over(await find(hall_of(request), game, match))
    language = choose_language(lang, request.headers.get("accept-language"))
    headers = {"Content-Language": language, "Vary": "Accept-Language"}
    return json(kept.match.game.explain(kept.match.state, language), headers=headers)


async def find(hall: Hall, game: str, match_id: str) -> Kept:
    hall.game(game)
    if len(match_id) == ID_LENGTH:
        kept = await hall.matches.get(match_id)
        if kept.deal.game == game:
            return kept
    raise UnknownMatch(f"there is no match {match_id!r} of {game}", field="match")


def has_tag(wanted: str | None, tag: str) -> bool:
    """Whether `If-None-Match` names this answer. Proxies may have made the tag a weak one."""
    return wanted is not None and any(one.strip().removeprefix("W/") in (tag, "*") for one in wanted.split(","))


@lru_cache(maxsize=4096)
def _encoded(kept: Kept, seat: Seat | None) -> bytes:
    """Many look at the same match between two moves."""
    return encode(match_of(wire_of(kept.match.game), kept, seat))


async def _wait(hall: Hall, kept: Kept, after: int, seconds: float) -> Kept:
    """Until more turns than that have been revealed, or the time is over."""
    limit = monotonic() + seconds
    with hall.notices.about(kept.id) as notice:
        while True:
            kept = await hall.matches.get(kept.id)
            if kept.turn > after or kept.over or not await seen(notice, limit - monotonic()):
                return kept


async def _token(request: AnyRequest, hall: Hall, game: str, match_id: str, seat: Seat) -> Sitting:
    sitting = await hall.tokens.read(game, match_id, request.headers.get("authorization"))
    if sitting is None:
        raise NoToken(f"the token of seat {seat} is needed: Authorization: Bearer seat-...", seat=seat)
    if sitting.seat != seat:
        raise WrongToken(f"your token is of seat {sitting.seat}", seat=seat)
    return sitting


async def _seated(request: AnyRequest, hall: Hall, game: str, match_id: str, seat: Seat) -> tuple[Kept, Sitting]:
    sitting = await _token(request, hall, game, match_id, seat)
    kept = await find(hall, game, match_id)
    check_sitting(kept, sitting)
    return kept, sitting


async def _still(hall: Hall, game: str, status: Status, match_id: str) -> Kept | None:
    """A match of a list, unless it has left the list meanwhile."""
    try:
        kept = await hall.matches.get(match_id)
    except UnknownMatch:
        await hall.matches.unlist(game, status, match_id)
        return None
    return kept if kept.status == status else None


def _over(kept: Kept) -> Kept:
    if not kept.over:
        raise NotOver("the match is not over yet", field="match")
    return kept


def _sitter(seat: NewSeat, game: str) -> Sitter:
    match seat:
        case NewPerson(name):
            return Sitter("person", check_name(name))
        case NewBot(bot):
            check_bot(bot, game)
            return Sitter("bot", bot, bot)
        case _:
            return OPEN


def check_name(name: str) -> str:
    if not name.isprintable() or not name.strip():
        raise BadName("a name has 1 to 64 characters, all of them printable", field="name")
    return name
