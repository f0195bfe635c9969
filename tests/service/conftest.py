"""A real server for every test that needs one."""

from collections.abc import AsyncIterator, Iterator

import pytest

from service.embedded import open_server
from service.store.connection import Client, connect


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
