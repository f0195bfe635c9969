"""Endpoints of matches: create, list, read and delete a match."""

import asyncio
from contextlib import closing
from functools import lru_cache
from time import monotonic

from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.types import ASGIApp
from msgspec import UNSET

from splito_engine.errors import UnknownMatch, UnknownVersion
from splito_engine.game import Seat
from splito_service.errors import NoToken
from splito_service.http.access import Permission, everybody
from splito_service.http.answers.responses import Answer, has_tag, packed
from splito_service.http.common import AnyRequest, encode, header, json, read_body
from splito_service.http.endpoint import BODY, MATCH, Endpoints, Link, first_move
from splito_service.http.examples import matches as examples
from splito_service.http.limits.client_limits import client_of, limits_of, spend_creation
from splito_service.http.queries import MatchesQuery, MatchQuery, read_query
from splito_service.http.routes.matches.sitters import asker_of, sitter_of
from splito_service.http.services.matches import MatchServices
from splito_service.matches.list_store import Listed
from splito_service.matches.model import Creator, Status, StoredMatch, Terms
from splito_service.matches.schemas import (
    MatchPage,
    game_schemas,
    match_of,
    summary_of,
)
from splito_service.matches.seat_tokens import Sitting, check_alone, check_sitting
from splito_service.storage.notices import seen

ENDPOINTS = Endpoints("Matches")

_CREATED = {"match": "$response.body#/match/id"}
_SHOWN = {"match": "$response.body#/id"}
_LISTED = {"match": "$response.body#/matches/0/id"}


PRIVATE = packed({"Cache-Control": "no-cache", "Vary": "Authorization"})


@ENDPOINTS.declare(
    "POST /v1/{game}/matches",
    id="create{Game}Match",
    summary="Create a match",
    description="Deals at once and returns the commitment to the deal. The match begins when no seat is open; without"
    " open seats, at once. The tokens of the persons are shown here and never again. To seat a bot that is not open to"
    " everybody you need a key with the scope `play`: the key of its owner, or of an organiser if the bot is open to"
    " organisers.",
    body="NewMatch",
    status=201,
    answer="MatchCreated",
    headers=("Location",),
    links=(
        Link("get{Game}Match", _CREATED),
        Link("join{Game}Match", _CREATED),
        Link("watch{Game}Match", _CREATED),
        Link("list{Game}Turns", _CREATED),
        Link("seal{Game}Move", {**_CREATED, "turn": "$response.body#/match/turn", "seat": "0"}),
        Link("leave{Game}Match", {**_CREATED, "seat": "0"}),
        Link("delete{Game}Match", _CREATED),
        Link("get{Game}Record", _CREATED),
        Link("explain{Game}Match", _CREATED),
    ),
    errors=(*BODY, "no-key", "wrong-scope", "not-allowed", "bad-bot", "bad-name", "no-room", "too-many-matches"),
    access=Permission(
        access="owner-or-public",
        scope="play",
        note="The answer has the tokens of the persons, once. A bot that is not open to everybody needs a key of its"
        " owner, or of an organiser (`not-allowed`).",
    ),
    example=examples.create_match,
)
async def create_match(request: AnyRequest, services: NamedDependency[MatchServices], game: FromPath[str]) -> ASGIApp:
    """Create a match; a key of an owner or an organiser lets the client seat bots that are open to them."""
    wire = game_schemas(services.games.find(game))
    asker = await asker_of(request, services)
    wanted = await read_body(request, wire.NewMatch)
    sitters = [await sitter_of(services, seat, game, asker) for seat in wanted.seats]
    terms = Terms(options=wanted.options, clock=wanted.clock, listed=wanted.listed)
    await spend_creation(request.scope)
    creator = Creator(await services.clients.key(client_of(request.scope)), services.bot_matches)
    kept = await services.store.create(game, sitters, terms, creator)
    services.autoplay.attend(kept)
    tokens = [
        await services.tokens.issue(game, kept.id, Sitting(seat, number)) if number > 0 else None
        for seat, number in enumerate(kept.sittings)
    ]
    body = wire.MatchCreated(tokens=tokens, match=match_of(wire, kept, None))
    return json(body, 201, {"Location": f"/v1/{game}/matches/{kept.id}"})


@ENDPOINTS.declare(
    "GET /v1/{game}/matches",
    id="list{Game}Matches",
    summary="List matches",
    description="Returns the listed matches in one state, newest first, in pages. A page may have fewer than `limit`"
    " entries, even none, and still a `next`.",
    parameters=("status", "players", "cursor", "limit"),
    answer=MatchPage,
    links=(
        Link("get{Game}Match", _LISTED),
        Link("join{Game}Match", _LISTED),
        Link("list{Game}Matches", {"cursor": "$response.body#/next"}),
    ),
    errors=("bad-request",),
    access=everybody("Only listed matches."),
    example=examples.list_matches,
)
async def list_matches(request: AnyRequest, services: NamedDependency[MatchServices], game: FromPath[str]) -> ASGIApp:
    query = read_query(request, MatchesQuery)
    services.games.find(game)
    ids = await services.store.page(game, query.status, query.cursor or None, query.limit)
    found = await asyncio.gather(*(_still(services, game, query.status, match_id) for match_id in ids))
    shown = [summary_of(listed) for listed in found if listed and query.players in (UNSET, listed.players)]
    return json(MatchPage(shown, ids[-1] if len(ids) == query.limit else None))


@ENDPOINTS.declare(
    "GET /v1/{game}/matches/{match}",
    id="get{Game}Match",
    summary="Read a match",
    description="Returns the public view of a match or, with a seat token, the view of that seat with its legal moves."
    " With `after` and `wait` the server waits until a later turn begins (long poll).",
    parameters=("match", "after", "wait", "If-None-Match"),
    answer="Match",
    headers=("ETag",),
    also={304: "It is still as the `ETag` in `If-None-Match` says."},
    links=(
        Link(
            "seal{Game}Move",
            {**_SHOWN, "turn": "$response.body#/turn", "seat": "$response.body#/seat"},
            first_move(""),
        ),
        Link("list{Game}Turns", _SHOWN),
        Link("get{Game}Record", _SHOWN),
        Link("explain{Game}Match", _SHOWN),
    ),
    errors=("bad-request", "no-token", "wrong-token", *MATCH),
    access=Permission(
        access="either", note="A seat token shows the view of its own seat; without a token, the public view."
    ),
    example=examples.get_match,
)
async def get_match(
    request: AnyRequest, services: NamedDependency[MatchServices], game: FromPath[str], match: FromPath[str]
) -> ASGIApp:
    query = read_query(request, MatchQuery)
    sitting = await services.tokens.read(game, match, header(request, b"authorization"))
    kept = await services.find(game, match)
    if query.after is not UNSET and query.wait and kept.turn <= query.after and not kept.over:
        with closing(limits_of(request.scope).streams.take(client_of(request.scope))):
            kept = await _wait(services, kept, sitting, query.after, query.wait)
    seat = check_sitting(kept, sitting)
    tag = f'"{"over" if kept.over else kept.change}.{"all" if seat is None else seat}"'
    if has_tag(header(request, b"if-none-match"), tag):
        return Answer(status=304, headers=[(b"etag", tag.encode()), *PRIVATE])
    return Answer(_encoded(kept, seat), headers=[(b"etag", tag.encode()), *PRIVATE])


@ENDPOINTS.declare(
    "DELETE /v1/{game}/matches/{match}",
    id="delete{Game}Match",
    summary="Delete a match",
    description="For the only person at the match: the other seats are bots or open. The match is deleted for all"
    " clients, also when it is over. If two persons sit at a match, each can only leave. The service removes matches"
    " of bots after some time.",
    parameters=("match",),
    status=204,
    errors=("no-token", "wrong-token", *MATCH),
    access=Permission(access="seat", note="Only the one person at a match; where two sit, both meet `wrong-token`."),
)
async def delete_match(
    request: AnyRequest, services: NamedDependency[MatchServices], game: FromPath[str], match: FromPath[str]
) -> None:
    """Remove a match for the only person who sits at it; in any other case a token is not enough."""
    while True:
        sitting = await services.tokens.read(game, match, header(request, b"authorization"))
        if sitting is None:
            raise NoToken("this request needs the token of a seat: Authorization: Bearer seat-...")
        kept = await services.find(game, match)
        check_alone(kept, sitting)
        if await services.store.delete(match, None if kept.over else kept.change, services.games.ids):
            return


@lru_cache(maxsize=4096)
def _encoded(kept: StoredMatch, seat: Seat | None) -> bytes:
    """Return the match as JSON, cached because many clients read the same match between two moves."""
    return encode(match_of(game_schemas(kept.match.game), kept, seat))


async def _wait(
    services: MatchServices, kept: StoredMatch, sitting: Sitting | None, after: int, seconds: float
) -> StoredMatch:
    """Return the match when more turns than that have been revealed, or the time is over.

    Raise `WrongToken` as soon as the player has left the seat.
    """
    limit = monotonic() + seconds
    with services.notices.about(kept.id) as notice:
        while True:
            kept = await services.store.get(kept.id)
            check_sitting(kept, sitting)
            if kept.turn > after or kept.over or not await seen(notice, limit - monotonic()):
                return kept


async def _still(services: MatchServices, game: str, status: Status, match_id: str) -> Listed | None:
    """Return a match of a list; None if it has left the list meanwhile, or its rules are no longer here."""
    try:
        listed = await services.store.listed(match_id)
    except UnknownMatch:
        await services.store.unlist(game, status, match_id)
        return None
    except UnknownVersion:
        return None
    return listed if listed.status == status else None
