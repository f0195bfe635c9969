"""Request and response schemas of owners and their keys."""

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from splito_arena.match.messages import Moment
from splito_service.ids import Milliseconds, created, moment
from splito_service.owners.model import KEY_PATTERN, SCOPES, Scope, StoredKey
from splito_service.schemas import Id, Name, Note
from splito_service.signing_secrets import PATTERN as SIGNING_PATTERN

EXAMPLE_KEY = "key-06gpr1k08099qgdgdpas627q-example-example-example-example-example-exa"

KeyText: TypeAlias = Annotated[str, Meta(pattern=KEY_PATTERN, examples=[EXAMPLE_KEY])]
PublicKey: TypeAlias = Annotated[str, Meta(pattern=SIGNING_PATTERN)]
Scopes: TypeAlias = Annotated[list[Scope], Meta(min_length=1, max_length=len(SCOPES))]


class NewOwner(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody who wants to have bots here."""

    name: Name
    """Shown with your bots. Nobody checks that there is no other of that name."""


class OwnerInfo(msgspec.Struct, frozen=True):
    """Whose bot it is."""

    id: Id
    name: str


class OwnerCreated(msgspec.Struct, frozen=True):
    """You, and the key that proves it."""

    id: Id
    name: str
    key: KeyText
    """With all scopes. It is shown only here."""


class NewKey(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A key to be made."""

    scopes: Scopes
    """What it is for: `bots` registers and changes them, `play` lets them play, `logs` reads what was asked and
    answered, `keys` makes and deletes keys. Only those that the key has which asks for it."""
    note: Note = ""
    """To remember what it is for."""
    days: Annotated[int, Meta(ge=1, le=3650)] | None = None
    """After so many days the key ends; without it, when it has not been used for as long as the service keeps keys."""


class KeySummary(msgspec.Struct, frozen=True, kw_only=True):
    """A key, but for its secret."""

    id: Id
    scopes: list[Scope]
    note: Note
    created: Moment
    ends: Annotated[str, Meta(min_length=4, max_length=4)]
    """Its last four characters."""
    used: Moment | None
    """When it was last used, within an hour; nothing if it never was."""
    until: Moment | None
    """When it ends; nothing if its owner chose no time."""


class KeyCreated(msgspec.Struct, frozen=True):
    """A new key."""

    key: KeyText
    """It is shown only here."""
    summary: KeySummary


class KeyRing(msgspec.Struct, frozen=True):
    """Your keys, the oldest first."""

    keys: list[KeySummary]


class KeyTimes(msgspec.Struct, frozen=True, kw_only=True):
    """A public key of the arena, and when its signatures count."""

    key: PublicKey
    id: Annotated[str, Meta(pattern="^[0-9a-f]{16}$")]
    """The first 16 hexadecimal digits of the SHA-256 of `key`; dumps name the key by it."""
    since: Moment | None
    """When the arena began to sign with it. Null for its first key."""
    until: Moment | None
    """When its signatures stop to count. Null for the newest key."""


class SigningKey(msgspec.Struct, frozen=True):
    """What signatures of this arena can be checked with by anybody."""

    key: PublicKey
    """Ed25519, for the signatures that begin with `v1a,`: the key that the arena signs with now."""
    keys: list[KeyTimes]
    """All keys, the newest first. While keys are rotated the arena signs requests with each that counts, and the newest
    is here before it is used."""


def key_summary(key: StoredKey, used: Milliseconds | None = None) -> KeySummary:
    """Return what the owner of a key is told of it."""
    return KeySummary(
        id=key.id,
        scopes=list(key.scopes),
        note=key.note,
        created=created(key.id),
        ends=key.ends,
        used=None if used is None else moment(used),
        until=None if key.until_ms is None else moment(key.until_ms),
    )
