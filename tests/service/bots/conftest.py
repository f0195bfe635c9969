"""Fixtures of the bot tests: a service, an owner, a push bot that is served, and its registration."""

from collections.abc import Iterator

import httpx
import pytest

from splito_service.processes.embedded_redis import open_server
from tests.service.bots.own_bot import PRIVATE, Marvin, Places
from tests.service.owners.test_keys import Ada
from tests.service.process import running
from tests.service.pushed import PushBot, serving


@pytest.fixture(scope="session")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    """A service that may call bots on this machine, and looks at none unless a test does."""
    with open_server(tmp_path_factory.mktemp("bots")) as server, running(server.url, PRIVATE) as process:
        yield Places(process.url, server.url)


@pytest.fixture
def ada(places: Places) -> Iterator[Ada]:
    with httpx.Client(base_url=places.url, timeout=60) as api:
        yield Ada(api)


@pytest.fixture
def served() -> Iterator[PushBot]:
    with serving() as bot:
        yield bot


@pytest.fixture
def marvin(ada: Ada, served: PushBot) -> Marvin:
    """Registered, but nothing more."""
    marvin = Marvin(ada, served.url)
    served.secret = marvin.secret
    return marvin
