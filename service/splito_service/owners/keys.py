"""Owner keys: they let a client register bots, let them play, read their logs, and create more keys.

    Authorization: Bearer key-<id>-<secret>

The secret has 256 random bits, so a plain hash of it is safe to store and cheap to compare. A deleted key and a key
that never existed get the same error.
"""

import hashlib
import hmac
import math
import secrets
import time
from collections import OrderedDict
from collections.abc import Iterable
from typing import NamedTuple

from splito_service.errors import NoKey, WrongScope
from splito_service.ids import new_id
from splito_service.owners.model import KEY_FORM, SCOPES, Scope, StoredKey
from splito_service.owners.store import DAY_MS, Owners

SCHEME = "bearer"
NOTED_AGAIN = 3600.0  # seconds until a process notes the use of a key again
MOST_NOTED = 10_000  # keys whose last use a process remembers


class Holder(NamedTuple):
    """The owner of a key, the id of the key and its scopes."""

    owner: str
    key: str
    scopes: frozenset[Scope]


class Keys:
    def __init__(self, owners: Owners) -> None:
        self._owners = owners
        self._noted: OrderedDict[str, float] = OrderedDict()
        """Time at which this process last stored the use of a key, by key id."""

    async def issue(
        self, owner: str, scopes: Iterable[Scope], note: str = "", days: int | None = None
    ) -> tuple[StoredKey, str]:
        """Return a new key and its text, which is never shown again. The key ends after `days` days, if given."""
        secret, wanted = secrets.token_urlsafe(32), {*scopes}
        kept = StoredKey(
            id=new_id(),
            owner=owner,
            scopes=tuple(scope for scope in SCOPES if scope in wanted),
            digest=_digest(secret),
            ends=secret[-4:],
            note=note,
            until_ms=None if days is None else int(1000 * time.time()) + DAY_MS * days,
        )
        await self._owners.add_key(kept)
        return kept, f"key-{kept.id}-{secret}"

    async def read(self, authorization: str | None, scope: Scope | None) -> Holder:
        """Return the holder of the key. Raise `NoKey` without a valid key, `WrongScope` if the key lacks the scope."""
        holder = await self._holder(authorization)
        if scope is not None and scope not in holder.scopes:
            raise WrongScope(f"this key has no scope {scope!r}, but {', '.join(sorted(holder.scopes))}", field="scope")
        return holder

    async def check_ban(self, holder: Holder) -> None:
        """Raise `Banned`, with the reason, if the owner of the key is banned."""
        await self._owners.bans.check_owner(holder.owner)

    async def _holder(self, authorization: str | None) -> Holder:
        if authorization is None:
            raise NoKey("this request needs the key of an owner: Authorization: Bearer key-...")
        scheme, _, text = authorization.partition(" ")
        form = KEY_FORM.fullmatch(text.strip())
        if scheme.lower() != SCHEME or form is None:
            raise NoKey("the Authorization header must be: Bearer key-...")
        kept = await self._owners.key(form[1])
        if kept is None or not hmac.compare_digest(kept.digest, _digest(form[2])):
            raise NoKey("this key does not exist, or has expired or been deleted")
        await self._note_use(kept)
        return Holder(kept.owner, kept.id, frozenset(kept.scopes))

    async def _note_use(self, key: StoredKey) -> None:
        """Store the time of use, at most once an hour, because a write for every request would cost too much."""
        now = time.monotonic()
        if now - self._noted.get(key.id, -math.inf) < NOTED_AGAIN:
            return
        self._noted[key.id] = now
        self._noted.move_to_end(key.id)
        if len(self._noted) > MOST_NOTED:
            self._noted.popitem(last=False)
        await self._owners.use(key)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
