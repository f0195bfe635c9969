"""Endpoints of checks: start a check of a registered bot, and read its report."""

from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.types import ASGIApp

from splito_service.bots.model import check_ban
from splito_service.checks.schemas import Check, CheckList, NewCheck, check_of, check_summary
from splito_service.http.access import owner_of
from splito_service.http.common import AnyRequest, json, read_body
from splito_service.http.endpoint import BODY, Endpoints, Link
from splito_service.http.examples import checks as examples
from splito_service.http.limits.client_limits import spend_creation
from splito_service.http.routes.bots.bots import BOT, own_bot
from splito_service.http.services.bots import CheckServices

ENDPOINTS = Endpoints("Bots")

_BEGUN = {"bot": "$response.body#/bot", "check": "$response.body#/id"}
_LISTED = {"bot": "$response.body#/checks/0/bot", "check": "$response.body#/checks/0/id"}


@ENDPOINTS.declare(
    "POST /v1/bots/{bot}/checks",
    id="createCheck",
    summary="Check a bot",
    description="Tests if a bot is ready to play: the arena asks it every kind of question, for two minutes at most,"
    " and lets it play whole matches against itself. The request returns at once; poll the check for its progress. A"
    " bot has one running check at a time; while one runs, it is returned instead. A version that passes may play"
    " ranked matches. A pull bot must be polling. Your key needs the scope `bots`.",
    parameters=("bot",),
    body=NewCheck,
    status=202,
    answer=Check,
    headers=("Location",),
    links=(Link("getCheck", _BEGUN), Link("listChecks", {"bot": _BEGUN["bot"]})),
    errors=(*BODY, *BOT, "bad-address", "not-ready"),
    access=owner_of("bots", "wrong-owner"),
    example=examples.create_check,
)
async def create_check(request: AnyRequest, services: NamedDependency[CheckServices], bot: FromPath[str]) -> ASGIApp:
    found = await own_bot(request, services.bots, bot)
    check_ban(found, found.owner)
    wanted: NewCheck = await read_body(request, NewCheck)
    await spend_creation(request.scope)
    kept = await services.runner.begin(found, wanted.quick)
    return json(check_of(kept, None), 202, {"Location": f"/v1/bots/{kept.bot}/checks/{kept.id}"})


@ENDPOINTS.declare(
    "GET /v1/bots/{bot}/checks",
    id="listChecks",
    summary="List the checks of a bot",
    description="Returns the last 20 checks of 30 days, newest first, without their reports.",
    parameters=("bot",),
    answer=CheckList,
    links=(Link("getCheck", _LISTED),),
    errors=BOT,
    access=owner_of("bots", "wrong-owner"),
    example=examples.list_checks,
)
async def list_checks(request: AnyRequest, services: NamedDependency[CheckServices], bot: FromPath[str]) -> ASGIApp:
    found = await own_bot(request, services.bots, bot)
    return json(CheckList([check_summary(kept) for kept in await services.store.of_bot(found.id)]))


@ENDPOINTS.declare(
    "GET /v1/bots/{bot}/checks/{check}",
    id="getCheck",
    summary="Read a check",
    description="Returns the progress of a check and, when it is done, its findings with advice.",
    parameters=("bot", "check"),
    answer=Check,
    errors=(*BOT, "unknown-check"),
    access=owner_of("bots", "wrong-owner"),
    example=examples.get_check,
)
async def get_check(
    request: AnyRequest, services: NamedDependency[CheckServices], bot: FromPath[str], check: FromPath[str]
) -> ASGIApp:
    found = await own_bot(request, services.bots, bot)
    return json(check_of(*await services.store.get(found.id, check)))
