"""Endpoints of owners: become an owner, make and delete keys, read the arena's public keys."""

from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.types import ASGIApp

from splito_arena.reports.dump_head import key_id
from splito_service.errors import BadName, WrongScope
from splito_service.http.access import Permission, any_key, any_owner, everybody, owner_of
from splito_service.http.common import AnyRequest, json, read_body, read_key
from splito_service.http.endpoint import BODY, KEY, Endpoints, Link
from splito_service.http.examples import owners as examples
from splito_service.http.limits.client_limits import spend_creation
from splito_service.http.services.owners import OwnerServices
from splito_service.ids import moment
from splito_service.names import check_name
from splito_service.owners.model import SCOPES, Scope
from splito_service.owners.schemas import (
    KeyCreated,
    KeyRing,
    KeyTimes,
    NewKey,
    NewOwner,
    OwnAccount,
    OwnerCreated,
    SigningKey,
    key_summary,
)
from splito_service.signing import PublicKeyTimes

ENDPOINTS = Endpoints("Owners")


@ENDPOINTS.declare(
    "POST /v1/owners",
    id="createOwner",
    summary="Become an owner",
    description="Creates an owner, who can register bots. The key is shown here and never again; it has all scopes, so"
    " create further keys with fewer scopes for your programs.",
    body=NewOwner,
    status=201,
    answer=OwnerCreated,
    links=(Link("listBots", {"owner": "$response.body#/id"}),),
    errors=(*BODY, "bad-name", "no-room"),
    access=everybody(),
    example=examples.create_owner,
)
async def create_owner(request: AnyRequest, services: NamedDependency[OwnerServices]) -> ASGIApp:
    name = check_name((await read_body(request, NewOwner)).name)
    await spend_creation(request.scope)
    owner = await services.store.create(name)
    _, key = await services.keys.issue(owner.id, SCOPES)
    return json(OwnerCreated(owner.id, owner.name, key), 201)


@ENDPOINTS.declare(
    "GET /v1/owner",
    id="getOwner",
    summary="Read your own account",
    description="Returns the owner of the key of this request, the scopes of the key, and a ban. Any key will do.",
    answer=OwnAccount,
    links=(Link("listBots", {"owner": "$response.body#/id"}),),
    errors=("no-key",),
    access=any_key("The owner of the key."),
    example=examples.get_owner,
)
async def get_owner(request: AnyRequest, services: NamedDependency[OwnerServices]) -> ASGIApp:
    holder = await read_key(request, services.keys)
    owner = (await services.store.find([holder.owner]))[holder.owner]
    ban = await services.store.bans.of("owner", holder.owner)
    scopes: list[Scope] = [scope for scope in SCOPES if scope in holder.scopes]
    reason = None if ban is None else ban.reason
    return json(OwnAccount(id=owner.id, name=owner.name, key=holder.key, scopes=scopes, banned=reason))


@ENDPOINTS.declare(
    "DELETE /v1/owner",
    id="deleteOwner",
    summary="Delete yourself",
    description="Removes you with your keys, bots, hooks and their logs, and cancels your running tournaments and"
    " experiments. The results of your bots stay in the results of others, under the names of the bots; you are shown"
    " as `former owner`. If the connection is lost, repeat the request: it finishes the work, or reports that the key"
    " no longer exists. Your key needs the scope `keys`.",
    status=204,
    errors=KEY,
    access=any_owner("keys", "Removes the owner of the key."),
)
async def delete_owner(request: AnyRequest, services: NamedDependency[OwnerServices]) -> None:
    holder = await read_key(request, services.keys)
    await services.removal.owner(holder.owner)


@ENDPOINTS.declare(
    "POST /v1/keys",
    id="createKey",
    summary="Create a key",
    description="Creates a key with scopes that your key has. It is shown here and never again. Your key needs the"
    " scope `keys`.",
    body=NewKey,
    status=201,
    answer=KeyCreated,
    links=(Link("deleteKey", {"key": "$response.body#/summary/id"}),),
    errors=(*BODY, *KEY, "bad-name", "no-room"),
    access=Permission(access="owner", scope="keys", while_banned=True, note="A key passes on only scopes that it has."),
    example=examples.create_key,
)
async def create_key(request: AnyRequest, services: NamedDependency[OwnerServices]) -> ASGIApp:
    holder = await read_key(request, services.keys)
    wanted: NewKey = await read_body(request, NewKey)
    if lacking := sorted({*wanted.scopes} - holder.scopes):
        raise WrongScope(f"your key lacks the scope {lacking[0]!r}, so it cannot grant it", field="scopes")
    if not wanted.note.isprintable():
        raise BadName("a note may have printable characters only", field="note")
    await spend_creation(request.scope)
    kept, key = await services.keys.issue(holder.owner, wanted.scopes, wanted.note, wanted.days)
    return json(KeyCreated(key, key_summary(kept)), 201)


@ENDPOINTS.declare(
    "GET /v1/keys",
    id="listKeys",
    summary="List your keys",
    description="Returns your keys with their scopes and last characters. Your key needs the scope `keys`.",
    answer=KeyRing,
    errors=KEY,
    access=any_owner("keys"),
    example=examples.list_keys,
)
async def list_keys(request: AnyRequest, services: NamedDependency[OwnerServices]) -> ASGIApp:
    holder = await read_key(request, services.keys)
    kept, used = await services.store.keys_of(holder.owner), await services.store.used(holder.owner)
    return json(KeyRing([key_summary(one, used.get(one.id)) for one in kept]))


@ENDPOINTS.declare(
    "DELETE /v1/keys/{key}",
    id="deleteKey",
    summary="Delete a key",
    description="The key is invalid from now on. You may delete the key that you use; without any key you can no"
    " longer manage your bots. Your key needs the scope `keys`.",
    parameters=("key",),
    status=204,
    errors=(*KEY, "unknown-key"),
    access=owner_of("keys", "unknown-key"),
)
async def delete_key(request: AnyRequest, services: NamedDependency[OwnerServices], key: FromPath[str]) -> None:
    holder = await read_key(request, services.keys)
    await services.store.drop_key(holder.owner, key)


@ENDPOINTS.declare(
    "GET /v1/signing-key",
    id="getSigningKey",
    summary="Read the arena's public keys",
    description="Returns the public halves of the Ed25519 keys of this arena. They verify webhooks, dumps, and the"
    " requests to push bots that have `ed25519` in their info; all requests to push bots are also signed with the"
    " secret of the bot. After a rotation, previous keys are listed with the time until which their signatures are"
    " valid.",
    answer=SigningKey,
    access=everybody(),
    example=examples.get_signing_key,
)
async def get_signing_key(services: NamedDependency[OwnerServices]) -> ASGIApp:
    signer = services.signer
    return json(SigningKey(await signer.public(), [_key_times(one) for one in await signer.published()]))


def _key_times(one: PublicKeyTimes) -> KeyTimes:
    return KeyTimes(
        key=one.key,
        id=key_id(one.key),
        since=moment(one.since_ms) if one.since_ms else None,
        until=None if one.until_ms is None else moment(one.until_ms),
    )
