"""Owners and their keys."""

from litestar import delete, get, post
from litestar.params import FromPath
from litestar.types import ASGIApp

from splito_arena.reports.dump_head import key_id
from splito_service.errors import BadName, WrongScope
from splito_service.http.common import AnyRequest, header, json, read_body, spend, telling
from splito_service.http.context import context_of
from splito_service.ids import moment
from splito_service.names import check_name
from splito_service.owners.keys import SCOPES, Holder
from splito_service.owners.schemas import (
    KeyCreated,
    KeyRing,
    KeyTimes,
    NewKey,
    NewOwner,
    OwnerCreated,
    SigningKey,
    key_summary,
)
from splito_service.owners.store import Scope
from splito_service.signing import PublicKeyTimes

TOLD = (telling("/keys", "GET, OPTIONS, POST"),)


@post("/owners")
async def create_owner(request: AnyRequest) -> ASGIApp:
    context = context_of(request)
    name = check_name((await read_body(request, NewOwner)).name)
    await spend(request, context.creations)
    owner = await context.owners.create(name)
    _, key = await context.keys.issue(owner.id, SCOPES)
    return json(OwnerCreated(owner.id, owner.name, key), 201)


@delete("/owner", status_code=204)
async def delete_owner(request: AnyRequest) -> None:
    context, holder = context_of(request), await read_key(request, "keys")
    await context.removal.owner(holder.owner)


@post("/keys")
async def create_key(request: AnyRequest) -> ASGIApp:
    context, holder = context_of(request), await read_key(request, "keys")
    wanted: NewKey = await read_body(request, NewKey)
    if lacking := sorted({*wanted.scopes} - holder.scopes):
        raise WrongScope(f"your key has no scope {lacking[0]!r} to pass on", field="scopes")
    if not wanted.note.isprintable():
        raise BadName("a note has printable characters only", field="note")
    await spend(request, context.creations)
    kept, key = await context.keys.issue(holder.owner, wanted.scopes, wanted.note, wanted.days)
    return json(KeyCreated(key, key_summary(kept)), 201)


@get("/keys")
async def list_keys(request: AnyRequest) -> ASGIApp:
    context, holder = context_of(request), await read_key(request, "keys")
    kept, used = await context.owners.keys_of(holder.owner), await context.owners.used(holder.owner)
    return json(KeyRing([key_summary(one, used.get(one.id)) for one in kept]))


@delete("/keys/{key:str}", status_code=204)
async def delete_key(request: AnyRequest, key: FromPath[str]) -> None:
    holder = await read_key(request, "keys")
    await context_of(request).owners.drop_key(holder.owner, key)


@get("/signing-key")
async def get_signing_key(request: AnyRequest) -> ASGIApp:
    signer = context_of(request).signer
    return json(SigningKey(await signer.public(), [_key_times(one) for one in await signer.published()]))


def _key_times(one: PublicKeyTimes) -> KeyTimes:
    return KeyTimes(
        key=one.key,
        id=key_id(one.key),
        since=moment(one.since_ms) if one.since_ms else None,
        until=None if one.until_ms is None else moment(one.until_ms),
    )


async def read_key(request: AnyRequest, scope: Scope) -> Holder:
    """Who asks. Raises `NoKey` or `WrongScope`."""
    return await context_of(request).keys.read(header(request, b"authorization"), scope)
