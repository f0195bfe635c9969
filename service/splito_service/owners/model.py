"""Owners, their keys and bans as they are stored."""

import re
from typing import Literal, TypeAlias, get_args

import msgspec

from splito_service.errors import Banned
from splito_service.ids import Milliseconds

Scope: TypeAlias = Literal["bots", "play", "logs", "keys"]


class Owner(msgspec.Struct, frozen=True):
    """An owner of bots. The name is free to choose and need not be unique."""

    id: str
    name: str


class StoredKey(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    owner: str
    scopes: tuple[Scope, ...]
    digest: str
    """SHA-256 of the secret part of the key."""
    ends: str
    """Last four characters of the key, by which its owner recognises it."""
    note: str = ""
    until_ms: Milliseconds | None = None
    """Time at which the key ends; None if it ends only for lack of use."""


class Ban(msgspec.Struct, frozen=True):
    """A ban of an owner or a bot."""

    reason: str
    """Reason, in words for the banned owner."""
    since_ms: Milliseconds


def refusal(who: str, ban: Ban) -> Banned:
    """Return the refusal for a banned owner. No other client gets the reason."""
    return Banned(f"{who} banned by the organisers of this arena: {ban.reason}")


KEY_FORM = re.compile(r"key-([0-9a-v]{24})-([A-Za-z0-9_-]{43})")
KEY_PATTERN = f"^{KEY_FORM.pattern}$"
SCOPES: tuple[Scope, ...] = get_args(Scope)
