"""Endpoints of moderation: organisers ban owners and bots, remove tournaments, and read the log of these actions."""

from litestar.di import NamedDependency
from litestar.types import ASGIApp

from splito_arena.bots.names import fault_of
from splito_service.errors import BadRequest
from splito_service.http.access import organisers_only
from splito_service.http.common import AnyRequest, json, read_body, read_key
from splito_service.http.endpoint import BODY, KEY, Endpoints, Link
from splito_service.http.examples import moderation as examples
from splito_service.http.limits.client_limits import spend_creation
from splito_service.http.queries import LogQuery, read_query
from splito_service.http.services.moderation import ModerationServices
from splito_service.moderation.schemas import (
    BanPage,
    ModerationEntry,
    ModerationPage,
    NewModeration,
    ban_info,
    entry_of,
)
from splito_service.owners.keys import Holder

ENDPOINTS = Endpoints("Moderation")
NAMED = "Only organisers whom `SPLITO_ORGANISERS` names by id; `*` names none."


@ENDPOINTS.declare(
    "POST /v1/moderation/actions",
    id="createModeration",
    summary="Ban, lift a ban or remove a tournament",
    description="Carries out an action and writes it to the log. A ban holds at once, for all requests and workers:"
    " games that have begun are played to their end, later blocks of a banned bot are skipped, and in live matches a"
    " house bot plays for it. The running tournaments of a banned owner are cancelled. The owner gets the reason with"
    " `banned`; other clients only learn that the bot is not ready. Organisers cannot ban each other or themselves."
    " Your key needs the scope `keys`, as for all of moderation.",
    body=NewModeration,
    status=201,
    answer=ModerationEntry,
    errors=(
        *(*BODY, *KEY, "wrong-owner", "protected"),
        *("unknown-owner", "unknown-bot", "unknown-tournament", "not-banned", "no-room"),
    ),
    access=organisers_only(NAMED),
    example=examples.create_moderation,
)
async def create_moderation(request: AnyRequest, services: NamedDependency[ModerationServices]) -> ASGIApp:
    holder = await _organiser(request, services)
    wanted: NewModeration = await read_body(request, NewModeration)
    if fault_of(wanted.reason):
        raise BadRequest("a reason is one line of visible text, without control characters", field="reason")
    await spend_creation(request.scope)
    done = await services.moderator.act(holder.owner, wanted.action, wanted.target, wanted.reason)
    return json(entry_of(done), 201)


@ENDPOINTS.declare(
    "GET /v1/moderation/actions",
    id="listModeration",
    summary="Read the moderation log",
    description="Returns the actions of all organisers, newest first, in pages. No request changes or removes one.",
    parameters=("cursor", "limit"),
    answer=ModerationPage,
    links=(Link("listModeration", {"cursor": "$response.body#/next"}),),
    errors=("bad-request", *KEY, "wrong-owner"),
    access=organisers_only(NAMED),
    example=examples.list_moderation,
)
async def list_moderation(request: AnyRequest, services: NamedDependency[ModerationServices]) -> ASGIApp:
    await _organiser(request, services)
    query = read_query(request, LogQuery)
    page = await services.moderator.log.page(query.cursor or None, query.limit)
    return json(ModerationPage([entry_of(action) for action in page.actions], page.next))


@ENDPOINTS.declare(
    "GET /v1/moderation/bans",
    id="listBans",
    summary="List the current bans",
    description="Returns the banned owners and bots with the reasons, in pages, by their ids, newest ids first.",
    parameters=("cursor", "limit"),
    answer=BanPage,
    links=(Link("listBans", {"cursor": "$response.body#/next"}),),
    errors=("bad-request", *KEY, "wrong-owner"),
    access=organisers_only(NAMED),
    example=examples.list_bans,
)
async def list_bans(request: AnyRequest, services: NamedDependency[ModerationServices]) -> ASGIApp:
    await _organiser(request, services)
    query = read_query(request, LogQuery)
    page = await services.moderator.log.bans(query.cursor or None, query.limit)
    return json(BanPage([ban_info(field, ban) for field, ban in page.bans.items()], page.next))


async def _organiser(request: AnyRequest, services: ModerationServices) -> Holder:
    """Return the key of a named organiser. Raise `WrongOwner` for the key of any other owner."""
    holder = await read_key(request, services.keys)
    services.moderator.check_organiser(holder.owner)
    return holder
