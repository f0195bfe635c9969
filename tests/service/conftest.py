"""A real server for every test that needs one, and the real service before it."""

from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from service.embedded import open_server
from service.store.connection import Client, connect
from service.store.link import Link
from service.store.matches import Matches
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


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a service process with a Redis of its own, and no limits worth mentioning."""
    with open_server(tmp_path_factory.mktemp("service"), "everysec") as server, running(server.url) as process:
        yield process.url


@pytest.fixture
def api(service: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=service, timeout=60) as client:
        yield client
