"""Examples of registered bots: a push bot and a pull bot of Ada."""

from collections.abc import Sequence

from msgspec.structs import replace

from splito_arena.match.messages import BotInfo
from splito_engine.game import AnyGame
from splito_service.bots.model import Registered
from splito_service.bots.schemas import (
    BotChange,
    BotPage,
    BotRegistered,
    BotRegistration,
    NewSecret,
    bot_of,
    bot_summary,
)
from splito_service.http.examples.example import EXAMPLE_ID, Examples, Json, one
from splito_service.http.examples.owners import ADA
from splito_service.schemas import EXAMPLE_SECRET

URL = "https://marvin.example/splito"


PUSH = Registered(id=EXAMPLE_ID, owner=ADA.id, kind="push", name="Marvin", url=URL)


PULL = Registered(id=EXAMPLE_ID, owner=ADA.id, kind="pull", name="Trillian")


FAILING = (
    f"a house bot took over in match {EXAMPLE_ID} (time-out 3 times); the last fault: no complete answer in time."
    f" The asks are in GET /v1/bots/{EXAMPLE_ID}/asks"
)


LOST = "3 failed health checks in a row: the connection was refused"


def list_bots(games: Sequence[AnyGame]) -> Examples:
    info = BotInfo(name="Marvin", author="Ada", version="1.2.0", games=[game.INFO.id for game in games])
    ready = replace(PUSH, info=info, state="ready")
    return Examples(one("page", "One bot", BotPage([bot_summary(ready, ADA)], None)))


def create_bot(_: Sequence[AnyGame]) -> Examples:
    return _registering()


def get_bot(games: Sequence[AnyGame]) -> Examples:
    info = BotInfo(name="Marvin", author="Ada", version="1.2.0", games=[game.INFO.id for game in games])
    ready = replace(PUSH, info=info, state="ready")
    return Examples(_looks(ready))


def change_bot(games: Sequence[AnyGame]) -> Examples:
    info = BotInfo(name="Marvin", author="Ada", version="1.2.0", games=[game.INFO.id for game in games])
    ready = replace(PUSH, info=info, state="ready")
    return Examples(
        body=one("name", "A new name", BotChange("Marvin II", URL)),
        answer=one("changed", "The bot after the change", bot_of(replace(ready, name="Marvin II"), ADA, own=True)),
    )


def prove_bot(games: Sequence[AnyGame]) -> Examples:
    info = BotInfo(name="Marvin", author="Ada", version="1.2.0", games=[game.INFO.id for game in games])
    ready = replace(PUSH, info=info, state="ready")
    return Examples(one("ready", "The bot is ready", bot_of(ready, ADA, own=True)))


def describe_bot(games: Sequence[AnyGame]) -> Examples:
    info = BotInfo(name="Marvin", author="Ada", version="1.2.0", games=[game.INFO.id for game in games])
    return Examples(
        body=one("info", "The games that the bot plays", info),
        answer=one("ready", "The bot is ready", bot_of(replace(PULL, info=info, state="ready"), ADA, own=True)),
    )


def rotate_secret(_: Sequence[AnyGame]) -> Examples:
    return Examples(one("secret", "The new secret", NewSecret(EXAMPLE_SECRET)))


def _registering() -> Examples:
    pushed, pulled = bot_of(PUSH, ADA, own=True), bot_of(PULL, ADA, own=True)
    return Examples(
        body=one("push", "A push bot, which the arena calls", BotRegistration("Marvin", "push", URL))
        | one("pull", "A pull bot, which polls the arena", BotRegistration("Trillian", "pull")),
        answer=one("push", "A push bot has to prove itself next", BotRegistered(pushed, EXAMPLE_SECRET))
        | one("pull", "A pull bot has to be described next", BotRegistered(pulled, None)),
    )


def _looks(ready: Registered) -> Json:
    lost = replace(ready, state="disabled", reason=LOST, failures=3)
    return one("public", "The public fields", bot_of(ready, ADA, own=False)) | one(
        "own", "With the fields for the owner", bot_of(lost, ADA, own=True)
    )
