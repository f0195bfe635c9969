"""Endpoints of registered bots: list, register, read, change, prove and delete a bot."""

from functools import partial

import msgspec
from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.types import ASGIApp

from splito_arena.match.messages import BotInfo
from splito_arena.net.signing import new_secret
from splito_service.bots.model import Registered, changed, check_ban, check_kind, described, rotated, settled
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
from splito_service.errors import WrongOwner
from splito_service.http.access import Permission, any_owner, everybody, owner_of
from splito_service.http.common import AnyRequest, json, read_body, read_key, read_key_if_sent
from splito_service.http.endpoint import BODY, KEY, Endpoints, Link
from splito_service.http.examples import bots as examples
from splito_service.http.limits.client_limits import spend_creation
from splito_service.http.queries import BotsQuery, read_query
from splito_service.http.services.bots import BotServices
from splito_service.names import check_name, check_text

ENDPOINTS = Endpoints("Bots")
BOT = (*KEY, "wrong-owner", "unknown-bot")

_REGISTERED = {"bot": "$response.body#/bot/id"}
_SHOWN = {"bot": "$response.body#/id"}
_LISTED = {"bot": "$response.body#/bots/0/id"}

VARIES = {"Cache-Control": "no-cache", "Vary": "Authorization"}


@ENDPOINTS.declare(
    "GET /v1/bots",
    id="listBots",
    summary="List the registered bots",
    description="Returns registered bots, newest first, in pages. House bots are listed by `GET /v1/house`.",
    parameters=("owner", "cursor", "limit"),
    answer=BotPage,
    links=(Link("getBot", _LISTED), Link("listBots", {"cursor": "$response.body#/next"})),
    errors=("bad-request",),
    access=everybody(),
    example=examples.list_bots,
)
async def list_bots(request: AnyRequest, services: NamedDependency[BotServices]) -> ASGIApp:
    query = read_query(request, BotsQuery)
    page = await services.store.page(query.cursor or None, query.limit, query.owner or None)
    owners = await services.owners.find(bot.owner for bot in page.bots)
    return json(BotPage([bot_summary(bot, owners[bot.owner]) for bot in page.bots], page.next))


@ENDPOINTS.declare(
    "POST /v1/bots",
    id="createBot",
    summary="Register a bot",
    description="Registers a bot. A push bot then has to prove itself, and a pull bot has to be described. The secret"
    " of a push bot is shown here and never again. Your key needs the scope `bots`, as for all changes of bots.",
    body=BotRegistration,
    status=201,
    answer=BotRegistered,
    headers=("Location",),
    links=(
        Link("getBot", _REGISTERED),
        Link("proveBot", _REGISTERED),
        Link("describeBot", _REGISTERED),
        Link("changeBot", _REGISTERED),
        Link("rotateSecret", _REGISTERED),
        Link("settleSecret", _REGISTERED),
        Link("deleteBot", _REGISTERED),
    ),
    errors=(*BODY, *KEY, "bad-name", "bad-address", "no-room"),
    access=any_owner("bots"),
    example=examples.create_bot,
)
async def create_bot(request: AnyRequest, services: NamedDependency[BotServices]) -> ASGIApp:
    holder = await read_key(request, services.keys)
    wanted: BotRegistration = await read_body(request, BotRegistration)
    check_name(wanted.name)
    services.registry.check_url(wanted.kind, wanted.url)
    await spend_creation(request.scope)
    bot = await services.store.create(holder.owner, wanted.kind, wanted.name, wanted.url, wanted.open_to)
    secret = bot.secrets.current if bot.secrets else None
    return json(BotRegistered(await _shown(services, bot), secret), 201, {"Location": f"/v1/bots/{bot.id}"})


@ENDPOINTS.declare(
    "GET /v1/bots/{bot}",
    id="getBot",
    summary="Read a bot",
    description="Returns the public fields of a bot. With the key of its owner, also its address and the result of the"
    " last health check.",
    parameters=("bot",),
    answer=Bot,
    links=(Link("proveBot", _SHOWN), Link("describeBot", _SHOWN), Link("deleteBot", _SHOWN)),
    errors=(*KEY, "unknown-bot"),
    access=Permission(
        access="owner-or-public",
        scope="bots",
        note="Only the owner sees the address, the reason of a failure and the secrets' state.",
    ),
    example=examples.get_bot,
)
async def get_bot(request: AnyRequest, services: NamedDependency[BotServices], bot: FromPath[str]) -> ASGIApp:
    holder = await read_key_if_sent(request, services.keys)
    found = await services.store.get(bot)
    return json(await _shown(services, found, holder is not None and holder.owner == found.owner), headers=VARIES)


@ENDPOINTS.declare(
    "PUT /v1/bots/{bot}",
    id="changeBot",
    summary="Change a bot",
    description="Changes the name, the address and `open_to` of a bot. A bot with a new address is new again and has"
    " to prove itself.",
    parameters=("bot",),
    body=BotChange,
    answer=Bot,
    links=(Link("getBot", _SHOWN), Link("proveBot", _SHOWN)),
    errors=(*BODY, *BOT, "bad-name", "bad-address"),
    access=owner_of("bots", "wrong-owner"),
    example=examples.change_bot,
)
async def change_bot(request: AnyRequest, services: NamedDependency[BotServices], bot: FromPath[str]) -> ASGIApp:
    found = await own_bot(request, services, bot)
    wanted: BotChange = await read_body(request, BotChange)
    check_name(wanted.name)
    services.registry.check_url(found.kind, wanted.url)
    kept = await services.store.change(bot, partial(changed, name=wanted.name, url=wanted.url, open_to=wanted.open_to))
    return json(await _shown(services, kept))


@ENDPOINTS.declare(
    "DELETE /v1/bots/{bot}",
    id="deleteBot",
    summary="Delete a bot",
    description="Deletes a bot. The arena no longer calls it, and it cannot play any more. Its past results stay.",
    parameters=("bot",),
    status=204,
    errors=BOT,
    access=owner_of("bots", "wrong-owner"),
)
async def delete_bot(request: AnyRequest, services: NamedDependency[BotServices], bot: FromPath[str]) -> None:
    await services.removal.bot(await own_bot(request, services, bot))


@ENDPOINTS.declare(
    "POST /v1/bots/{bot}/proof",
    id="proveBot",
    summary="Have a push bot prove itself",
    description="The arena reads `/info` from the bot's address and sends it a `/challenge`, which only a bot that"
    " knows the secret can answer. A bot that answers correctly is ready; otherwise `detail` says what the bot did.",
    parameters=("bot",),
    answer=Bot,
    links=(Link("getBot", _SHOWN),),
    errors=(*BOT, "bad-address", "wrong-kind", "not-proved", "lookup-failed"),
    access=owner_of("bots", "wrong-owner"),
    example=examples.prove_bot,
)
async def prove_bot(request: AnyRequest, services: NamedDependency[BotServices], bot: FromPath[str]) -> ASGIApp:
    found = await own_bot(request, services, bot)
    check_ban(found, found.owner)
    check_kind(found, "push")
    await spend_creation(request.scope)
    return json(await _shown(services, await services.registry.prove(found)))


@ENDPOINTS.declare(
    "PUT /v1/bots/{bot}/info",
    id="describeBot",
    summary="Describe a pull bot",
    description="The owner describes a pull bot; a push bot describes itself. The bot is ready then. A new version has"
    " to pass the checks again.",
    parameters=("bot",),
    body=BotDescription,
    answer=Bot,
    links=(Link("getBot", _SHOWN),),
    errors=(*BODY, *BOT, "bad-name", "wrong-kind"),
    access=owner_of("bots", "wrong-owner"),
    example=examples.describe_bot,
)
async def describe_bot(request: AnyRequest, services: NamedDependency[BotServices], bot: FromPath[str]) -> ASGIApp:
    await own_bot(request, services, bot)
    told: BotDescription = await read_body(request, BotDescription)
    for text in (told.name, told.author, told.version, *told.games):
        check_text(text)
    info = BotInfo(**msgspec.structs.asdict(told))
    return json(await _shown(services, await services.store.change(bot, partial(described, info=info))))


@ENDPOINTS.declare(
    "POST /v1/bots/{bot}/secret",
    id="rotateSecret",
    summary="Change the secret of a push bot",
    description="Creates a new secret. Requests are signed with the new and the previous secret, so that no request"
    " fails while the bot changes over. The new secret is shown here and never again.",
    parameters=("bot",),
    status=201,
    answer=NewSecret,
    errors=(*BOT, "wrong-kind"),
    access=owner_of("bots", "wrong-owner"),
    example=examples.rotate_secret,
)
async def rotate_secret(request: AnyRequest, services: NamedDependency[BotServices], bot: FromPath[str]) -> ASGIApp:
    await own_bot(request, services, bot)
    secret = new_secret()
    await services.store.change(bot, partial(rotated, secret=secret))
    return json(NewSecret(secret), 201)


@ENDPOINTS.declare(
    "DELETE /v1/bots/{bot}/secret",
    id="settleSecret",
    summary="Drop the previous secret",
    description="From now on requests are signed with the newest secret only. Without a previous secret nothing"
    " changes.",
    parameters=("bot",),
    status=204,
    errors=(*BOT, "wrong-kind"),
    access=owner_of("bots", "wrong-owner"),
)
async def settle_secret(request: AnyRequest, services: NamedDependency[BotServices], bot: FromPath[str]) -> None:
    await own_bot(request, services, bot)
    await services.store.change(bot, settled)


async def own_bot(request: AnyRequest, services: BotServices, bot_id: str) -> Registered:
    """Return a bot of the key's owner. Raise `WrongOwner` for other bots, because it is public that they exist."""
    holder = await read_key(request, services.keys)
    bot = await services.store.get(bot_id)
    if bot.owner != holder.owner:
        raise WrongOwner(f"bot {bot_id} belongs to another owner", field="bot")
    return bot


async def _shown(services: BotServices, bot: Registered, own: bool = True) -> Bot:
    owners = await services.owners.find([bot.owner])
    return bot_of(bot, owners[bot.owner], own=own)
