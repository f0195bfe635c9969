"""Events reach the webhooks that subscribe to them: once if all goes well, at least once otherwise.

The tests move the clock that decides when a delivery is due, so that no test waits for time to pass.
"""

import base64
from functools import partial
from itertools import accumulate

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from msgspec.structs import replace
from standardwebhooks import Webhook, WebhookVerificationError

from splito_arena.net.signing import new_secret
from splito_service.signing_secrets import PREFIX
from splito_service.webhooks.delivery import FAILURES
from splito_service.webhooks.delivery_store import AT_ONCE, REST
from splito_service.webhooks.model import (
    PAUSES,
    enabled,
    rotated,
    settled,
)
from tests.service.receiver import Receiver, answer
from tests.service.webhooks.delivery_setup import HOUR, Post, give_up

pytestmark = pytest.mark.anyio


async def test_an_event_is_delivered_once_to_the_url_of_the_webhook(post: Post, receiver: Receiver) -> None:
    await post.hook(receiver)
    assert await post.put("m1") == 1
    await post.deliver()
    await post.deliver(after=24 * HOUR)
    (called,) = receiver.called
    assert called.path == "POST /arena?of=ada HTTP/1.1"
    assert called.headers["content-type"] == "application/json"
    (body,) = receiver.bodies
    assert (body["type"], body["data"]) == ("match.finished", {"text": "m1"})
    assert body.keys() == {"type", "timestamp", "data"}


async def test_a_delivery_is_signed_with_the_secret_and_with_the_public_key_of_the_arena(
    post: Post, receiver: Receiver
) -> None:
    hook = await post.hook(receiver)
    await post.put("m1")
    await post.deliver()
    (called,) = receiver.called
    Webhook(hook.secrets.current).verify(called.body, called.headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(hook.secrets.current).verify(called.body + b" ", called.headers)
    _, signed_by_all = called.headers["webhook-signature"].split(" ")
    public = base64.b64decode((await post.signer.public()).removeprefix(PREFIX))
    content = f"{called.headers['webhook-id']}.{called.headers['webhook-timestamp']}.".encode() + called.body
    Ed25519PublicKey.from_public_bytes(public).verify(base64.b64decode(signed_by_all.removeprefix("v1a,")), content)


async def test_during_a_secret_rotation_a_delivery_is_signed_with_both_secrets(post: Post, receiver: Receiver) -> None:
    hook, new = await post.hook(receiver), new_secret()
    await post.hooks.change(hook.id, partial(rotated, secret=new))
    await post.put("m1")
    await post.deliver()
    await post.hooks.change(hook.id, settled)
    await post.put("m2")
    await post.deliver()
    during, after = receiver.called
    for secret in (hook.secrets.current, new):
        Webhook(secret).verify(during.body, during.headers)
    Webhook(new).verify(after.body, after.headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(hook.secrets.current).verify(after.body, after.headers)


async def test_a_failed_delivery_is_retried_after_growing_pauses_and_then_given_up(
    post: Post, receiver: Receiver
) -> None:
    hook = await post.hook(receiver)
    receiver.answer = answer(500, b"Oh no")
    await post.put("m1")
    await post.deliver()
    for number, pause in enumerate(PAUSES, 1):
        assert (await post.only(hook)).due == post.now + pause
        await post.deliver(after=pause - 1)
        assert len(receiver.called) == number, "not before its time"
        await post.deliver(after=1)
        assert len(receiver.called) == number + 1
    await post.deliver(after=100 * HOUR)
    assert len(receiver.called) == 1 + len(PAUSES)
    assert len(set(receiver.ids)) == 1, "always under the same id"
    assert len({called.body for called in receiver.called}) == 1
    row = await post.only(hook)
    assert (row.state, row.due, row.tried) == ("failed", None, 1 + len(PAUSES))
    started = row.tries[0].at
    assert [tried.at - started for tried in row.tries] == [0, *accumulate(PAUSES)]
    assert {(tried.status, tried.error, tried.response) for tried in row.tries} == {
        (500, "the status is 500, not 2xx", "Oh no")
    }
    assert await post.look(hook) == (True, 0, 1)


async def test_a_delivery_that_waits_for_a_retry_does_not_delay_new_events(post: Post, receiver: Receiver) -> None:
    await post.hook(receiver)
    receiver.answer = answer(500)
    await post.put("m1")
    await post.deliver()
    await post.deliver(after=PAUSES[0])
    await post.deliver(after=REST)
    receiver.answer = answer(204)
    await post.put("m2")
    await post.deliver()
    assert [body["data"]["text"] for body in receiver.bodies] == ["m1", "m1", "m2"]


async def test_retries_end_when_the_receiver_accepts_the_delivery(post: Post, receiver: Receiver) -> None:
    hook = await post.hook(receiver)
    receiver.answer = answer(503)
    await post.put("m1")
    await post.deliver()
    receiver.answer = answer(200, b"Thanks", "Content-Type: text/plain")
    await post.deliver(after=PAUSES[0])
    await post.deliver(after=24 * HOUR)
    row = await post.only(hook)
    assert [tried.status for tried in row.tries] == [503, 200]
    assert (row.state, row.tries[-1].error, row.tries[-1].response) == ("delivered", None, "Thanks")
    assert await post.look(hook) == (True, 0, 0)


async def test_a_webhook_is_disabled_after_too_many_given_up_deliveries_in_a_row(
    post: Post, receiver: Receiver
) -> None:
    hook = await post.hook(receiver)
    receiver.answer = answer(500)
    await give_up(post, *map(str, range(FAILURES - 1)))
    assert await post.look(hook) == (True, 0, FAILURES - 1)
    await give_up(post, "last")
    assert await post.look(hook) == (False, 0, FAILURES)
    seen = await post.hooks.get(post.owner, hook.id)
    assert seen.hook.reason == "5 deliveries in a row given up: the status is 500, not 2xx"
    assert await post.put("more") == 0
    await post.hooks.change(hook.id, enabled)
    assert await post.look(hook) == (True, 0, 0)
    assert await post.put("and more") == 1


async def test_a_delivered_event_resets_the_count_of_given_up_deliveries(post: Post, receiver: Receiver) -> None:
    hook = await post.hook(receiver)
    receiver.answer = answer(500)
    await give_up(post, *map(str, range(FAILURES - 1)))
    receiver.answer = answer(204)
    await post.put("good")
    await post.deliver()
    assert await post.look(hook) == (True, 0, 0)


async def test_deliveries_of_a_disabled_webhook_wait_until_it_is_enabled(post: Post, receiver: Receiver) -> None:
    hook = await post.hook(receiver)
    await post.put("m1")
    await post.hooks.change(hook.id, lambda hook: replace(hook, enabled=False))
    await post.deliver(after=HOUR)
    assert receiver.called == []
    assert await post.look(hook) == (False, 1, 0)
    await post.hooks.change(hook.id, enabled)
    await post.deliver()
    assert await post.look(hook) == (True, 0, 0)
    assert len(receiver.called) == 1


async def test_a_webhook_that_answers_410_is_disabled_at_once(post: Post, receiver: Receiver) -> None:
    hook = await post.hook(receiver)
    receiver.answer = answer(410)
    await post.put("m1")
    await post.deliver()
    assert await post.look(hook) == (False, 1, 0)
    assert (await post.hooks.get(post.owner, hook.id)).hook.reason == "it answered 410, which ends its events"
    await post.deliver(after=24 * HOUR)
    assert len(receiver.called) == 1


async def test_a_webhook_that_fails_a_batch_of_deliveries_rests_before_the_next(post: Post, receiver: Receiver) -> None:
    await post.hook(receiver)
    receiver.answer = answer(404)
    for number in range(3 * AT_ONCE):
        await post.put(str(number))
    await post.deliver()
    assert len(receiver.called) == AT_ONCE
    await post.put("more")
    await post.deliver(after=REST - 1)
    assert len(receiver.called) == AT_ONCE
    await post.deliver(after=1)
    assert len(receiver.called) == 2 * AT_ONCE
