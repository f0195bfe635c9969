"""A shared value is made once for all requests that ask for it at the same time."""

import asyncio

import pytest

from splito_service.errors import Unavailable
from splito_service.http.shared_values import Shared

pytestmark = pytest.mark.anyio


async def test_a_value_is_computed_once_for_simultaneous_requests() -> None:
    shared = Shared[int]()

    async def make() -> int:
        await asyncio.sleep(0)
        return 7

    assert await asyncio.gather(*(shared.get("key", make) for _ in range(20))) == [7] * 20
    assert shared.computed == 1
    assert await shared.get("other", make) == 7
    assert shared.computed == 2


async def test_a_failed_computation_is_tried_again() -> None:
    shared = Shared[int]()

    async def fail() -> int:
        raise Unavailable("not now")

    async def make() -> int:
        return 7

    with pytest.raises(Unavailable):
        await shared.get("key", fail)
    assert await shared.get("key", make) == 7
