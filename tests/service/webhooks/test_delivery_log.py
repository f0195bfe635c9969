"""The delivery log keeps the latest deliveries of a webhook, and any of them can be sent again."""

import asyncio

import pytest

from splito_service.errors import NoRoom, UnknownDelivery
from splito_service.ids import new_id
from splito_service.storage.connect import Client
from splito_service.webhooks.delivery_store import MOST_LOGGED, MOST_TRIES, REST
from splito_service.webhooks.model import (
    PAUSES,
)
from splito_service.webhooks.store import MOST_WAITING
from tests.service.receiver import Receiver, answer
from tests.service.webhooks.delivery_setup import Post, give_up

pytestmark = pytest.mark.anyio


async def test_the_log_keeps_the_latest_deliveries_and_drops_older_ones(
    post: Post, receiver: Receiver, redis: Client
) -> None:
    hook = await post.hook(receiver)
    for number in range(MOST_LOGGED + 30):
        await post.put(str(number))
    await post.deliver()
    assert len(receiver.called) == MOST_LOGGED + 30
    rows = await post.log(hook)
    assert len(rows) == MOST_LOGGED
    assert [row.id for row in rows] == sorted((row.id for row in rows), reverse=True)
    assert len(await redis.keys(f"hook:{hook.id}:log:*")) == MOST_LOGGED
    for key in await redis.keys(f"hook:{hook.id}:log:*"):
        assert await redis.ttl(key) > 0, "and those in time"


async def test_a_delivery_that_is_still_retried_stays_in_the_log(post: Post, receiver: Receiver) -> None:
    hook = await post.hook(receiver)
    receiver.answer = answer(500)
    await post.put("first")
    await post.deliver()
    await post.deliver(after=PAUSES[0])
    receiver.answer = answer(204)
    for number in range(2 * MOST_LOGGED):
        await post.put(str(number))
    await post.deliver(after=REST)
    assert len(await post.log(hook)) == MOST_LOGGED + 1
    await post.deliver(after=PAUSES[1] - REST)
    assert receiver.ids.count(receiver.ids[0]) == 3
    assert len(await post.log(hook)) == MOST_LOGGED


async def test_the_log_keeps_the_latest_tries_of_a_delivery(post: Post, receiver: Receiver) -> None:
    hook = await post.hook(receiver)
    receiver.answer = answer(500)
    await give_up(post, "m1")
    await post.deliveries.again(hook, (await post.only(hook)).id, post.now)
    await give_up(post)
    row = await post.only(hook)
    assert (row.tried, len(row.tries)) == (2 + 2 * len(PAUSES), MOST_TRIES)
    assert row.tries[-1].at == post.now - REST


async def test_the_stored_log_is_read_page_by_page(post: Post, receiver: Receiver) -> None:
    hook = await post.hook(receiver)
    for number in range(5):
        await post.put(str(number))
    await post.deliver()
    everything, cursor, pages = [row.id for row in await post.log(hook)], None, list[list[str]]()
    for _ in range(3):
        rows, cursor = await post.deliveries.page(hook.id, cursor, 2)
        pages.append([row.id for row in rows])
    assert pages == [everything[:2], everything[2:4], everything[4:]]
    assert cursor is None


@pytest.mark.parametrize("status", [204, 500])
async def test_a_delivery_can_be_sent_again_with_the_same_id_and_body(
    post: Post, receiver: Receiver, status: int
) -> None:
    hook = await post.hook(receiver)
    receiver.answer = answer(status)
    await give_up(post, "m1")
    before, row = len(receiver.called), await post.only(hook)
    post.now -= REST  # also while the hook is left alone
    again = await post.deliveries.again(hook, row.id, post.now)
    assert (again.state, again.due) == ("waiting", post.now)
    receiver.answer = answer(503)
    await post.deliver()
    assert (await post.only(hook)).due == post.now + PAUSES[0], "with as many tries as at first"
    receiver.answer = answer(204)
    await post.deliver(after=PAUSES[0])
    assert len(receiver.called) == before + 2
    assert len({(called.headers["webhook-id"], called.body) for called in receiver.called}) == 1
    assert (await post.only(hook)).state == "delivered"
    assert (await post.only(hook)).tried == before + 2


async def test_an_unknown_delivery_cannot_be_sent_again(post: Post, receiver: Receiver) -> None:
    hook = await post.hook(receiver)
    for unknown in (new_id(), "*", ""):
        with pytest.raises(UnknownDelivery):
            await post.deliveries.again(hook, unknown, post.now)
        with pytest.raises(UnknownDelivery):
            await post.deliveries.get(hook.id, unknown)


async def test_a_redelivery_is_refused_if_too_many_deliveries_wait(post: Post, receiver: Receiver) -> None:
    hook = await post.hook(receiver)
    await post.put("m1")
    await post.deliver()
    row = await post.only(hook)
    await asyncio.gather(*(post.put(str(number)) for number in range(MOST_WAITING)))
    with pytest.raises(NoRoom):
        await post.deliveries.again(hook, row.id, post.now)
