"""Several processes deliver at once: a delivery is claimed by one of them, and taken over if that one dies."""

import asyncio

import pytest

from splito_service.storage.connect import Client
from splito_service.webhooks.delivery import delivering
from splito_service.webhooks.delivery_store import AT_ONCE, LEASE
from splito_service.webhooks.model import (
    PAUSES,
)
from tests.service.receiver import Receiver, answer, receiving
from tests.service.webhooks.delivery_setup import REFUSED, Post

pytestmark = pytest.mark.anyio


async def test_a_delivery_of_a_killed_process_is_sent_by_another_process_with_the_same_id(
    post: Post, receiver: Receiver
) -> None:
    hook = await post.hook(receiver)
    await post.put("m1")
    (claim,) = await post.deliveries.claim(10, post.now)
    taken = await post.deliveries.take(claim, post.now)
    assert taken is not None
    await post.put("m2")
    await post.deliver(after=LEASE - 1)
    assert receiver.called == [], "as long as it may live"
    await post.deliver(after=1)
    assert f"{hook.id}_{taken[1][0].message}" in receiver.ids
    assert len(receiver.ids) == 2
    late = await post.deliveries.note(claim, taken[1][0].delivery, REFUSED, PAUSES, post.now)
    assert late is None, "the outcome of a process without the claim changes nothing"
    assert await post.deliveries.take(claim, post.now) is None
    assert [row.state for row in await post.log(hook)] == ["delivered"] * 2


async def test_taking_a_delivery_renews_the_claim_of_the_webhook(post: Post, receiver: Receiver) -> None:
    await post.hook(receiver)
    await post.put("m1")
    (first,) = await post.deliveries.claim(10, post.now)
    assert await post.deliveries.take(first, post.now + LEASE - 1) is not None
    assert await post.deliveries.claim(10, post.now + LEASE) == []
    (second,) = await post.deliveries.claim(10, post.now + 2 * LEASE)
    assert await post.deliveries.take(first, post.now + 2 * LEASE) is None
    assert await post.deliveries.take(second, post.now + 2 * LEASE) is not None


async def test_a_delivery_whose_log_expired_while_it_was_sent_is_not_logged_again(
    post: Post, receiver: Receiver, redis: Client
) -> None:
    """A week may be over while something is under way."""
    hook = await post.hook(receiver)
    await post.put("m1")
    (claim,) = await post.deliveries.claim(10, post.now)
    taken = await post.deliveries.take(claim, post.now)
    assert taken is not None
    await redis.delete(f"hook:{hook.id}:log:{taken[1][0].delivery}")
    assert await post.deliveries.note(claim, taken[1][0].delivery, REFUSED, PAUSES, post.now) is None
    assert await redis.keys(f"hook:{hook.id}:log*") == []
    assert await post.deliveries.take(claim, post.now) is None
    assert await post.look(hook) == (True, 0, 0)


async def test_many_processes_deliver_every_event_exactly_once(post: Post, receiver: Receiver) -> None:
    hook = await post.hook(receiver)
    for number in range(5 * AT_ONCE):
        await post.put(str(number))
    await asyncio.gather(*(post.deliverer().deliver_due() for _ in range(4)))
    assert len(receiver.ids) == len(set(receiver.ids)) == 5 * AT_ONCE
    assert await post.look(hook) == (True, 0, 0)


async def test_a_delivery_of_a_stopped_deliverer_is_sent_by_another_deliverer(post: Post, receiver: Receiver) -> None:
    hook = await post.hook(receiver)
    receiver.answer = None
    await post.put("m1")
    async with delivering(post.deliverer()):
        await receiver.came.wait()
    assert await post.look(hook) == (True, 1, 0)
    receiver.answer = answer(204)
    await post.deliver(after=LEASE)
    assert len(receiver.ids) == 2
    assert len(set(receiver.ids)) == 1


async def test_a_webhook_that_hangs_does_not_delay_other_webhooks(post: Post, receiver: Receiver) -> None:
    async with receiving() as hanging:
        hanging.answer = None
        await post.hook(hanging)
        await post.put("m1")
        deliverer = post.deliverer()
        async with delivering(deliverer):
            await hanging.came.wait()
            await post.hook(receiver)
            await post.put("m2")
            await receiver.came.wait()
            assert len(hanging.called) == 1, "and there is one at a time for it"
