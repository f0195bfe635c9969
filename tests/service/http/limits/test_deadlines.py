"""Deadlines of many waits, kept by one timer: a wait that takes too long ends, and no other task is touched."""

import asyncio

import pytest

from splito_service.http.limits.deadlines import Deadlines

pytestmark = pytest.mark.anyio
SHORT = 0.05
LONG = 30.0


async def test_the_result_of_a_wait_is_returned() -> None:
    async def work() -> str:
        await asyncio.sleep(0)
        return "done"

    assert await Deadlines(LONG).wait(work()) == "done"


async def test_a_wait_that_takes_too_long_ends_and_its_task_goes_on() -> None:
    async def task() -> str:
        with pytest.raises(TimeoutError):
            await deadlines.wait(asyncio.sleep(LONG))
        await asyncio.sleep(0)
        return "not cancelled"

    deadlines = Deadlines(SHORT)
    assert await asyncio.gather(*(task() for _ in range(3))) == ["not cancelled"] * 3


async def test_a_task_that_stopped_waiting_is_not_cancelled() -> None:
    deadlines = Deadlines(SHORT)
    await deadlines.wait(asyncio.sleep(0))
    with pytest.raises(TimeoutError):
        await asyncio.create_task(deadlines.wait(asyncio.sleep(LONG)))
    await asyncio.sleep(0)


async def test_a_wait_that_is_cancelled_from_outside_is_cancelled() -> None:
    deadlines = Deadlines(LONG)
    task = asyncio.create_task(deadlines.wait(asyncio.sleep(LONG)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_an_error_of_the_work_is_raised() -> None:
    async def work() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        await Deadlines(LONG).wait(work())
