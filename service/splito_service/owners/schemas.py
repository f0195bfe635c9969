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
    """Request to become an owner of bots."""

    name: Name
    """Name that is shown with your bots. It need not be unique."""


class OwnerInfo(msgspec.Struct, frozen=True):
    """The owner of a bot."""

    id: Id
    name: str


class OwnAccount(msgspec.Struct, frozen=True, kw_only=True):
    """You, and the key of this request."""

    id: Id
    name: str
    key: Id
    """Id of the key, which is no secret."""
    scopes: list[Scope]
    """Scopes of the key."""
    banned: str | None
    """Reason for which the organisers have banned you; null without a ban."""


class OwnerCreated(msgspec.Struct, frozen=True):
    """The new owner and the first key of the owner."""

    id: Id
    name: str
    key: KeyText
    """Key with all scopes. It is shown only here."""


class NewKey(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Request to create a key."""

    scopes: Scopes
    """Scopes of the new key: `bots` registers and changes bots, `play` lets them play, `logs` reads the log of asks,
    `keys` creates and deletes keys. A key can only grant scopes that it has itself.
    """
    note: Note = ""
    """Note for yourself about the purpose of the key."""
    days: Annotated[int, Meta(ge=1, le=3650)] | None = None
    """Number of days after which the key ends.

    Without it the key ends when it has not been used for as long as the service keeps keys.
    """


class KeySummary(msgspec.Struct, frozen=True, kw_only=True):
    """A key without its secret."""

    id: Id
    scopes: list[Scope]
    note: Note
    created: Moment
    ends: Annotated[str, Meta(min_length=4, max_length=4)]
    """Last four characters of the key."""
    used: Moment | None
    """Time of the last use, exact to an hour; null if the key was never used."""
    until: Moment | None
    """Time at which the key ends; null if its owner chose none."""


class KeyCreated(msgspec.Struct, frozen=True):
    """A new key."""

    key: KeyText
    """Text of the key. It is shown only here."""
    summary: KeySummary


class KeyRing(msgspec.Struct, frozen=True):
    """Your keys, the oldest first."""

    keys: list[KeySummary]


class KeyTimes(msgspec.Struct, frozen=True, kw_only=True):
    """A public key of the arena, and the period in which its signatures are valid."""

    key: PublicKey
    id: Annotated[str, Meta(pattern="^[0-9a-f]{16}$")]
    """The first 16 hexadecimal digits of the SHA-256 of `key`; dumps name the key by it."""
    since: Moment | None
    """Time at which the arena began to sign with the key; null for its first key."""
    until: Moment | None
    """Time at which signatures of the key stop being valid; null for the newest key."""


class SigningKey(msgspec.Struct, frozen=True):
    """The public keys with which any client can verify signatures of this arena."""

    key: PublicKey
    """The Ed25519 key that the arena signs with now, for signatures that begin with `v1a,`."""
    keys: list[KeyTimes]
    """All keys, newest first.

    During a rotation the arena signs requests with each valid key, and the newest key is listed before it is used.
    """


def key_summary(key: StoredKey, used: Milliseconds | None = None) -> KeySummary:
    """Return the summary of a key for its owner."""
    return KeySummary(
        id=key.id,
        scopes=list(key.scopes),
        note=key.note,
        created=created(key.id),
        ends=key.ends,
        used=None if used is None else moment(used),
        until=None if key.until_ms is None else moment(key.until_ms),
    )
