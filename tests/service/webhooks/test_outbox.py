"""Events are stored once for each enabled webhook that subscribes to them."""

import asyncio

import pytest

from splito_service.ids import new_id
from splito_service.storage.connect import Client
from splito_service.webhooks.store import MOST_WAITING
from tests.service.receiver import Receiver, receiving
from tests.service.webhooks.delivery_setup import News, Post

pytestmark = pytest.mark.anyio


async def test_an_event_that_is_stored_twice_is_delivered_once(post: Post, receiver: Receiver) -> None:
    """By a worker that took over from one that was killed, at any time after."""
    await post.hook(receiver)
    assert [await post.put("m1"), await post.put("m1"), await post.put("m2")] == [1, 0, 1]
    await post.deliver()
    assert await post.put("m1") == 0
    assert await post.put("m1", "block.rated") == 1, "which is another event"
    await post.deliver()
    assert len(set(receiver.ids)) == len(receiver.ids) == 3


async def test_of_many_processes_that_store_the_same_event_at_once_one_succeeds(post: Post, receiver: Receiver) -> None:
    await post.hook(receiver)
    assert sum(await asyncio.gather(*(post.put("m1") for _ in range(20)))) == 1


async def test_an_event_that_no_webhook_subscribes_to_is_not_stored(
    post: Post, receiver: Receiver, redis: Client
) -> None:
    assert await post.put("m1") == 0
    assert await redis.keys(f"owner:{post.owner}*") == []
    await post.hook(receiver, "bot.disabled")
    assert await post.put("m1") == 0
    assert await post.outbox.wanted(post.owner, "bot.disabled")
    assert not await post.outbox.wanted(post.owner, "match.finished")
    assert not await redis.exists(f"owner:{post.owner}:events")


async def test_an_event_without_an_owner_is_not_stored(post: Post) -> None:
    assert await post.outbox.put("", "match.finished", "m1", News("m1")) == 0
    assert not await post.outbox.wanted("", "match.finished")


async def test_each_webhook_receives_only_the_subscribed_events_of_its_own_owner(
    post: Post, receiver: Receiver
) -> None:
    async with receiving() as other, receiving() as stranger:
        await post.hook(receiver, "match.finished", "bot.disabled")
        await post.hook(other, "match.finished")
        await post.proved(new_id(), stranger.url)
        assert await post.put("m1") == 2
        assert await post.put("b1", "bot.disabled") == 1
        await post.deliver()
        assert sorted(body["type"] for body in receiver.bodies) == ["bot.disabled", "match.finished"]
        assert [body["type"] for body in other.bodies] == ["match.finished"]
        events = {message.partition("_")[2] for message in receiver.ids}
        assert other.ids[0].partition("_")[2] in events, "the same event has the same id everywhere"
        assert other.ids[0] not in receiver.ids, "but the signed message id names the webhook"
        assert stranger.called == []


async def test_events_over_the_limit_of_waiting_deliveries_are_dropped_and_counted(
    post: Post, receiver: Receiver
) -> None:
    hook = await post.hook(receiver)
    put = await asyncio.gather(*(post.put(str(number)) for number in range(MOST_WAITING + 3)))
    assert sum(put) == MOST_WAITING
    seen = await post.hooks.get(post.owner, hook.id)
    assert (seen.waiting, seen.dropped) == (MOST_WAITING, 3)
