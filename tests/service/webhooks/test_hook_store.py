"""Webhooks in the store: changes, limits and deletion."""

import asyncio

import pytest
from msgspec.structs import replace

from splito_service.errors import NoRoom, UnknownHook
from splito_service.storage.connect import Client
from splito_service.webhooks.model import (
    PAUSES,
    enabled,
)
from splito_service.webhooks.store import DUE, MOST_HOOKS
from tests.service.receiver import Receiver, answer, receiving
from tests.service.webhooks.delivery_setup import HOUR, REFUSED, Post

pytestmark = pytest.mark.anyio


async def test_waiting_deliveries_go_to_the_current_url_of_the_webhook(post: Post, receiver: Receiver) -> None:
    async with receiving() as old:
        hook = await post.hook(old)
        await post.put("m1")
        await post.hooks.change(hook.id, lambda hook: replace(hook, url=receiver.url, events=("bot.disabled",)))
        await post.deliver()
        assert (len(old.called), len(receiver.called)) == (0, 1)
        assert await post.put("m2") == 0


async def test_deleting_a_webhook_removes_all_its_keys_and_deliveries(
    post: Post, receiver: Receiver, redis: Client
) -> None:
    hook = await post.hook(receiver)
    await post.put("m1")
    await post.deliver()
    await post.put("m2")
    await post.hooks.delete(hook)
    assert await redis.keys(f"hook:{hook.id}*") == []
    assert await redis.zscore(DUE, hook.id) is None
    assert await post.put("m3") == 0
    await post.deliver(after=HOUR)
    assert len(receiver.called) == 1
    with pytest.raises(UnknownHook):
        await post.hooks.change(hook.id, enabled)


async def test_deleting_a_webhook_during_a_delivery_leaves_no_keys(
    post: Post, receiver: Receiver, redis: Client
) -> None:
    hook = await post.hook(receiver)
    receiver.answer = answer(500)
    await post.put("m1")
    (claim,) = await post.deliveries.claim(1, post.now)
    taken = await post.deliveries.take(claim, post.now)
    assert taken is not None
    await post.hooks.delete(hook)
    assert await post.deliveries.note(claim, taken[1][0].delivery, REFUSED, PAUSES, post.now) is None
    await post.deliveries.rest(claim, post.now)
    assert await redis.keys(f"hook:{hook.id}*") == []
    assert await redis.zscore(DUE, hook.id) is None


async def test_simultaneous_changes_of_a_webhook_are_all_applied(post: Post, receiver: Receiver) -> None:
    hook = await post.hook(receiver)
    await asyncio.gather(
        *(post.hooks.change(hook.id, lambda hook: replace(hook, failures=hook.failures + 1)) for _ in range(20))
    )
    assert await post.look(hook) == (True, 0, 20)


async def test_the_store_limits_the_number_of_webhooks_per_owner(post: Post, receiver: Receiver) -> None:
    made = [await post.hook(receiver) for _ in range(MOST_HOOKS)]
    with pytest.raises(NoRoom):
        await post.hook(receiver)
    found = [seen.hook for seen in await post.hooks.of_owner(post.owner)]
    assert found == sorted(made, key=lambda hook: hook.id)
