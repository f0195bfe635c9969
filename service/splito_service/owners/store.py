"""Store of owners and their keys in Redis. Only a hash of a key is stored, so a reader of Redis learns no key.

A key is found by its id alone, and each owner has a list of the ids. Both change together, in one script call. A key
expires when it has not been used for long, or at the time that its owner chose.

    owner:{id}         the owner (string)
    owner:{id}:keys    the ids of the owner's keys (sorted set)
    owner:{id}:used    time of the last use of each key (hash)
    key:{id}           the key (string)
    owners             all owners, by the time of the last use of a key (sorted set)
"""

import re
from collections.abc import Iterable

import msgspec

from splito_service.errors import NoRoom, UnknownKey
from splito_service.ids import ID_PATTERN, Milliseconds, new_id
from splito_service.owners.bans import Bans
from splito_service.owners.model import Owner, StoredKey
from splito_service.settings import Settings
from splito_service.storage.client import Link
from splito_service.storage.scripts import source

ID = re.compile(ID_PATTERN)
ALL = "owners"
MOST_KEYS = 50
"""Number of keys that one owner may have."""
FORMER = "former owner"
"""Name that is shown for an owner that was removed."""
DAY_MS = 24 * 3600 * 1000


class Owners:
    """The store of owners and keys in one Redis, shared by all processes."""

    def __init__(self, link: Link, settings: Settings = Settings()) -> None:  # noqa: B008 (immutable)
        self._link, self.bans = link, Bans(link)
        self._most, self._lasting = settings.max_owners, DAY_MS * settings.key_days
        names = ("owner_create", "owner_delete", "key_add", "key_drop", "key_use")
        scripts = (link.script(source(f"owners/{name}", "key_life")) for name in names)
        self._create, self._delete, self._add, self._drop, self._use = scripts

    async def create(self, name: str) -> Owner:
        """Store and return a new owner, without a key.

        Raise `NoRoom` if there are as many owners as the service allows.
        """
        owner = Owner(new_id(), name)
        if not await self._create([_owner(owner.id), ALL], [owner.id, msgspec.json.encode(owner), self._most]):
            raise NoRoom(f"there are {self._most} owners, which is the limit: try again later", field="owners")
        return owner

    async def exists(self, owner_id: str) -> bool:
        """True if the owner has not been removed."""
        return bool(await self._link.call("EXISTS", _owner(owner_id)))

    async def delete(self, owner_id: str) -> None:
        """Remove an owner and all keys of the owner.

        The caller removes the owner's bots, webhooks and tournaments before.
        """
        ids = [key_id.decode() for key_id in await self._link.call("ZRANGE", _keys(owner_id), 0, -1)]
        own = [_owner(owner_id), *(f"{_owner(owner_id)}:{part}" for part in ("keys", "used", "events", "held"))]
        await self._delete([ALL, *own, *map(_key, ids)], [owner_id])

    async def unused_since(self, time_ms: Milliseconds, offset: int, limit: int) -> list[tuple[str, Milliseconds]]:
        """Return the owners none of whose keys was used after that time, each with the time of the last use."""
        words = ("ZRANGE", ALL, "-inf", f"({time_ms}", "BYSCORE", "LIMIT", offset, limit, "WITHSCORES")
        found = await self._link.call(*words)
        return [(owner.decode(), int(float(used))) for owner, used in zip(found[::2], found[1::2], strict=True)]

    async def use(self, key: StoredKey) -> None:
        """Store that a key is used now."""
        places = [_key(key.id), f"{_owner(key.owner)}:used", ALL, _owner(key.owner)]
        await self._use(places, [key.id, key.owner, self._lasting, key.until_ms or 0])

    async def used(self, owner_id: str) -> dict[str, Milliseconds]:
        """Return the time of the last use of each key of an owner, by key id; a key that was never used is left out."""
        found = await self._link.fields(f"{_owner(owner_id)}:used")
        return {key_id.decode(): int(used) for key_id, used in found.items()}

    async def find(self, ids: Iterable[str]) -> dict[str, Owner]:
        """Return owners by id. A removed owner has the name `FORMER`."""
        wanted = sorted({*ids})
        found: list[bytes | None] = await self._link.call("MGET", *map(_owner, wanted)) if wanted else []
        return {
            owner_id: Owner(owner_id, FORMER) if raw is None else msgspec.json.decode(raw, type=Owner)
            for owner_id, raw in zip(wanted, found, strict=True)
        }

    async def add_key(self, key: StoredKey) -> None:
        keys = [_key(key.id), _keys(key.owner)]
        words = [key.id, msgspec.json.encode(key), MOST_KEYS, self._lasting, key.until_ms or 0]
        if not await self._add(keys, words):
            raise NoRoom(f"an owner has at most {MOST_KEYS} keys: delete one that is not needed", field="keys")

    async def key(self, key_id: str) -> StoredKey | None:
        raw = await self._link.call("GET", _key(key_id))
        return None if raw is None else msgspec.json.decode(raw, type=StoredKey)

    async def keys_of(self, owner_id: str) -> list[StoredKey]:
        """Return the keys of an owner, oldest first."""
        ids = [_key(key_id.decode()) for key_id in await self._link.call("ZRANGE", _keys(owner_id), 0, -1)]
        found: list[bytes | None] = await self._link.call("MGET", *ids) if ids else []
        return [msgspec.json.decode(raw, type=StoredKey) for raw in found if raw is not None]

    async def drop_key(self, owner_id: str, key_id: str) -> None:
        places = [_key(key_id), _keys(owner_id), f"{_owner(owner_id)}:used"]
        if not ID.fullmatch(key_id) or not await self._drop(places, [key_id]):
            raise UnknownKey(f"you have no key {key_id!r}", field="key")


def _owner(owner_id: str) -> str:
    return f"owner:{owner_id}"


def _key(key_id: str) -> str:
    return f"key:{key_id}"


def _keys(owner_id: str) -> str:
    return f"owner:{owner_id}:keys"
