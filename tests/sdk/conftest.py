from collections.abc import Iterator

import pytest

from splito_bot import Client
from splito_service.processes.embedded_redis import open_server
from tests.service.process import Process, running


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """One for all tests of a test process, with a Redis of its own."""
    with open_server(tmp_path_factory.mktemp("sdk")) as redis, running(redis.url) as service:
        yield service


@pytest.fixture
def client(service: Process) -> Iterator[Client]:
    with Client(service.url) as client:
        yield client
