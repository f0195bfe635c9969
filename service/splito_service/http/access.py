"""Access to an endpoint: which role may call it, and the code of the refusal otherwise.

Every endpoint declares its `Permission`. The OpenAPI document takes the security section from it, `docs/permissions.md`
shows all of them, and `tests/service/http/test_permissions.py` calls every operation in every role and compares the
answer with `verdict`.
"""

from typing import Literal, TypeAlias, get_args

import msgspec

from splito_service.owners.model import Scope

Access: TypeAlias = Literal["public", "seat", "either", "owner", "owner-or-public"]
"""Which secret a request carries: none, a seat token, an owner key, or one of these or none."""
Role: TypeAlias = Literal[
    "nobody",
    "seat",
    "former seat",
    "other seat",
    "owner",
    "other owner",
    "organiser",
    "bots key",
    "play key",
    "logs key",
    "keys key",
    "revoked key",
]
ROLES: tuple[Role, ...] = get_args(Role)
SEATS: tuple[Role, ...] = ("seat", "former seat", "other seat")


class Permission(msgspec.Struct, frozen=True, kw_only=True):
    """The row of one operation."""

    access: Access = "public"
    scope: Scope | None = None
    """Scope that an owner key needs; None if the operation takes any key of an owner, or no key."""
    stranger: str | None = None
    """Code that the key of another owner meets; None if every owner may call it for objects of their own."""
    owner: str | None = None
    """Code that the owner meets; None if the owner may."""
    organiser: str | None = None
    """Code that the key of a named organiser meets, who owns nothing of it; None if the organiser may."""
    while_banned: bool = False
    """True if a banned owner may call it although it changes something."""
    note: str = ""
    """Fields that the answer shows to some roles only, or further conditions of the permission."""


def everybody(note: str = "") -> Permission:
    """Return the row of an operation that ignores seat tokens and owner keys."""
    return Permission(note=note)


def any_owner(scope: Scope, note: str = "") -> Permission:
    """Return the row of an operation for every key with that scope: it concerns only objects of the owner."""
    return Permission(access="owner", scope=scope, note=note)


def any_key(note: str = "") -> Permission:
    """Return the row of an operation for every key of an owner, whatever its scopes."""
    return Permission(access="owner", note=note)


def owner_of(scope: Scope, stranger: str, note: str = "", *, while_banned: bool = False) -> Permission:
    """Return the row of an operation on one bot, hook, key, tournament or experiment, for its owner only."""
    return Permission(
        access="owner", scope=scope, stranger=stranger, organiser=stranger, while_banned=while_banned, note=note
    )


def organisers_only(note: str = "") -> Permission:
    """Return the row of an operation for organisers whom the operator names.

    It needs the scope `keys`, the strongest of an owner, because a key in a program that plays must not ban anybody.
    """
    return Permission(access="owner", scope="keys", owner="wrong-owner", stranger="wrong-owner", note=note)


SEAT = Permission(access="seat")


def verdict(permission: Permission, role: Role) -> str | None:
    """Return the code of the refusal that this role meets; None if it may.

    The seat roles hold a token of a match that is still played. The owner roles hold a key of all scopes; "owner" owns
    the bot, hook, key, tournament or experiment of the request. "organiser" is another owner, named as organiser of the
    arena. "bots key" and so on are keys of the owner with that scope alone.
    """
    match permission.access:
        case "public":
            return None
        case "seat" | "either":
            return _of_seat(permission.access, role)
        case "owner" | "owner-or-public":
            return _of_owner(permission, role)


def _of_seat(access: Access, role: Role) -> str | None:
    match role:
        case "seat":
            return None
        case "former seat":
            return "wrong-token"
        case "other seat":
            return None if access == "either" else "wrong-token"
        case "nobody":
            return None if access == "either" else "no-token"
        case _:
            return "no-token"


def _of_owner(permission: Permission, role: Role) -> str | None:
    match role:
        case "owner":
            return permission.owner
        case "other owner":
            return permission.stranger
        case "organiser":
            return permission.organiser
        case "bots key" | "play key" | "logs key" | "keys key":
            return permission.owner if permission.scope is None or role == f"{permission.scope} key" else "wrong-scope"
        case "nobody":
            return None if permission.access == "owner-or-public" else "no-key"
        case _:
            return "no-key"
