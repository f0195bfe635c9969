"""Matches: make one, find one, join, look, move, leave; and what there is to read when it is over."""

import asyncio
import re
from contextlib import closing
from functools import lru_cache
from time import monotonic
from typing import Annotated, Any

from litestar import HttpMethod, Response, delete, get, post, put, route
from litestar.params import FromPath, PathParameter
from litestar.types import ASGIApp
from msgspec import UNSET

from splito_arena.bots.find import check_bot
from splito_arena.match.messages import turn_of
from splito_engine.errors import GameError, IllegalMove, UnknownMatch, UnknownMove, UnknownVersion
from splito_engine.game import Seat
from splito_engine.match import legal_moves
from splito_engine.record import encode as encode_record
from splito_service.bots.consent import NOBODY, Asker
from splito_service.bots.store import STAND_IN, is_registered
from splito_service.errors import BadRequest, NoToken, NotOver, Unavailable, wrong_token
from splito_service.http.common import AnyRequest, choose_language, client_of, encode, header, json, read_body, spend
from splito_service.http.context import Context, context_of
from splito_service.http.queries import MatchesQuery, MatchQuery, TextQuery, read_query
from splito_service.http.responses import Answer, packed
from splito_service.ids import ID_PATTERN
from splito_service.matches.list_store import Listed
from splito_service.matches.model import OPEN, Creator, Decision, Sitter, Status, StoredMatch, Terms
from splito_service.matches.schemas import (
    Joining,
    MatchPage,
    NewBot,
    NewPerson,
    NewSeat,
    Sealed,
    game_schemas,
    match_of,
    summary_of,
)
from splito_service.matches.seat_tokens import Sitting, check_alone, check_seat, check_sitting
from splito_service.names import check_name
from splito_service.problems import MEDIA_TYPE, problem_fields
from splito_service.storage.notices import seen

ID = re.compile(ID_PATTERN)
PRIVATE = packed({"Cache-Control": "no-cache", "Vary": "Authorization"})

FromNought = Annotated[int, PathParameter(ge=0)]
"""The number of a seat. Of a turn too, but there -1 is one that has not begun."""


@post("/{game:str}/matches")
async def create_match(request: AnyRequest, game: FromPath[str]) -> ASGIApp:
    """Create a match; a key of an owner or an organiser lets the client seat bots that are open to them."""
    context = context_of(request)
    wire = game_schemas(context.game(game))
    asker = await _asker(request, context)
    wanted = await read_body(request, wire.NewMatch)
    sitters = [await _sitter(context, seat, game, asker) for seat in wanted.seats]
    terms = Terms(options=wanted.options, clock=wanted.clock, listed=wanted.listed)
    await spend(request, context.creations)
    creator = Creator(await context.clients.key(client_of(request)), context.bot_matches)
    kept = await context.matches.create(game, sitters, terms, creator)
    context.autoplay.attend(kept)
    tokens = [
        await context.tokens.issue(game, kept.id, Sitting(seat, number)) if number > 0 else None
        for seat, number in enumerate(kept.sittings)
    ]
    body = wire.MatchCreated(tokens=tokens, match=match_of(wire, kept, None))
    return json(body, 201, {"Location": f"/v1/{game}/matches/{kept.id}"})


@get("/{game:str}/matches")
async def list_matches(request: AnyRequest, game: FromPath[str]) -> ASGIApp:
    query = read_query(request, MatchesQuery)
    context = context_of(request)
    context.game(game)
    ids = await context.matches.page(game, query.status, query.cursor or None, query.limit)
    found = await asyncio.gather(*(_still(context, game, query.status, match_id) for match_id in ids))
    shown = [summary_of(listed) for listed in found if listed and query.players in (UNSET, listed.players)]
    return json(MatchPage(shown, ids[-1] if len(ids) == query.limit else None))


@route("/{game:str}/matches", http_method=[HttpMethod.OPTIONS], status_code=204)
async def tell_methods() -> Response[None]:
    """Litestar would tell of one only, where there are two handlers."""
    return Response(None, headers={"Allow": "GET, OPTIONS, POST"})


@route("/{game:str}/matches/{match:str}", http_method=[HttpMethod.OPTIONS], status_code=204)
async def tell_match_methods() -> Response[None]:
    """Tell of both methods, because Litestar tells of one only."""
    return Response(None, headers={"Allow": "DELETE, GET, OPTIONS"})


@get("/{game:str}/matches/{match:str}")
async def get_match(request: AnyRequest, game: FromPath[str], match: FromPath[str]) -> ASGIApp:
    context, query = context_of(request), read_query(request, MatchQuery)
    sitting = await context.tokens.read(game, match, header(request, b"authorization"))
    kept = await find(context, game, match)
    if query.after is not UNSET and query.wait and kept.turn <= query.after and not kept.over:
        with closing(context.streams.take(client_of(request))):
            kept = await _wait(context, kept, sitting, query.after, query.wait)
    seat = check_sitting(kept, sitting)
    tag = f'"{"over" if kept.over else kept.change}.{"all" if seat is None else seat}"'
    if has_tag(header(request, b"if-none-match"), tag):
        return Answer(status=304, headers=[(b"etag", tag.encode()), *PRIVATE])
    return Answer(_encoded(kept, seat), headers=[(b"etag", tag.encode()), *PRIVATE])


@post("/{game:str}/matches/{match:str}/seats")
async def join_match(request: AnyRequest, game: FromPath[str], match: FromPath[str]) -> ASGIApp:
    context = context_of(request)
    wire = game_schemas(context.game(game))
    joining = await read_body(request, Joining)
    kept = await find(context, game, match)
    if joining.seat is not None:
        check_seat(kept, joining.seat)
    kept, seat, number = await context.matches.join(match, joining.seat, check_name(joining.name))
    context.autoplay.attend(kept)
    token = await context.tokens.issue(game, match, Sitting(seat, number))
    return json(wire.Joined(seat=seat, token=token, match=match_of(wire, kept, seat)), 201)


@delete("/{game:str}/matches/{match:str}/seats/{seat:int}", status_code=204)
async def leave_match(request: AnyRequest, game: FromPath[str], match: FromPath[str], seat: FromNought) -> None:
    context = context_of(request)
    kept, sitting = await _seated(request, context, game, match, seat)
    context.autoplay.attend(await context.matches.leave(kept.id, seat, sitting.number, STAND_IN))


@delete("/{game:str}/matches/{match:str}", status_code=204)
async def delete_match(request: AnyRequest, game: FromPath[str], match: FromPath[str]) -> None:
    """Remove a match for the only person who sits at it; in any other case a token is not enough."""
    context = context_of(request)
    while True:
        sitting = await context.tokens.read(game, match, header(request, b"authorization"))
        if sitting is None:
            raise NoToken("the token of a seat is needed: Authorization: Bearer seat-...")
        kept = await find(context, game, match)
        check_alone(kept, sitting)
        if await context.matches.delete(match, None if kept.over else kept.change, context.games):
            return


@put("/{game:str}/matches/{match:str}/turns/{turn:int}/seats/{seat:int}")
async def seal_move(request: AnyRequest) -> ASGIApp:
    """Most come by `splito_service.http.fast_path` instead."""
    return await seal(request, context_of(request), *_place(request))


async def seal(request: AnyRequest, context: Context, game: str, match: str, turn: int, seat: Seat) -> Answer:
    """Seal a move and return the answer. Permission is checked before the body is read and the rules see the move."""
    wire = game_schemas(context.game(game))
    sitting = await _token(request, context, game, match, seat)
    if not ID.fullmatch(match):
        raise UnknownMatch(f"there is no match {match!r}", field="match")
    if context.matches.admitted(match, *sitting) is None:
        await context.matches.admit(match, *sitting)
    try:
        decision = await read_body(request, wire.Decision)
        said = Decision(turn, seat, decision.move, decision.nudge, sitting.number)
        kept = await context.matches.seal(match, said)
    except Unavailable:
        raise
    except GameError as error:
        return await _refused(context, match, sitting, error)
    context.autoplay.attend(kept)
    return json(Sealed(match, turn, seat, kept.turn, kept.over))


async def _refused(context: Context, match: str, sitting: Sitting, error: GameError) -> Answer:
    """Return a refused move with the legal ones. Raise `WrongToken` if the player has left, else the error itself.

    The player may have left by another process after this one last looked, so the match is read again before the player
    is told anything that the body, the turn or the hand has to do with.
    """
    kept = await context.matches.admit(match, *sitting, again=True)
    if not isinstance(error, IllegalMove | UnknownMove):
        raise error
    wire = game_schemas(kept.match.game)
    problem = wire.MoveProblem(**problem_fields(error), legal_moves=legal_moves(kept.match, sitting.seat))
    return Answer(encode(problem), problem.status, kind=MEDIA_TYPE)


@get("/{game:str}/matches/{match:str}/turns")
async def list_turns(request: AnyRequest, game: FromPath[str], match: FromPath[str]) -> ASGIApp:
    context = context_of(request)
    kept = await find(context, game, match)
    wire = game_schemas(kept.match.game)
    return json(wire.Turns(turns=[turn_of(wire.game, number, turn) for number, turn in enumerate(kept.match.turns)]))


@get("/{game:str}/matches/{match:str}/record")
async def get_record(request: AnyRequest, game: FromPath[str], match: FromPath[str]) -> ASGIApp:
    context = context_of(request)
    context.game(game)
    raw = await context.matches.archived_record(game, match) if ID.fullmatch(match) else None
    return Answer(raw or encode_record(_over(await find(context, game, match)).record()))


@get("/{game:str}/matches/{match:str}/explanation")
async def explain_match(request: AnyRequest, game: FromPath[str], match: FromPath[str]) -> ASGIApp:
    language = choose_language(request, read_query(request, TextQuery).lang)
    kept = _over(await find(context_of(request), game, match))
    headers = {"Content-Language": language, "Vary": "Accept-Language"}
    return json(kept.match.game.explain(kept.match.state, language), headers=headers)


def _place(request: AnyRequest) -> tuple[str, str, int, Seat]:
    found: dict[str, Any] = request.path_params
    game, match, turn, seat = (found[name] for name in ("game", "match", "turn", "seat"))
    if seat < 0:
        raise BadRequest("seats are counted from 0", field="seat")
    return game, match, turn, seat


async def find(context: Context, game: str, match_id: str) -> StoredMatch:
    context.game(game)
    if ID.fullmatch(match_id):
        kept = await context.matches.get(match_id)
        if kept.deal.game == game:
            return kept
    raise UnknownMatch(f"there is no match {match_id!r} of {game}", field="match")


def has_tag(wanted: str | None, tag: str) -> bool:
    """Whether `If-None-Match` names this answer. Proxies may have made the tag a weak one."""
    return wanted is not None and any(one.strip().removeprefix("W/") in (tag, "*") for one in wanted.split(","))


@lru_cache(maxsize=4096)
def _encoded(kept: StoredMatch, seat: Seat | None) -> bytes:
    """Many look at the same match between two moves."""
    return encode(match_of(game_schemas(kept.match.game), kept, seat))


async def _wait(
    context: Context, kept: StoredMatch, sitting: Sitting | None, after: int, seconds: float
) -> StoredMatch:
    """Return the match when more turns than that have been revealed, or the time is over.

    Raise `WrongToken` as soon as the player has left the seat.
    """
    limit = monotonic() + seconds
    with context.notices.about(kept.id) as notice:
        while True:
            kept = await context.matches.get(kept.id)
            check_sitting(kept, sitting)
            if kept.turn > after or kept.over or not await seen(notice, limit - monotonic()):
                return kept


async def _token(request: AnyRequest, context: Context, game: str, match_id: str, seat: Seat) -> Sitting:
    sitting = await context.tokens.read(game, match_id, header(request, b"authorization"))
    if sitting is None:
        raise NoToken(f"the token of seat {seat} is needed: Authorization: Bearer seat-...", seat=seat)
    if sitting.seat != seat:
        raise wrong_token(seat)
    return sitting


async def _seated(
    request: AnyRequest, context: Context, game: str, match_id: str, seat: Seat
) -> tuple[StoredMatch, Sitting]:
    sitting = await _token(request, context, game, match_id, seat)
    kept = await find(context, game, match_id)
    check_sitting(kept, sitting)
    return kept, sitting


async def _still(context: Context, game: str, status: Status, match_id: str) -> Listed | None:
    """Return a match of a list; None if it has left the list meanwhile, or its rules are no longer here."""
    try:
        listed = await context.matches.listed(match_id)
    except UnknownMatch:
        await context.matches.unlist(game, status, match_id)
        return None
    except UnknownVersion:
        return None
    return listed if listed.status == status else None


def _over(kept: StoredMatch) -> StoredMatch:
    if not kept.over:
        raise NotOver("the match is not over yet", field="match")
    return kept


async def _asker(request: AnyRequest, context: Context) -> Asker:
    """Return the client that makes the request. Raise `NoKey` or `WrongScope` for a key that is not good here."""
    authorization = header(request, b"authorization")
    if authorization is None:
        return NOBODY
    owner = (await context.keys.read(authorization, "play")).owner
    return Asker(owner, owner in context.organisers)


async def _sitter(context: Context, seat: NewSeat, game: str, asker: Asker) -> Sitter:
    match seat:
        case NewPerson(name):
            return Sitter("person", check_name(name))
        case NewBot(bot) if is_registered(bot):
            return await context.bot_turns.sitter(bot, game, asker)
        case NewBot(bot):
            check_bot(bot, game)
            return Sitter("bot", bot, bot)
        case _:
            return OPEN
