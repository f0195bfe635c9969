"""The fair queue: clients in turn, urgent requests first, and no request waits for ever."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from splito_arena.net.fair_queue import EVERY, FairQueue, QueueFull

pytestmark = pytest.mark.anyio


async def order_of(queue: FairQueue, requests: list[tuple[str, bool]]) -> str:
    """Return the clients in the order in which they are served, after all have waited for the only slot."""
    served: list[str] = []

    async def ask(client: str, urgent: bool) -> None:
        async with queue.slot(client, urgent=urgent):
            served.append(client)

    async with AsyncExitStack() as stack:
        await stack.enter_async_context(queue.slot("first"))
        tasks = [asyncio.create_task(ask(client, urgent)) for client, urgent in requests]
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    return "".join(served)


async def test_clients_are_served_in_turn_however_many_requests_one_of_them_has() -> None:
    assert await order_of(FairQueue(1), [("a", False)] * 5 + [("b", False)] * 2 + [("c", False)]) == "abcabaaa"


async def test_urgent_requests_come_first() -> None:
    assert await order_of(FairQueue(1), [("a", False)] * 3 + [("b", True)] * 2) == "bbaaa"


async def test_urgent_requests_leave_one_slot_in_four_to_the_others() -> None:
    served = await order_of(FairQueue(1), [("u", True)] * 9 + [("o", False)] * 3)
    assert served == "uuuouuuouuuo"
    assert EVERY == 4


async def test_a_client_holds_no_more_slots_than_it_may_and_others_take_the_rest() -> None:
    queue, held, over = FairQueue(5, per_client=2), list[str](), asyncio.Event()

    async def hold(client: str) -> None:
        async with queue.slot(client):
            held.append(client)
            await over.wait()

    tasks = [asyncio.create_task(hold(client)) for client in "aaaaabbbbb"]
    await asyncio.sleep(0)
    assert held == [*"aabb"]
    over.set()
    await asyncio.gather(*tasks)
    assert sorted(held) == [*"aaaaabbbbb"]


async def test_a_client_with_too_many_waiting_requests_is_refused_and_others_are_not() -> None:
    queue = FairQueue(1, waiting=2)
    async with queue.slot("a"):
        tasks = [asyncio.create_task(_once(queue, "a")) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(QueueFull):
            await _once(queue, "a")
        tasks.append(asyncio.create_task(_once(queue, "b")))
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)


async def test_a_request_that_is_given_up_costs_no_slot() -> None:
    queue = FairQueue(1)
    async with queue.slot("a"):
        waiting, handed = asyncio.create_task(_once(queue, "b")), asyncio.create_task(_once(queue, "c"))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.sleep(0)
    handed.cancel()  # in the step in which it was handed the slot
    await asyncio.gather(waiting, handed, return_exceptions=True)
    assert (waiting.cancelled(), handed.cancelled()) == (True, True)
    await asyncio.wait_for(_once(queue, "d"), 60)
    await asyncio.wait_for(queue.idle(), 60)


async def _once(queue: FairQueue, client: str) -> None:
    async with queue.slot(client):
        pass


async def test_a_request_that_is_given_up_in_the_step_in_which_a_slot_is_free_is_passed_over() -> None:
    queue = FairQueue(1)
    async with queue.slot("a"):
        given_up, next_one = asyncio.create_task(_once(queue, "b")), asyncio.create_task(_once(queue, "c"))
        await asyncio.sleep(0)
        given_up.cancel()
    await asyncio.wait_for(next_one, 60)
    assert (await asyncio.gather(given_up, return_exceptions=True))[0].__class__ is asyncio.CancelledError
    await asyncio.wait_for(queue.idle(), 60)
