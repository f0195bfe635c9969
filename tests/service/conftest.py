"""A real server for every test that needs one, and the real service before it."""

from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing

import httpx
import pytest

from splito_arena.net.http_client import Caller
from splito_service.bots.ask_claims import Claims
from splito_service.bots.ask_log import Log
from splito_service.bots.ask_store import Asks
from splito_service.bots.players import BotPlayers
from splito_service.bots.pull import Desk, open_desk
from splito_service.bots.registry import Registry
from splito_service.bots.store import Bots
from splito_service.matches.bot_turns import BotTurns
from splito_service.matches.store import Matches
from splito_service.processes.embedded_redis import open_server
from splito_service.signing import Signer
from splito_service.storage.client import Link
from splito_service.storage.connect import Client, connect
from splito_service.storage.notices import listening
from tests.service.process import running


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One server per test process; tests keep out of each other's way by using keys of their own."""
    with open_server(tmp_path_factory.mktemp("redis"), "everysec") as server:
        yield server.url


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[Client]:
    async with connect(redis_url) as client:
        yield client


@pytest.fixture
async def link(redis_url: str) -> AsyncIterator[Link]:
    async with Link(redis_url) as link:
        yield link


@pytest.fixture
def matches(link: Link) -> Matches:
    return Matches(link)


@pytest.fixture
async def desk(redis_url: str, link: Link) -> AsyncIterator[Desk]:
    async with listening(redis_url) as notices, open_desk(Asks(link), notices) as desk:
        yield desk


@pytest.fixture
async def bot_turns(link: Link, desk: Desk) -> AsyncIterator[BotTurns]:
    """Services of one process, which may call bots on this machine."""
    bots = Bots(link)
    async with Caller() as caller, aclosing(Log(link)) as log:
        yield BotTurns(bots, BotPlayers(Registry(bots, Signer(link), caller, True), desk), Claims(link), log)


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a service process with a Redis of its own, and no limits worth mentioning."""
    with open_server(tmp_path_factory.mktemp("service"), "everysec") as server, running(server.url) as process:
        yield process.url


@pytest.fixture
def api(service: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=service, timeout=60) as client:
        yield client
