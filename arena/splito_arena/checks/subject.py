"""Who is checked: a bot, however it is reached, with what it says of itself."""

import ssl
from collections.abc import AsyncGenerator, Awaitable, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

import msgspec

from splito_arena.bots.in_process import Plugin
from splito_arena.bots.push import Push
from splito_arena.bots.push_client import BotClient
from splito_arena.faults import Fault, Void
from splito_arena.match.messages import BotInfo
from splito_arena.match.player import Player
from splito_arena.net.allowed_addresses import Lookup, ask_dns
from splito_arena.net.http_client import Caller
from splito_arena.net.signing import Key
from splito_engine.player import Choose

T = TypeVar("T")

LOCAL = "local"
"""Author and version of a function that nobody has registered."""


class Address(msgspec.Struct, frozen=True):
    """Where a bot that is called can be reached, as often as one likes."""

    url: str
    key: Key | None = None
    allow_private: bool = False
    lookup: Lookup = ask_dns
    tls: ssl.SSLContext | None = None

    def caller(self) -> Caller:
        return Caller(tls=self.tls)

    def client(self, caller: Caller) -> BotClient:
        return BotClient(caller, self.url, self.key, self.allow_private, self.lookup)


class Remote(msgspec.Struct, frozen=True):
    """The way to a bot that is called over HTTP, for what only makes sense there."""

    address: Address
    client: BotClient


class Subject(msgspec.Struct, frozen=True):
    """The bot, and what it says of itself. A pull bot is any player with the info it was registered with."""

    player: Player
    info: BotInfo
    remote: Remote | None = None


class Unknown(msgspec.Struct, frozen=True):
    """A bot that does not say who it is: the suite ends with this fault."""

    name: str
    fault: Fault


@asynccontextmanager
async def at_address(address: Address) -> AsyncGenerator[Subject | Unknown]:
    """A push bot, over connections of its own. Raises `BadAddress` for an address that cannot be one, and `Void` for
    trouble of our own.
    """
    async with address.caller() as caller:
        client = address.client(caller)
        info = await heard_of(client.info())
        if isinstance(info, Fault):
            yield Unknown(address.url, info)
        else:
            yield Subject(Push(client, info), info, Remote(address, client))


async def heard_of(waiting: Awaitable[T]) -> T | Fault:
    """What comes of a call. Raises `Void` for trouble of our own."""
    try:
        return await waiting
    except Fault as fault:
        return fault
    except Exception as error:
        raise Void(f"{type(error).__name__}: {error}") from error


def in_process(name: str, choose: Choose, games: Sequence[str]) -> Subject:
    """A function, which says nothing of itself."""
    info = BotInfo(name=name[:64], author=LOCAL, version=LOCAL, games=[*games])
    return Subject(Plugin(info.name, choose), info)
