"""Endpoints of webhooks: register, prove and change a webhook of an owner, and read the log of its deliveries."""

from functools import partial

from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.types import ASGIApp
from msgspec.structs import replace

from splito_arena.net.signing import new_secret
from splito_service.bots.schemas import NewSecret
from splito_service.errors import BadName
from splito_service.http.access import any_owner, owner_of
from splito_service.http.common import AnyRequest, json, read_body, read_key
from splito_service.http.endpoint import BODY, KEY, Endpoints, Link
from splito_service.http.examples import webhooks as examples
from splito_service.http.limits.client_limits import spend_creation, spend_proof
from splito_service.http.queries import LogQuery, read_query
from splito_service.http.services.webhooks import WebhookServices
from splito_service.webhooks.model import SeenHook, StoredHook, enabled, in_order, rotated, settled
from splito_service.webhooks.schemas import (
    Delivery,
    DeliveryPage,
    Hook,
    HookChange,
    HookCreated,
    HookList,
    NewHook,
    delivery_of,
    delivery_summary,
    hook_of,
)

ENDPOINTS = Endpoints("Hooks")
HOOK = (*KEY, "unknown-hook")

_CREATED = {"hook": "$response.body#/hook/id"}
_SHOWN = {"hook": "$response.body#/id"}
_LISTED = {"hook": "$response.body#/hooks/0/id"}
_LOGGED = {"hook": "$request.path.hook", "delivery": "$response.body#/deliveries/0/id"}
_READ = {"hook": "$request.path.hook", "delivery": "$response.body#/id"}


@ENDPOINTS.declare(
    "GET /v1/hooks",
    id="listHooks",
    summary="List your hooks",
    description="Returns your hooks, at most 10, oldest first.",
    answer=HookList,
    links=(Link("getHook", _LISTED), Link("listDeliveries", _LISTED)),
    errors=KEY,
    access=any_owner("play"),
    example=examples.list_hooks,
)
async def list_hooks(request: AnyRequest, services: NamedDependency[WebhookServices]) -> ASGIApp:
    holder = await read_key(request, services.keys)
    return json(HookList([hook_of(seen) for seen in await services.store.of_owner(holder.owner)]))


@ENDPOINTS.declare(
    "POST /v1/hooks",
    id="createHook",
    summary="Create a hook",
    description="Once the address is proved, the arena sends each event of these kinds there as a POST, signed like"
    " requests to bots; see the webhooks `hookMatchFinished` and so on. A hook that does not prove itself within 24"
    " hours is deleted. The secret is shown here and never again. Your key needs the scope `play`, as for all requests"
    " about hooks.",
    body=NewHook,
    status=201,
    answer=HookCreated,
    headers=("Location",),
    links=(
        Link("getHook", _CREATED),
        Link("proveHook", _CREATED),
        Link("changeHook", _CREATED),
        Link("rotateHookSecret", _CREATED),
        Link("settleHookSecret", _CREATED),
        Link("listDeliveries", _CREATED),
        Link("deleteHook", _CREATED),
    ),
    errors=(*BODY, *KEY, "bad-name", "bad-address", "no-room"),
    access=any_owner("play"),
    example=examples.create_hook,
)
async def create_hook(request: AnyRequest, services: NamedDependency[WebhookServices]) -> ASGIApp:
    holder = await read_key(request, services.keys)
    wanted: NewHook = await read_body(request, NewHook)
    _check(services, wanted.url, wanted.note)
    await spend_creation(request.scope)
    hook = await services.store.create(holder.owner, wanted.url, wanted.events, wanted.note)
    made = HookCreated(hook_of(await services.store.get(holder.owner, hook.id)), hook.secrets.current)
    return json(made, 201, {"Location": f"/v1/hooks/{hook.id}"})


@ENDPOINTS.declare(
    "GET /v1/hooks/{hook}",
    id="getHook",
    summary="Read a hook",
    description="Returns the events that the hook gets, its number of waiting deliveries, and the reason if the arena"
    " has disabled it.",
    parameters=("hook",),
    answer=Hook,
    links=(Link("changeHook", _SHOWN), Link("listDeliveries", _SHOWN)),
    errors=HOOK,
    access=owner_of("play", "unknown-hook"),
    example=examples.get_hook,
)
async def get_hook(request: AnyRequest, services: NamedDependency[WebhookServices], hook: FromPath[str]) -> ASGIApp:
    return json(hook_of(await _own_hook(request, services, hook)))


@ENDPOINTS.declare(
    "PUT /v1/hooks/{hook}",
    id="changeHook",
    summary="Change a hook",
    description="Changes the address, the kinds of events, and if the hook is enabled. A hook with a new address has"
    " to prove itself again within 24 hours and gets no events before; its waiting deliveries then go to the new"
    " address. Enabling a hook resets its count of failures.",
    parameters=("hook",),
    body=HookChange,
    answer=Hook,
    links=(Link("getHook", _SHOWN),),
    errors=(*BODY, *HOOK, "bad-name", "bad-address"),
    access=owner_of("play", "unknown-hook"),
    example=examples.change_hook,
)
async def change_hook(request: AnyRequest, services: NamedDependency[WebhookServices], hook: FromPath[str]) -> ASGIApp:
    seen = await _own_hook(request, services, hook)
    wanted: HookChange = await read_body(request, HookChange)
    _check(services, wanted.url, wanted.note)
    await services.store.change(hook, partial(_changed, wanted=wanted))
    return json(hook_of(await services.store.get(seen.hook.owner, hook)))


@ENDPOINTS.declare(
    "POST /v1/hooks/{hook}/proof",
    id="proveHook",
    summary="Have a hook prove itself",
    description="The arena sends a challenge to the address (the webhook `hookChallenge`), which only a receiver that"
    " knows the secret of the hook can answer. If the answer is right, the hook gets events from then on; if not,"
    " `detail` says what happened. The arena sends at most 10 challenges a minute for one owner, and to one address.",
    parameters=("hook",),
    answer=Hook,
    links=(Link("getHook", _SHOWN),),
    errors=(*HOOK, "not-proved", "lookup-failed"),
    access=owner_of("play", "unknown-hook"),
    example=examples.prove_hook,
)
async def prove_hook(request: AnyRequest, services: NamedDependency[WebhookServices], hook: FromPath[str]) -> ASGIApp:
    """Send a challenge to the address of a hook; counted by client, by owner and by the network that is called."""
    seen = await _own_hook(request, services, hook)
    await spend_creation(request.scope)

    permit = partial(spend_proof, request.scope)
    await permit(seen.hook.owner)
    await services.prover.prove(seen.hook, permit)
    return json(hook_of(await services.store.get(seen.hook.owner, hook)))


@ENDPOINTS.declare(
    "DELETE /v1/hooks/{hook}",
    id="deleteHook",
    summary="Delete a hook",
    description="Deletes a hook with its log. It gets no more events.",
    parameters=("hook",),
    status=204,
    errors=HOOK,
    access=owner_of("play", "unknown-hook"),
)
async def delete_hook(request: AnyRequest, services: NamedDependency[WebhookServices], hook: FromPath[str]) -> None:
    seen = await _own_hook(request, services, hook)
    await services.store.delete(seen.hook)


@ENDPOINTS.declare(
    "POST /v1/hooks/{hook}/secret",
    id="rotateHookSecret",
    summary="Change the secret of a hook",
    description="Creates a new secret. Deliveries are signed with the new and the previous secret, so that none fails"
    " while you change over. The new secret is shown here and never again.",
    parameters=("hook",),
    status=201,
    answer=NewSecret,
    errors=HOOK,
    access=owner_of("play", "unknown-hook"),
    example=examples.rotate_hook_secret,
)
async def rotate_hook_secret(
    request: AnyRequest, services: NamedDependency[WebhookServices], hook: FromPath[str]
) -> ASGIApp:
    await _own_hook(request, services, hook)
    secret = new_secret()
    await services.store.change(hook, partial(rotated, secret=secret))
    return json(NewSecret(secret), 201)


@ENDPOINTS.declare(
    "DELETE /v1/hooks/{hook}/secret",
    id="settleHookSecret",
    summary="Drop the previous secret of a hook",
    description="From now on deliveries are signed with the newest secret only. Without a previous secret nothing"
    " changes.",
    parameters=("hook",),
    status=204,
    errors=HOOK,
    access=owner_of("play", "unknown-hook"),
)
async def settle_hook_secret(
    request: AnyRequest, services: NamedDependency[WebhookServices], hook: FromPath[str]
) -> None:
    await _own_hook(request, services, hook)
    await services.store.change(hook, settled)


@ENDPOINTS.declare(
    "GET /v1/hooks/{hook}/deliveries",
    id="listDeliveries",
    summary="Read the log of a hook",
    description="Returns the deliveries and their outcomes: the last 100 of 7 days and those that will be tried again,"
    " newest first, in pages. A page may have fewer than `limit` entries and still a `next`.",
    parameters=("hook", "cursor", "limit"),
    answer=DeliveryPage,
    links=(Link("getDelivery", _LOGGED), Link("createRedelivery", _LOGGED)),
    errors=("bad-request", *HOOK),
    access=owner_of("play", "unknown-hook"),
    example=examples.list_deliveries,
)
async def list_deliveries(
    request: AnyRequest, services: NamedDependency[WebhookServices], hook: FromPath[str]
) -> ASGIApp:
    query = read_query(request, LogQuery)
    await _own_hook(request, services, hook)
    rows, after = await services.deliveries.page(hook, query.cursor or None, query.limit)
    return json(DeliveryPage([delivery_summary(hook, row) for row in rows], after))


@ENDPOINTS.declare(
    "GET /v1/hooks/{hook}/deliveries/{delivery}",
    id="getDelivery",
    summary="Read a delivery",
    description="Returns the body of a delivery, byte for byte, and the outcome of each try.",
    parameters=("hook", "delivery"),
    answer=Delivery,
    links=(Link("createRedelivery", _READ),),
    errors=(*HOOK, "unknown-delivery"),
    access=owner_of("play", "unknown-hook"),
    example=examples.get_delivery,
)
async def get_delivery(
    request: AnyRequest, services: NamedDependency[WebhookServices], hook: FromPath[str], delivery: FromPath[str]
) -> ASGIApp:
    await _own_hook(request, services, hook)
    return json(delivery_of(hook, await services.deliveries.get(hook, delivery)))


@ENDPOINTS.declare(
    "POST /v1/hooks/{hook}/deliveries/{delivery}/redelivery",
    id="createRedelivery",
    summary="Repeat a delivery",
    description="Sends the delivery again at once, with the same id and the same bytes, and with as many tries as at"
    " first; also if it was accepted before. While the hook is not enabled, the delivery waits.",
    parameters=("hook", "delivery"),
    status=202,
    answer=Delivery,
    links=(Link("getDelivery", _READ),),
    errors=(*HOOK, "unknown-delivery", "no-room", "not-proved"),
    access=owner_of("play", "unknown-hook"),
    example=examples.create_redelivery,
)
async def create_redelivery(
    request: AnyRequest, services: NamedDependency[WebhookServices], hook: FromPath[str], delivery: FromPath[str]
) -> ASGIApp:
    seen = await _own_hook(request, services, hook)
    await spend_creation(request.scope)
    return json(delivery_of(hook, await services.deliveries.again(seen.hook, delivery)), 202)


async def _own_hook(request: AnyRequest, services: WebhookServices, hook_id: str) -> SeenHook:
    holder = await read_key(request, services.keys)
    return await services.store.get(holder.owner, hook_id)


def _check(services: WebhookServices, url: str, note: str) -> None:
    """Raise `BadAddress` or `BadName`; the host of the address is looked up again whenever it is called."""
    services.registry.check_url("push", url)
    if not note.isprintable():
        raise BadName("a note may have printable characters only", field="note")


def _changed(hook: StoredHook, wanted: HookChange) -> StoredHook:
    """Return the hook as wanted: unproved at another URL, and with a clean slate if it is enabled."""
    proved = hook.proved and hook.url == wanted.url
    hook = replace(hook, url=wanted.url, events=in_order(wanted.events), note=wanted.note, proved=proved)
    return enabled(hook) if wanted.enabled else replace(hook, enabled=False)
