"""Endpoints of the seats of a match: join, leave, and seal a move."""

from typing import Annotated, Any

from litestar.di import NamedDependency
from litestar.params import FromPath, PathParameter
from litestar.types import ASGIApp

from splito_engine.errors import GameError, IllegalMove, UnknownMatch, UnknownMove
from splito_engine.game import Seat
from splito_engine.match import legal_moves
from splito_service.bots.consent import Asker
from splito_service.bots.model import STAND_IN
from splito_service.errors import BadRequest, NoToken, Unavailable, wrong_token
from splito_service.http.access import SEAT, any_owner, everybody
from splito_service.http.answers.responses import Answer
from splito_service.http.common import AnyRequest, encode, header, json, read_body, read_key
from splito_service.http.endpoint import BODY, KEY, MATCH, Endpoints, Link, first_move
from splito_service.http.examples import matches as examples
from splito_service.http.routes.matches.sitters import sitter_of
from splito_service.http.services.matches import ID, MatchServices
from splito_service.matches.model import Decision, StoredMatch
from splito_service.matches.schemas import BotJoining, BotSeated, Joining, NewBot, Sealed, game_schemas, match_of
from splito_service.matches.seat_tokens import Sitting, check_seat, check_sitting
from splito_service.names import check_name
from splito_service.problems import MEDIA_TYPE, problem_fields

ENDPOINTS = Endpoints("Matches")
SEATED = ("not-found", "bad-request", "no-token", "wrong-token")
"""Codes of an endpoint for one seat of a match."""


_CREATED = {"match": "$response.body#/match/id"}
_SEALED = {"match": "$response.body#/match"}


_JOINED = {"seat": "$response.body#/seat", **_CREATED}


FromNought = Annotated[int, PathParameter(ge=0)]
"""The number of a seat."""


@ENDPOINTS.declare(
    "POST /v1/{game}/matches/{match}/seats",
    id="join{Game}Match",
    summary="Take an open seat",
    description="The match begins when the last open seat is taken. The token is shown here and never again.",
    parameters=("match",),
    body=Joining,
    status=201,
    answer="Joined",
    links=(
        Link("get{Game}Match", _CREATED),
        Link("seal{Game}Move", {**_JOINED, "turn": "$response.body#/match/turn"}, first_move("/match")),
        Link("leave{Game}Match", _JOINED),
    ),
    errors=(*BODY, *MATCH, "unknown-seat", "bad-name", "seat-taken"),
    access=everybody("Only an open seat can be taken; the answer has its token, once."),
    example=examples.join_match,
)
async def join_match(
    request: AnyRequest, services: NamedDependency[MatchServices], game: FromPath[str], match: FromPath[str]
) -> ASGIApp:
    wire = game_schemas(services.games.find(game))
    joining = await read_body(request, Joining)
    kept = await services.find(game, match)
    if joining.seat is not None:
        check_seat(kept, joining.seat)
    kept, seat, number = await services.store.join(match, joining.seat, check_name(joining.name))
    services.autoplay.attend(kept)
    token = await services.tokens.issue(game, match, Sitting(seat, number))
    return json(wire.Joined(seat=seat, token=token, match=match_of(wire, kept, seat)), 201)


@ENDPOINTS.declare(
    "POST /v1/{game}/matches/{match}/bots",
    id="enter{Game}Match",
    summary="Seat a bot at an open seat",
    description="The match begins when the last open seat is taken. Your key needs the scope `play`.",
    parameters=("match",),
    body=BotJoining,
    status=201,
    answer=BotSeated,
    errors=(*BODY, *KEY, *MATCH, "not-allowed", "unknown-seat", "bad-bot", "seat-taken"),
    access=any_owner("play", "Bots that are open to you. The last seat of a match without a person is for a person."),
    example=examples.seat_bot,
)
async def seat_bot(
    request: AnyRequest, services: NamedDependency[MatchServices], game: FromPath[str], match: FromPath[str]
) -> ASGIApp:
    services.games.find(game)
    holder = await read_key(request, services.keys)
    asker = Asker(holder.owner, holder.owner in services.organisers)
    joining: BotJoining = await read_body(request, BotJoining)
    kept = await services.find(game, match)
    if joining.seat is not None:
        check_seat(kept, joining.seat)
    sitter = await sitter_of(services, NewBot(joining.bot), game, asker)
    kept, seat = await services.store.join_bot(match, joining.seat, sitter)
    services.autoplay.attend(kept)
    return json(BotSeated(seat), 201)


@ENDPOINTS.declare(
    "DELETE /v1/{game}/matches/{match}/seats/{seat}",
    id="leave{Game}Match",
    summary="Leave a seat",
    description="Before the match begins the seat becomes open again; afterwards a house bot plays on under the same"
    " name. If the match is over, nothing changes. The token becomes invalid.",
    parameters=("match", "seat"),
    status=204,
    errors=(*SEATED, *MATCH),
    access=SEAT,
)
async def leave_match(
    request: AnyRequest,
    services: NamedDependency[MatchServices],
    game: FromPath[str],
    match: FromPath[str],
    seat: FromNought,
) -> None:
    kept, sitting = await _seated(request, services, game, match, seat)
    services.autoplay.attend(await services.store.leave(kept.id, seat, sitting.number, STAND_IN))


@ENDPOINTS.declare(
    "PUT /v1/{game}/matches/{match}/turns/{turn}/seats/{seat}",
    id="seal{Game}Move",
    summary="Seal a move",
    description="Seals the move of the seat in this turn. It is final. Moves stay hidden until all acting seats have"
    " sealed one; the last one reveals the turn. The same move again is accepted, so a request may be repeated until"
    " it is answered. If the move is rejected, `legal_moves` lists the current legal moves of the seat.",
    parameters=("match", "turn", "seat"),
    body="Decision",
    answer=Sealed,
    refused="MoveProblem",
    links=(Link("get{Game}Match", _SEALED), Link("list{Game}Turns", _SEALED), Link("get{Game}Record", _SEALED)),
    errors=(
        *BODY,
        *SEATED,
        *MATCH,
        "not-begun",
        "not-your-turn",
        "unknown-move",
        "illegal-move",
        "bad-nudge",
        "already-sealed",
        "wrong-turn",
        "out-of-time",
    ),
    access=SEAT,
    example=examples.seal_move,
)
async def seal_move(request: AnyRequest, services: NamedDependency[MatchServices]) -> ASGIApp:
    """Seal a move; most requests come by `splito_service.http.fast_path` instead."""
    return await seal(request, services, *_place(request))


async def seal(request: AnyRequest, services: MatchServices, game: str, match: str, turn: int, seat: Seat) -> Answer:
    """Seal a move and return the answer. Permission is checked before the body is read and the rules see the move."""
    wire = game_schemas(services.games.find(game))
    sitting = await _token(request, services, game, match, seat)
    if not ID.fullmatch(match):
        raise UnknownMatch(f"there is no match {match!r}", field="match")
    if services.store.admitted(match, *sitting) is None:
        await services.store.admit(match, *sitting)
    try:
        decision = await read_body(request, wire.Decision)
        said = Decision(turn, seat, decision.move, decision.nudge, sitting.number)
        kept = await services.store.seal(match, said)
    except Unavailable:
        raise
    except GameError as error:
        return await _refused(services, match, sitting, error)
    services.autoplay.attend(kept)
    return json(Sealed(match, turn, seat, kept.turn, kept.over))


async def _refused(services: MatchServices, match: str, sitting: Sitting, error: GameError) -> Answer:
    """Return a refused move with the legal ones. Raise `WrongToken` if the player has left, else the error itself.

    The player may have left by another process after this one last looked, so the match is read again before the player
    is told anything that the body, the turn or the hand has to do with.
    """
    kept = await services.store.admit(match, *sitting, again=True)
    if not isinstance(error, IllegalMove | UnknownMove):
        raise error
    wire = game_schemas(kept.match.game)
    problem = wire.MoveProblem(**problem_fields(error), legal_moves=legal_moves(kept.match, sitting.seat))
    return Answer(encode(problem), problem.status, kind=MEDIA_TYPE)


def _place(request: AnyRequest) -> tuple[str, str, int, Seat]:
    found: dict[str, Any] = request.path_params
    game, match, turn, seat = (found[name] for name in ("game", "match", "turn", "seat"))
    if seat < 0:
        raise BadRequest("seats are counted from 0", field="seat")
    return game, match, turn, seat


async def _token(request: AnyRequest, services: MatchServices, game: str, match_id: str, seat: Seat) -> Sitting:
    sitting = await services.tokens.read(game, match_id, header(request, b"authorization"))
    if sitting is None:
        raise NoToken(f"this request needs the token of seat {seat}: Authorization: Bearer seat-...", seat=seat)
    if sitting.seat != seat:
        raise wrong_token(seat)
    return sitting


async def _seated(
    request: AnyRequest, services: MatchServices, game: str, match_id: str, seat: Seat
) -> tuple[StoredMatch, Sitting]:
    sitting = await _token(request, services, game, match_id, seat)
    kept = await services.find(game, match_id)
    check_sitting(kept, sitting)
    return kept, sitting
