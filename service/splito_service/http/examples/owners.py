"""Examples of owners: Ada and her keys."""

from collections.abc import Sequence
from datetime import timedelta

from msgspec.structs import replace

from splito_arena.reports.dump_head import key_id
from splito_engine.game import AnyGame
from splito_service.http.examples.example import EXAMPLE_ID, Examples, one
from splito_service.ids import created
from splito_service.owners.model import SCOPES, Owner, StoredKey
from splito_service.owners.schemas import (
    EXAMPLE_KEY,
    KeyCreated,
    KeyRing,
    KeyTimes,
    NewKey,
    NewOwner,
    OwnAccount,
    OwnerCreated,
    SigningKey,
    key_summary,
)

ADA = Owner(EXAMPLE_ID, "Ada")
FULL = StoredKey(id=EXAMPLE_ID, owner=ADA.id, scopes=SCOPES, digest="", ends=EXAMPLE_KEY[-4:])
PLAYS = replace(FULL, scopes=("play",), note="the bot on my laptop")
NEW_KEY, OLD_KEY = (
    "whpk_ZXhhbXBsZS1leGFtcGxlLWV4YW1wbGUtZXhhbXBsZSE=",
    "whpk_YW5vdGhlci1hbm90aGVyLWFub3RoZXItYW5vdGhlciE=",
)
CHANGED = created(EXAMPLE_ID)
PUBLIC = SigningKey(
    NEW_KEY,
    [
        KeyTimes(key=NEW_KEY, id=key_id(NEW_KEY), since=CHANGED, until=None),
        KeyTimes(key=OLD_KEY, id=key_id(OLD_KEY), since=None, until=CHANGED + timedelta(days=30)),
    ],
)


def create_owner(_: Sequence[AnyGame]) -> Examples:
    return Examples(
        body=one("ada", "A new owner", NewOwner(ADA.name)),
        answer=one("ada", "The owner and the first key", OwnerCreated(ADA.id, ADA.name, EXAMPLE_KEY)),
    )


def get_owner(_: Sequence[AnyGame]) -> Examples:
    you = OwnAccount(id=ADA.id, name=ADA.name, key=FULL.id, scopes=list(SCOPES), banned=None)
    return Examples(one("ada", "An owner with a key of all scopes", you))


def create_key(_: Sequence[AnyGame]) -> Examples:
    return Examples(
        body=one("play", "A key for a program that only plays", NewKey(["play"], PLAYS.note)),
        answer=one("play", "A new key", KeyCreated(EXAMPLE_KEY, key_summary(PLAYS))),
    )


def list_keys(_: Sequence[AnyGame]) -> Examples:
    return Examples(one("two", "Two keys", KeyRing([key_summary(FULL), key_summary(PLAYS)])))


def get_signing_key(_: Sequence[AnyGame]) -> Examples:
    return Examples(one("key", "The public key", PUBLIC))
