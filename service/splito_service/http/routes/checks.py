"""Checks of registered bots, for their owners."""

from litestar import get, post
from litestar.params import FromPath
from litestar.types import ASGIApp

from splito_service.checks.schemas import CheckList, NewCheck, check_of, check_summary
from splito_service.http.common import AnyRequest, json, read_body, spend, telling
from splito_service.http.context import context_of
from splito_service.http.routes.bots import own_bot

TOLD = (telling("/bots/{bot:str}/checks", "GET, OPTIONS, POST"),)


@post("/bots/{bot:str}/checks", status_code=202)
async def create_check(request: AnyRequest, bot: FromPath[str]) -> ASGIApp:
    context, found = context_of(request), await own_bot(request, bot)
    wanted: NewCheck = await read_body(request, NewCheck)
    await spend(request, context.creations)
    kept = await context.checker.begin(found, wanted.quick)
    return json(check_of(kept, None), 202, {"Location": f"/v1/bots/{kept.bot}/checks/{kept.id}"})


@get("/bots/{bot:str}/checks")
async def list_checks(request: AnyRequest, bot: FromPath[str]) -> ASGIApp:
    found = await own_bot(request, bot)
    return json(CheckList([check_summary(kept) for kept in await context_of(request).checks.of_bot(found.id)]))


@get("/bots/{bot:str}/checks/{check:str}")
async def get_check(request: AnyRequest, bot: FromPath[str], check: FromPath[str]) -> ASGIApp:
    found = await own_bot(request, bot)
    return json(check_of(*await context_of(request).checks.get(found.id, check)))
