"""The examples of what owners ask for: Ada, her keys, and a bot of each kind."""

from collections.abc import Sequence
from datetime import timedelta

from msgspec.structs import replace

from splito_arena.match.messages import BotInfo
from splito_arena.reports.dump_head import key_id
from splito_engine.game import AnyGame
from splito_service.bots.schemas import (
    BotChange,
    BotPage,
    BotRegistered,
    BotRegistration,
    NewSecret,
    bot_of,
    bot_summary,
)
from splito_service.bots.store import Registered
from splito_service.http.contract.examples import Examples, one
from splito_service.http.contract.parameters import EXAMPLE_ID, Json
from splito_service.ids import created
from splito_service.owners.keys import SCOPES
from splito_service.owners.schemas import (
    EXAMPLE_KEY,
    KeyCreated,
    KeyRing,
    KeyTimes,
    NewKey,
    NewOwner,
    OwnerCreated,
    SigningKey,
    key_summary,
)
from splito_service.owners.store import Owner, StoredKey
from splito_service.schemas import EXAMPLE_SECRET

ADA = Owner(EXAMPLE_ID, "Ada")
URL = "https://marvin.example/splito"
FULL = StoredKey(id=EXAMPLE_ID, owner=ADA.id, scopes=SCOPES, digest="", ends=EXAMPLE_KEY[-4:])
PLAYS = replace(FULL, scopes=("play",), note="the bot on my laptop")
PUSH = Registered(id=EXAMPLE_ID, owner=ADA.id, kind="push", name="Marvin", url=URL)
PULL = Registered(id=EXAMPLE_ID, owner=ADA.id, kind="pull", name="Trillian")
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
LOST = "3 times in a row when we looked: the connection was refused"


def of_owners() -> dict[str, Examples]:
    return {
        "createOwner": Examples(
            body=one("ada", "Somebody", NewOwner(ADA.name)),
            answer=one("ada", "With the first key", OwnerCreated(ADA.id, ADA.name, EXAMPLE_KEY)),
        ),
        "deleteOwner": Examples({}),
        "createKey": Examples(
            body=one("play", "For a program that only plays", NewKey(["play"], PLAYS.note)),
            answer=one("play", "A new key", KeyCreated(EXAMPLE_KEY, key_summary(PLAYS))),
        ),
        "listKeys": Examples(one("two", "Two keys", KeyRing([key_summary(FULL), key_summary(PLAYS)]))),
        "deleteKey": Examples({}),
        "getSigningKey": Examples(one("key", "The public key", PUBLIC)),
    }


def of_registered(games: Sequence[AnyGame]) -> dict[str, Examples]:
    info = BotInfo(name="Marvin", author="Ada", version="1.2.0", games=[game.INFO.id for game in games])
    ready = replace(PUSH, info=info, state="ready")
    return {
        "listBots": Examples(one("page", "One bot", BotPage([bot_summary(ready, ADA)], None))),
        "createBot": _registering(),
        "getBot": Examples(_looks(ready)),
        "changeBot": Examples(
            body=one("name", "Another name", BotChange("Marvin II", URL)),
            answer=one("changed", "As it is now", bot_of(replace(ready, name="Marvin II"), ADA, own=True)),
        ),
        "deleteBot": Examples({}),
        "proveBot": Examples(one("ready", "It is ready", bot_of(ready, ADA, own=True))),
        "describeBot": Examples(
            body=one("info", "What it plays", info),
            answer=one("ready", "It is ready", bot_of(replace(PULL, info=info, state="ready"), ADA, own=True)),
        ),
        "rotateSecret": Examples(one("secret", "The new secret", NewSecret(EXAMPLE_SECRET))),
        "settleSecret": Examples({}),
    }


def _registering() -> Examples:
    pushed, pulled = bot_of(PUSH, ADA, own=True), bot_of(PULL, ADA, own=True)
    return Examples(
        body=one("push", "The arena calls it", BotRegistration("Marvin", "push", URL))
        | one("pull", "It asks the arena", BotRegistration("Trillian", "pull")),
        answer=one("push", "It has to prove itself", BotRegistered(pushed, EXAMPLE_SECRET))
        | one("pull", "It has to be described", BotRegistered(pulled, None)),
    )


def _looks(ready: Registered) -> Json:
    lost = replace(ready, state="disabled", reason=LOST, failures=3)
    return one("public", "As everybody sees it", bot_of(ready, ADA, own=False)) | one(
        "own", "As its owner sees it", bot_of(lost, ADA, own=True)
    )
