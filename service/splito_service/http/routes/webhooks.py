"""Hooks: where owners are told what happens to their tournaments and bots, and how each delivery went."""

from functools import partial

from litestar import delete, get, post, put
from litestar.params import FromPath
from litestar.types import ASGIApp
from msgspec.structs import replace

from splito_arena.net.signing import new_secret
from splito_service.bots.schemas import NewSecret
from splito_service.errors import BadName
from splito_service.http.common import AnyRequest, json, read_body, spend, telling
from splito_service.http.context import Context, context_of
from splito_service.http.limits.rates import spend_permit
from splito_service.http.queries import LogQuery, read_query
from splito_service.http.routes.owners import read_key
from splito_service.webhooks.schemas import (
    DeliveryPage,
    HookChange,
    HookCreated,
    HookList,
    NewHook,
    delivery_of,
    delivery_summary,
    hook_of,
)
from splito_service.webhooks.store import SeenHook, StoredHook, enabled, in_order, rotated, settled

TOLD = (
    telling("/hooks", "GET, OPTIONS, POST"),
    telling("/hooks/{hook:str}", "DELETE, GET, OPTIONS, PUT"),
    telling("/hooks/{hook:str}/secret", "DELETE, OPTIONS, POST"),
)


@get("/hooks")
async def list_hooks(request: AnyRequest) -> ASGIApp:
    holder = await read_key(request, "play")
    return json(HookList([hook_of(seen) for seen in await context_of(request).hooks.of_owner(holder.owner)]))


@post("/hooks")
async def create_hook(request: AnyRequest) -> ASGIApp:
    context, holder = context_of(request), await read_key(request, "play")
    wanted: NewHook = await read_body(request, NewHook)
    _check(context, wanted.url, wanted.note)
    await spend(request, context.creations)
    hook = await context.hooks.create(holder.owner, wanted.url, wanted.events, wanted.note)
    made = HookCreated(hook_of(await context.hooks.get(holder.owner, hook.id)), hook.secrets.current)
    return json(made, 201, {"Location": f"/v1/hooks/{hook.id}"})


@get("/hooks/{hook:str}")
async def get_hook(request: AnyRequest, hook: FromPath[str]) -> ASGIApp:
    return json(hook_of(await _own_hook(request, hook)))


@put("/hooks/{hook:str}")
async def change_hook(request: AnyRequest, hook: FromPath[str]) -> ASGIApp:
    context, seen = context_of(request), await _own_hook(request, hook)
    wanted: HookChange = await read_body(request, HookChange)
    _check(context, wanted.url, wanted.note)
    await context.hooks.change(hook, partial(_changed, wanted=wanted))
    return json(hook_of(await context.hooks.get(seen.hook.owner, hook)))


@post("/hooks/{hook:str}/proof", status_code=200)
async def prove_hook(request: AnyRequest, hook: FromPath[str]) -> ASGIApp:
    """Send a challenge to the address of a hook; counted by client, by owner and by the network that is called."""
    context, seen = context_of(request), await _own_hook(request, hook)
    await spend(request, context.creations)

    async def permit(whose: str) -> None:
        await spend_permit(request.scope, context.limits, context.proofs, whose)

    await permit(seen.hook.owner)
    await context.prover.prove(seen.hook, permit)
    return json(hook_of(await context.hooks.get(seen.hook.owner, hook)))


@delete("/hooks/{hook:str}", status_code=204)
async def delete_hook(request: AnyRequest, hook: FromPath[str]) -> None:
    seen = await _own_hook(request, hook)
    await context_of(request).hooks.delete(seen.hook)


@post("/hooks/{hook:str}/secret")
async def rotate_hook_secret(request: AnyRequest, hook: FromPath[str]) -> ASGIApp:
    await _own_hook(request, hook)
    secret = new_secret()
    await context_of(request).hooks.change(hook, partial(rotated, secret=secret))
    return json(NewSecret(secret), 201)


@delete("/hooks/{hook:str}/secret", status_code=204)
async def settle_hook_secret(request: AnyRequest, hook: FromPath[str]) -> None:
    await _own_hook(request, hook)
    await context_of(request).hooks.change(hook, settled)


@get("/hooks/{hook:str}/deliveries")
async def list_deliveries(request: AnyRequest, hook: FromPath[str]) -> ASGIApp:
    query = read_query(request, LogQuery)
    await _own_hook(request, hook)
    rows, after = await context_of(request).deliveries.page(hook, query.cursor or None, query.limit)
    return json(DeliveryPage([delivery_summary(hook, row) for row in rows], after))


@get("/hooks/{hook:str}/deliveries/{delivery:str}")
async def get_delivery(request: AnyRequest, hook: FromPath[str], delivery: FromPath[str]) -> ASGIApp:
    await _own_hook(request, hook)
    return json(delivery_of(hook, await context_of(request).deliveries.get(hook, delivery)))


@post("/hooks/{hook:str}/deliveries/{delivery:str}/redelivery", status_code=202)
async def create_redelivery(request: AnyRequest, hook: FromPath[str], delivery: FromPath[str]) -> ASGIApp:
    context, seen = context_of(request), await _own_hook(request, hook)
    await spend(request, context.creations)
    return json(delivery_of(hook, await context.deliveries.again(seen.hook, delivery)), 202)


async def _own_hook(request: AnyRequest, hook_id: str) -> SeenHook:
    holder = await read_key(request, "play")
    return await context_of(request).hooks.get(holder.owner, hook_id)


def _check(context: Context, url: str, note: str) -> None:
    """Where the address leads to is looked up whenever it is called."""
    context.registry.check_url("push", url)
    if not note.isprintable():
        raise BadName("a note has printable characters only", field="note")


def _changed(hook: StoredHook, wanted: HookChange) -> StoredHook:
    """Return the hook as wanted: unproved at another URL, and with a clean slate if it is enabled."""
    proved = hook.proved and hook.url == wanted.url
    hook = replace(hook, url=wanted.url, events=in_order(wanted.events), note=wanted.note, proved=proved)
    return enabled(hook) if wanted.enabled else replace(hook, enabled=False)
