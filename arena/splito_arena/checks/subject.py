"""Subject of the checks: a bot of any kind, with its info."""

import ssl
from collections.abc import AsyncGenerator, Awaitable, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from splito_arena.bots.address_faults import explained
from splito_arena.bots.in_process import Plugin
from splito_arena.bots.push import Push
from splito_arena.bots.push_client import BotClient
from splito_arena.bots.subprocess import BotProcesses, Housed
from splito_arena.faults import Fault, Void
from splito_arena.loop_delay import Lag, is_busy
from splito_arena.match.messages import BotInfo
from splito_arena.match.player import Player
from splito_arena.net.allowed_addresses import Lookup, ask_dns
from splito_arena.net.http_client import Caller
from splito_arena.net.signing import Key
from splito_engine.player import Choose

T = TypeVar("T")

TRIES = 3  # tries of a check that fails for lack of time while our own process is busy
LOCAL = "local"
"""Author and version of a function that is not registered."""


class Address(msgspec.Struct, frozen=True):
    """The address of a push bot and the settings to call it; it can be opened any number of times."""

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
    """The connection to a bot over HTTP, for the checks that need one."""

    address: Address
    client: BotClient


class Subject(msgspec.Struct, frozen=True):
    """The bot and its info. A pull bot is any player with the info it was registered with."""

    player: Player
    info: BotInfo
    remote: Remote | None = None


class Unknown(msgspec.Struct, frozen=True):
    """A bot whose info could not be read: the suite ends with this fault."""

    name: str
    fault: Fault
    advice: str = ""
    """Next step; that for the kind of fault if empty."""


@asynccontextmanager
async def at_address(address: Address) -> AsyncGenerator[Subject | Unknown]:
    """Yield a push bot, over connections of its own.

    Raise `BadAddress` for a malformed or forbidden address, and `Void` for an error of the arena.
    """
    async with address.caller() as caller:
        client = address.client(caller)
        info = await _info_of(client)
        if isinstance(info, Fault):
            cause = explained(address.url, info.code, info.detail, is_signed=client.is_signed)
            yield Unknown(address.url, info, f"{cause.cause}: {cause.advice}")
        else:
            yield Subject(Push(client, info), info, Remote(address, client))


async def _info_of(client: BotClient) -> BotInfo | Fault:
    """Return the info, asked again if our own process was too busy to read it. Raise `Void` if it stays so."""
    async with Lag() as lag:
        for _ in range(TRIES):
            start = lag.now()
            info = await heard_of(client.info())
            if not isinstance(info, Fault) or info.code != "time-out" or not is_busy(lag.since(start)):
                return info
    raise Void(f"the arena was too busy for the check 'info', {TRIES} times in a row; try again later")


async def heard_of(waiting: Awaitable[T]) -> T | Fault:
    """Return the result of a call, or its `Fault`. Raise `Void` for an error of the arena."""
    try:
        return await waiting
    except Fault as fault:
        return fault
    except Exception as error:
        raise Void(f"{type(error).__name__}: {error}") from error


def in_process(name: str, choose: Choose, games: Sequence[str]) -> Subject:
    """Return a function as a subject; its info is made up here. It is called in this process."""
    info = _made_up(name, games)
    return Subject(Plugin(info.name, choose), info)


@asynccontextmanager
async def on_this_machine(word: str, games: Sequence[str]) -> AsyncGenerator[Subject]:
    """Yield a function or an installed bot in a process of its own, which can be interrupted.

    It has the info of its module, but takes one ask at a time, because nothing is sent over HTTP. Without one it claims
    these games. Raise `BadBot` if it cannot be imported.
    """
    async with BotProcesses(1, anywhere=True) as processes:
        said = await processes.load(word, games[0])
        info = replace(said, batch=0, concurrency=1, notices=False) if said else _made_up(word, games)
        yield Subject(Housed(processes, word, info.name), info)


def _made_up(name: str, games: Sequence[str]) -> BotInfo:
    return BotInfo(name=name[:64], author=LOCAL, version=LOCAL, games=[*games])
