"""Results are computed in a process of their own, which is replaced when it ends and ends with its user."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from litestar import Request

from splito_service.errors import Busy, Unavailable
from splito_service.http.common import while_connected
from splito_service.results.calculator import Calculator, Failed
from splito_service.results.calculator_main import NICE
from splito_service.results.work_queue import Queue, Ticket

pytestmark = pytest.mark.anyio
LIMIT = 60.0


@pytest.fixture
async def calculator() -> AsyncIterator[Calculator]:
    async with Calculator() as calculator:
        yield calculator


async def test_a_step_runs_in_another_process_with_lower_priority(calculator: Calculator) -> None:
    assert await calculator.run(os.getpid) != os.getpid()
    assert await calculator.run(os.nice, 0) == os.nice(0) + NICE


async def test_results_of_any_size_come_back(calculator: Calculator) -> None:
    assert await calculator.run(bytes, 5_000_000) == bytes(5_000_000)


async def test_simultaneous_steps_run_one_after_another(calculator: Calculator) -> None:
    assert await asyncio.gather(*(calculator.run(sqrt, number**2) for number in range(20))) == [*range(20)]


async def test_a_step_that_fails_says_why_and_the_next_one_runs(calculator: Calculator) -> None:
    with pytest.raises(Failed, match="math domain error"):
        await calculator.run(sqrt, -1)
    assert await calculator.run(sqrt, 4) == 2


async def test_a_killed_calculator_process_is_replaced(calculator: Calculator) -> None:
    os.kill(await calculator.run(os.getpid), signal.SIGKILL)
    with pytest.raises(Failed, match="has ended"):
        await calculator.run(sqrt, 4)
    assert await calculator.run(sqrt, 4) == 2


async def writer_of(pipe: Path) -> int:
    """Return the writing end of a named pipe, once another process has opened the reading end."""
    while True:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            await asyncio.sleep(0.01)


async def test_the_result_of_a_cancelled_step_is_not_returned_for_the_next_step(
    calculator: Calculator, tmp_path: Path
) -> None:
    first, pipe = await calculator.run(os.getpid), tmp_path / "pipe"
    os.mkfifo(pipe)
    given_up = asyncio.create_task(calculator.run(pipe.read_text))
    async with asyncio.timeout(LIMIT):
        writer = await writer_of(pipe)
    given_up.cancel()
    await asyncio.gather(given_up, return_exceptions=True)
    os.close(writer)
    assert await calculator.run(sqrt, 4) == 2
    assert await calculator.run(os.getpid) != first


async def test_closing_the_calculator_ends_its_process() -> None:
    async with Calculator() as calculator:
        process = await calculator.run(os.getpid)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


async def test_clients_take_turns_in_the_work_queue() -> None:
    queue, order = Queue(10, 5), list[str]()
    tickets = [(client, queue.join(client)) for client in "aaaabbc"]

    async def work(client: str, ticket: Ticket) -> None:
        await ticket.wait()
        order.append(client)
        ticket.leave()

    await asyncio.gather(*(work(client, ticket) for client, ticket in tickets))
    assert "".join(order) == "aabcaba"


async def test_a_full_work_queue_refuses_clients() -> None:
    queue = Queue(2, 2)
    tickets = [queue.join(client) for client in "abc"]
    with pytest.raises(Busy):
        queue.join("d")
    tickets[1].leave()
    last = queue.join("d")
    tickets[0].leave()
    await tickets[2].wait()
    tickets[2].leave()
    await last.wait()
    last.leave()
    assert len(queue) == 0


async def test_work_for_a_disconnected_client_is_cancelled() -> None:
    ended = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    request = Request[Any, Any, Any]({"type": "http", "headers": []}, receive)  # pyright: ignore[reportArgumentType]
    with pytest.raises(Unavailable):
        async with asyncio.timeout(LIMIT):
            await while_connected(request, work())
    assert ended.is_set()
