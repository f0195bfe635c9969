"""Fixtures of the webhook tests: a running service, owners, webhooks and their receivers."""

from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from splito_arena.net.http_client import Caller
from splito_arena.net.http_response import AnyReader
from splito_service.processes.embedded_redis import open_server
from splito_service.storage.client import Link
from splito_service.webhooks.store import DUE
from tests.service.owners.test_keys import Ada
from tests.service.polling import PRIVATE, Places
from tests.service.process import running
from tests.service.pushed import PushBot, serving
from tests.service.receiver import Receiver, receiving
from tests.service.webhooks.delivery_setup import Post
from tests.service.webhooks.owned_hooks import OwnHook


@pytest.fixture(scope="session")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    """A service that may call webhooks on this machine, and whose deliverer runs."""
    with open_server(tmp_path_factory.mktemp("hooks")) as server, running(server.url, PRIVATE) as process:
        yield Places(process.url, server.url)


@pytest.fixture
def ada(places: Places) -> Iterator[Ada]:
    with httpx.Client(base_url=places.url, timeout=60) as api:
        yield Ada(api)


@pytest.fixture
def told() -> Iterator[PushBot]:
    """A receiver at the address of a webhook: it answers every request."""
    with serving() as receiver:
        yield receiver


@pytest.fixture
async def outside(places: Places) -> AsyncIterator[Link]:
    """Another process at the same Redis, such as a worker."""
    async with Link(places.redis) as link:
        yield link


@pytest.fixture
def hook(ada: Ada, told: PushBot) -> OwnHook:
    """A webhook that has proved its secret."""
    return OwnHook(ada, f"{told.url}/arena").prove(told)


@pytest.fixture
async def post(link: Link) -> AsyncIterator[Post]:
    """Outbox and deliverer without the deliveries that other tests have left."""
    await link.call("DEL", DUE)
    async with Caller(reader=AnyReader) as caller:
        yield Post(link, caller)


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as receiver:
        yield receiver
