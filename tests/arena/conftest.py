"""Fixtures of the arena: bots are called in both event loops, in `make quick` in one."""

import pytest

from tests.conftest import QUICK

LOOPS = [False] if QUICK else [False, True]
"""True for uvloop, False for the event loop of asyncio."""


@pytest.fixture(params=LOOPS, ids=["asyncio", "uvloop"][: len(LOOPS)])
def anyio_backend(request: pytest.FixtureRequest) -> tuple[str, dict[str, bool]]:
    return "asyncio", {"use_uvloop": request.param}
