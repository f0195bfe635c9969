"""Owner keys: who may register bots, let them play, read their logs, and make more keys.

    Authorization: Bearer key-<id>-<secret>

The secret is 256 bits of chance, so a plain hash of it is as good as lost to whoever finds it, and costs nothing to
compare. A key that was deleted and one that never was are refused with the same words.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from typing import NamedTuple, get_args

from service.errors import NoKey, WrongScope
from service.store.kept import new_id
from service.store.owners import KeptKey, Owners, Scope

FORM = re.compile(r"key-([0-9a-v]{24})-([A-Za-z0-9_-]{43})")
PATTERN = f"^{FORM.pattern}$"
SCHEME = "bearer"
SCOPES: tuple[Scope, ...] = get_args(Scope)


class Holder(NamedTuple):
    """Whose key it is, which, and what it is for."""

    owner: str
    key: str
    scopes: frozenset[Scope]


class Keys:
    def __init__(self, owners: Owners) -> None:
        self._owners = owners

    async def issue(self, owner: str, scopes: Iterable[Scope], note: str = "") -> tuple[KeptKey, str]:
        """A new key, and its text, which nobody can be told again."""
        secret, wanted = secrets.token_urlsafe(32), {*scopes}
        kept = KeptKey(
            id=new_id(),
            owner=owner,
            scopes=tuple(scope for scope in SCOPES if scope in wanted),
            digest=_digest(secret),
            ends=secret[-4:],
            note=note,
        )
        await self._owners.add_key(kept)
        return kept, f"key-{kept.id}-{secret}"

    async def read(self, authorization: str | None, scope: Scope) -> Holder:
        """Who asks. Raises `NoKey`, or `WrongScope` if the key is not for this."""
        holder = await self._holder(authorization)
        if scope not in holder.scopes:
            raise WrongScope(f"this key has no scope {scope!r}, but {', '.join(sorted(holder.scopes))}", field="scope")
        return holder

    async def _holder(self, authorization: str | None) -> Holder:
        if authorization is None:
            raise NoKey("the key of an owner is needed: Authorization: Bearer key-...")
        scheme, _, text = authorization.partition(" ")
        form = FORM.fullmatch(text.strip())
        if scheme.lower() != SCHEME or form is None:
            raise NoKey("the Authorization header must be: Bearer key-...")
        kept = await self._owners.key(form[1])
        if kept is None or not hmac.compare_digest(kept.digest, _digest(form[2])):
            raise NoKey("there is no such key, or no longer")
        return Holder(kept.owner, kept.id, frozenset(kept.scopes))


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
