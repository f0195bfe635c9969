"""Registered bots: everybody may see which there are, and their owners what becomes of them."""

from functools import partial

import msgspec
from litestar import delete, get, post, put
from litestar.params import FromPath
from litestar.types import ASGIApp

from splito_arena.match.messages import BotInfo
from splito_arena.net.signing import new_secret
from splito_service.bots.registry import changed, check_kind, described, rotated, settled
from splito_service.bots.schemas import (
    Bot,
    BotChange,
    BotDescription,
    BotPage,
    BotRegistered,
    BotRegistration,
    NewSecret,
    bot_of,
    bot_summary,
)
from splito_service.bots.store import Registered
from splito_service.errors import WrongOwner
from splito_service.http.common import AnyRequest, header, json, read_body, spend, telling
from splito_service.http.context import Context, context_of
from splito_service.http.queries import BotsQuery, read_query
from splito_service.http.routes.owners import read_key
from splito_service.names import check_name, check_text

VARIES = {"Cache-Control": "no-cache", "Vary": "Authorization"}
TOLD = (
    telling("/bots", "GET, OPTIONS, POST"),
    telling("/bots/{bot:str}", "DELETE, GET, OPTIONS, PUT"),
    telling("/bots/{bot:str}/secret", "DELETE, OPTIONS, POST"),
)


@get("/bots")
async def list_bots(request: AnyRequest) -> ASGIApp:
    context, query = context_of(request), read_query(request, BotsQuery)
    page = await context.bots.page(query.cursor or None, query.limit, query.owner or None)
    owners = await context.owners.find(bot.owner for bot in page.bots)
    return json(BotPage([bot_summary(bot, owners[bot.owner]) for bot in page.bots], page.next))


@post("/bots")
async def create_bot(request: AnyRequest) -> ASGIApp:
    context, holder = context_of(request), await read_key(request, "bots")
    wanted: BotRegistration = await read_body(request, BotRegistration)
    check_name(wanted.name)
    context.registry.check_url(wanted.kind, wanted.url)
    await spend(request, context.creations)
    bot = await context.bots.create(holder.owner, wanted.kind, wanted.name, wanted.url, wanted.open_to)
    secret = bot.secrets.current if bot.secrets else None
    return json(BotRegistered(await _shown(context, bot), secret), 201, {"Location": f"/v1/bots/{bot.id}"})


@get("/bots/{bot:str}")
async def get_bot(request: AnyRequest, bot: FromPath[str]) -> ASGIApp:
    context, asks = context_of(request), header(request, b"authorization")
    holder = await context.keys.read(asks, "bots") if asks else None
    found = await context.bots.get(bot)
    return json(await _shown(context, found, holder is not None and holder.owner == found.owner), headers=VARIES)


@put("/bots/{bot:str}")
async def change_bot(request: AnyRequest, bot: FromPath[str]) -> ASGIApp:
    context, found = context_of(request), await own_bot(request, bot)
    wanted: BotChange = await read_body(request, BotChange)
    check_name(wanted.name)
    context.registry.check_url(found.kind, wanted.url)
    kept = await context.bots.change(bot, partial(changed, name=wanted.name, url=wanted.url, open_to=wanted.open_to))
    return json(await _shown(context, kept))


@delete("/bots/{bot:str}", status_code=204)
async def delete_bot(request: AnyRequest, bot: FromPath[str]) -> None:
    await context_of(request).removal.bot(await own_bot(request, bot))


@post("/bots/{bot:str}/proof", status_code=200)
async def prove_bot(request: AnyRequest, bot: FromPath[str]) -> ASGIApp:
    context, found = context_of(request), await own_bot(request, bot)
    check_kind(found, "push")
    await spend(request, context.creations)
    return json(await _shown(context, await context.registry.prove(found)))


@put("/bots/{bot:str}/info")
async def describe_bot(request: AnyRequest, bot: FromPath[str]) -> ASGIApp:
    context, _ = context_of(request), await own_bot(request, bot)
    told: BotDescription = await read_body(request, BotDescription)
    for text in (told.name, told.author, told.version, *told.games):
        check_text(text)
    info = BotInfo(**msgspec.structs.asdict(told))
    return json(await _shown(context, await context.bots.change(bot, partial(described, info=info))))


@post("/bots/{bot:str}/secret")
async def rotate_secret(request: AnyRequest, bot: FromPath[str]) -> ASGIApp:
    await own_bot(request, bot)
    secret = new_secret()
    await context_of(request).bots.change(bot, partial(rotated, secret=secret))
    return json(NewSecret(secret), 201)


@delete("/bots/{bot:str}/secret", status_code=204)
async def settle_secret(request: AnyRequest, bot: FromPath[str]) -> None:
    await own_bot(request, bot)
    await context_of(request).bots.change(bot, settled)


async def own_bot(request: AnyRequest, bot_id: str) -> Registered:
    """That there is such a bot is public, so who may not touch it is told so."""
    holder = await read_key(request, "bots")
    bot = await context_of(request).bots.get(bot_id)
    if bot.owner != holder.owner:
        raise WrongOwner(f"bot {bot_id} is somebody else's", field="bot")
    return bot


async def _shown(context: Context, bot: Registered, own: bool = True) -> Bot:
    owners = await context.owners.find([bot.owner])
    return bot_of(bot, owners[bot.owner], own=own)
