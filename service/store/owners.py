"""Owners and their keys in Redis. Of a key only a hash is kept: who reads all of Redis still has no key.

A key is found by its id alone, and each owner has a list of the ids. Both change together, in one script call.
"""

import re
from collections.abc import Iterable
from typing import Literal, TypeAlias

import msgspec

from service.errors import NoRoom, UnknownKey
from service.store.kept import ID_PATTERN, new_id
from service.store.link import Link

Scope: TypeAlias = Literal["bots", "play", "logs", "keys"]

ID = re.compile(ID_PATTERN)
MOST_KEYS = 50
"""That one owner may have."""

ADD = """
-- KEYS  1 the key (string), 2 the ids of the owner's keys (sorted set)
-- ARGV  1 the key's id, 2 the key, 3 how many at most
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[3]) then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[2], 0, ARGV[1])
return 1
"""
DROP = """
-- KEYS  as above  ARGV  1 the key's id
if redis.call('ZREM', KEYS[2], ARGV[1]) == 0 then return 0 end
return redis.call('DEL', KEYS[1])
"""


class Owner(msgspec.Struct, frozen=True):
    """Whoever has bots here. The name is theirs to choose, and need not be the only one of its kind."""

    id: str
    name: str


class KeptKey(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    owner: str
    scopes: tuple[Scope, ...]
    digest: str
    """SHA-256 of the secret part."""
    ends: str
    """Its last four characters, so that its owner can tell which one it is."""
    note: str = ""


class Owners:
    """Of one Redis, for any number of processes."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._add = link.script(ADD)
        self._drop = link.script(DROP)

    async def create(self, name: str) -> Owner:
        """Without a key yet, so nobody can be them."""
        owner = Owner(new_id(), name)
        await self._link.call("SET", _owner(owner.id), msgspec.json.encode(owner))
        return owner

    async def find(self, ids: Iterable[str]) -> dict[str, Owner]:
        """By id."""
        wanted = [_owner(owner_id) for owner_id in {*ids}]
        found: list[bytes | None] = await self._link.call("MGET", *wanted) if wanted else []
        owners = [msgspec.json.decode(raw, type=Owner) for raw in found if raw is not None]
        return {owner.id: owner for owner in owners}

    async def add_key(self, key: KeptKey) -> None:
        keys = [_key(key.id), _keys(key.owner)]
        if not await self._add(keys, [key.id, msgspec.json.encode(key), MOST_KEYS]):
            raise NoRoom(f"an owner has at most {MOST_KEYS} keys: delete one that is not needed", field="keys")

    async def key(self, key_id: str) -> KeptKey | None:
        raw = await self._link.call("GET", _key(key_id))
        return None if raw is None else msgspec.json.decode(raw, type=KeptKey)

    async def keys_of(self, owner_id: str) -> list[KeptKey]:
        """The oldest first."""
        ids = [_key(key_id.decode()) for key_id in await self._link.call("ZRANGE", _keys(owner_id), 0, -1)]
        found: list[bytes | None] = await self._link.call("MGET", *ids) if ids else []
        return [msgspec.json.decode(raw, type=KeptKey) for raw in found if raw is not None]

    async def drop_key(self, owner_id: str, key_id: str) -> None:
        if not ID.fullmatch(key_id) or not await self._drop([_key(key_id), _keys(owner_id)], [key_id]):
            raise UnknownKey(f"you have no key {key_id!r}", field="key")


def _owner(owner_id: str) -> str:
    return f"owner:{owner_id}"


def _key(key_id: str) -> str:
    return f"key:{key_id}"


def _keys(owner_id: str) -> str:
    return f"owner:{owner_id}:keys"
