"""Owners and their keys as they are stored."""

import re
from typing import Literal, TypeAlias, get_args

import msgspec

from splito_service.ids import Milliseconds

Scope: TypeAlias = Literal["bots", "play", "logs", "keys"]


class Owner(msgspec.Struct, frozen=True):
    """Whoever has bots here. The name is theirs to choose, and need not be the only one of its kind."""

    id: str
    name: str


class StoredKey(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    owner: str
    scopes: tuple[Scope, ...]
    digest: str
    """SHA-256 of the secret part."""
    ends: str
    """Its last four characters, so that its owner can tell which one it is."""
    note: str = ""
    until_ms: Milliseconds | None = None
    """When it ends; None if it does not end by itself while it is used."""


KEY_FORM = re.compile(r"key-([0-9a-v]{24})-([A-Za-z0-9_-]{43})")
KEY_PATTERN = f"^{KEY_FORM.pattern}$"
SCOPES: tuple[Scope, ...] = get_args(Scope)
