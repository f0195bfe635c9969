"""Fixtures of blocks: they use the event loop of the workers; `tests/arena/bots` calls bots in both loops."""

import pytest

from tests.conftest import QUICK


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, bool]]:
    return "asyncio", {"use_uvloop": not QUICK}
