"""Fixtures of the tournament tests: the stores, and a service with a worker that plays tournaments."""

from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from splito_service.processes.embedded_redis import open_server
from splito_service.storage.client import Link
from splito_service.storage.notices import Notices, listening
from splito_service.tournaments.ledger_store import Ledger
from splito_service.tournaments.store import Tournaments
from tests.service.holding import Organiser, working
from tests.service.polling import PRIVATE
from tests.service.process import running


@pytest.fixture
def tournaments(link: Link) -> Tournaments:
    return Tournaments(link)


@pytest.fixture
def ledger(link: Link) -> Ledger:
    return Ledger(link)


@pytest.fixture
async def notices(redis_url: str) -> AsyncIterator[Notices]:
    async with listening(redis_url) as notices:
        yield notices


@pytest.fixture(scope="session")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """Client of a service with a worker."""
    with (
        open_server(tmp_path_factory.mktemp("tournaments")) as server,
        running(server.url, PRIVATE) as process,
        working(server.url),
        httpx.Client(base_url=process.url, timeout=60) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def ada(api: httpx.Client) -> Organiser:
    return Organiser(api)


@pytest.fixture(scope="session")
def played(ada: Organiser) -> str:
    """Path of a small tournament that is over."""
    path = ada.hold(ranked=False)
    ada.wait(path)
    return path
