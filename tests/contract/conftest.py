"""The contract, and a real service that should keep it."""

from collections.abc import Iterator

import httpx
import pytest

from splito_service.processes.embedded_redis import open_server
from tests.contract.documents import service_document
from tests.contract.reader import Document
from tests.service.process import running


@pytest.fixture(scope="session")
def document() -> Document:
    return service_document()


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of one as everybody starts it, with limits."""
    with open_server(tmp_path_factory.mktemp("contract")) as server, running(server.url, {}) as process:
        yield process.url


@pytest.fixture
def api(service: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=service, timeout=60) as client:
        yield client
