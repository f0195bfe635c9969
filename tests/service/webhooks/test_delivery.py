"""Events come to the hooks that want them: once if all goes well, at least once otherwise, and to nobody else.

What is due when goes by a clock that the tests move; nothing here waits for time to pass, but for one call that hangs.
"""

import asyncio
import base64
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from itertools import accumulate
from time import time

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from msgspec.structs import replace
from standardwebhooks import Webhook, WebhookVerificationError

from splito_arena.net.http_client import Caller
from splito_arena.net.http_response import BODY_LIMIT, AnyReader
from splito_arena.net.resolver import Resolver
from splito_arena.net.signing import new_secret
from splito_service.errors import NoRoom, UnknownDelivery, UnknownHook
from splito_service.ids import new_id
from splito_service.signing import Signer
from splito_service.signing_secrets import PREFIX
from splito_service.storage.client import Link
from splito_service.storage.connect import Client
from splito_service.webhooks.delivery import FAILURES, Deliverer, Sender, delivering
from splito_service.webhooks.delivery_store import AT_ONCE, LEASE, MOST_LOGGED, MOST_TRIES, REST, Deliveries
from splito_service.webhooks.model import (
    EVENTS,
    PAUSES,
    DeliveryState,
    Event,
    Logged,
    StoredHook,
    Try,
    enabled,
    proved,
    rotated,
    settled,
)
from splito_service.webhooks.store import DUE, MOST_HOOKS, MOST_WAITING, Hooks, Outbox
from tests.name_server import name_server
from tests.service.receiver import Receiver, answer, receiving

pytestmark = pytest.mark.anyio
HOUR = 3_600_000
REFUSED = Try(at=0, status=None, elapsed_ms=1, error="the connection was refused", response="")


class News(msgspec.Struct):
    """An event of an unknown kind, because the deliverer does not look into events."""

    text: str


class Post:
    """Outbox, deliverer and receiver in one process."""

    def __init__(self, link: Link, caller: Caller) -> None:
        self.link, self.caller, self.signer = link, caller, Signer(link)
        self.hooks, self.deliveries, self.outbox = Hooks(link), Deliveries(link), Outbox(link)
        self.owner = new_id()
        self.now = int(1000 * time())

    def deliverer(self, allow_private: bool = True, limit: float = 60) -> Deliverer:
        sender = Sender(self.signer, self.caller, allow_private, limit)
        return Deliverer(self.hooks, self.deliveries, sender, lambda: self.now)

    async def hook(self, receiver: Receiver, *events: Event) -> StoredHook:
        """Return a hook that has proved itself."""
        made = await self.hooks.create(self.owner, receiver.url, events or EVENTS)
        return await self.hooks.change(made.id, partial(proved, url=made.url))

    async def proved(self, owner: str, url: str) -> StoredHook:
        """Return a hook of that owner that has proved itself."""
        made = await self.hooks.create(owner, url, EVENTS)
        return await self.hooks.change(made.id, partial(proved, url=url))

    async def put(self, subject: str, event: Event = "match.finished") -> int:
        return await self.outbox.put(self.owner, event, subject, News(subject), self.now)

    async def deliver(self, after: int = 0) -> None:
        """Return the deliveries that are due so many milliseconds from now."""
        self.now += after
        await self.deliverer().deliver_due()

    async def log(self, hook: StoredHook) -> list[Logged]:
        rows, _ = await self.deliveries.page(hook.id, None, 1000)
        return rows

    async def only(self, hook: StoredHook) -> Logged:
        (row,) = await self.log(hook)
        return row

    async def look(self, hook: StoredHook) -> tuple[bool, int, int]:
        """Whether it is enabled, what waits, and how much in a row was given up."""
        seen = await self.hooks.get(self.owner, hook.id)
        return seen.hook.enabled, seen.waiting, seen.hook.failures


@pytest.fixture
async def post(link: Link) -> AsyncIterator[Post]:
    """Whatever other tests have left is not delivered in this one."""
    await link.call("DEL", DUE)
    async with Caller(reader=AnyReader) as caller:
        yield Post(link, caller)


@pytest.fixture
async def ada() -> AsyncIterator[Receiver]:
    async with receiving() as receiver:
        yield receiver


async def test_an_event_is_told_at_the_address_as_it_is_and_once(post: Post, ada: Receiver) -> None:
    await post.hook(ada)
    assert await post.put("m1") == 1
    await post.deliver()
    await post.deliver(after=24 * HOUR)
    (called,) = ada.called
    assert called.path == "POST /arena?of=ada HTTP/1.1"
    assert called.headers["content-type"] == "application/json"
    (body,) = ada.bodies
    assert (body["type"], body["data"]) == ("match.finished", {"text": "m1"})
    assert body.keys() == {"type", "timestamp", "data"}


async def test_and_signed_for_everybody_who_cares_to_look(post: Post, ada: Receiver) -> None:
    hook = await post.hook(ada)
    await post.put("m1")
    await post.deliver()
    (called,) = ada.called
    Webhook(hook.secrets.current).verify(called.body, called.headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(hook.secrets.current).verify(called.body + b" ", called.headers)
    _, signed_by_all = called.headers["webhook-signature"].split(" ")
    public = base64.b64decode((await post.signer.public()).removeprefix(PREFIX))
    content = f"{called.headers['webhook-id']}.{called.headers['webhook-timestamp']}.".encode() + called.body
    Ed25519PublicKey.from_public_bytes(public).verify(base64.b64decode(signed_by_all.removeprefix("v1a,")), content)


async def test_while_its_secret_changes_both_are_good(post: Post, ada: Receiver) -> None:
    hook, new = await post.hook(ada), new_secret()
    await post.hooks.change(hook.id, partial(rotated, secret=new))
    await post.put("m1")
    await post.deliver()
    await post.hooks.change(hook.id, settled)
    await post.put("m2")
    await post.deliver()
    during, after = ada.called
    for secret in (hook.secrets.current, new):
        Webhook(secret).verify(during.body, during.headers)
    Webhook(new).verify(after.body, after.headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(hook.secrets.current).verify(after.body, after.headers)


async def test_what_is_put_again_is_the_same_event(post: Post, ada: Receiver) -> None:
    """By a worker that took over from one that was killed, at any time after."""
    await post.hook(ada)
    assert [await post.put("m1"), await post.put("m1"), await post.put("m2")] == [1, 0, 1]
    await post.deliver()
    assert await post.put("m1") == 0
    assert await post.put("m1", "block.rated") == 1, "which is another event"
    await post.deliver()
    assert len(set(ada.ids)) == len(ada.ids) == 3


async def test_of_many_that_put_the_same_at_once_one_does(post: Post, ada: Receiver) -> None:
    await post.hook(ada)
    assert sum(await asyncio.gather(*(post.put("m1") for _ in range(20)))) == 1


async def test_for_an_event_that_nobody_wants_nothing_is_kept(post: Post, ada: Receiver, redis: Client) -> None:
    assert await post.put("m1") == 0
    assert await redis.keys(f"owner:{post.owner}*") == []
    await post.hook(ada, "bot.disabled")
    assert await post.put("m1") == 0
    assert await post.outbox.wanted(post.owner, "bot.disabled")
    assert not await post.outbox.wanted(post.owner, "match.finished")
    assert not await redis.exists(f"owner:{post.owner}:events")


async def test_the_house_is_told_nothing(post: Post) -> None:
    assert await post.outbox.put("", "match.finished", "m1", News("m1")) == 0
    assert not await post.outbox.wanted("", "match.finished")


async def test_every_hook_is_told_what_it_wants_and_of_nobody_elses(post: Post, ada: Receiver) -> None:
    async with receiving() as other, receiving() as stranger:
        await post.hook(ada, "match.finished", "bot.disabled")
        await post.hook(other, "match.finished")
        await post.proved(new_id(), stranger.url)
        assert await post.put("m1") == 2
        assert await post.put("b1", "bot.disabled") == 1
        await post.deliver()
        assert sorted(body["type"] for body in ada.bodies) == ["bot.disabled", "match.finished"]
        assert [body["type"] for body in other.bodies] == ["match.finished"]
        events = {message.partition("_")[2] for message in ada.ids}
        assert other.ids[0].partition("_")[2] in events, "the same event has the same id everywhere"
        assert other.ids[0] not in ada.ids, "but what is signed names the hook"
        assert stranger.called == []


async def test_what_is_not_taken_is_tried_again_after_pauses_that_grow_and_then_given_up(
    post: Post, ada: Receiver
) -> None:
    hook = await post.hook(ada)
    ada.answer = answer(500, b"Oh no")
    await post.put("m1")
    await post.deliver()
    for number, pause in enumerate(PAUSES, 1):
        assert (await post.only(hook)).due == post.now + pause
        await post.deliver(after=pause - 1)
        assert len(ada.called) == number, "not before its time"
        await post.deliver(after=1)
        assert len(ada.called) == number + 1
    await post.deliver(after=100 * HOUR)
    assert len(ada.called) == 1 + len(PAUSES)
    assert len(set(ada.ids)) == 1, "always under the same id"
    assert len({called.body for called in ada.called}) == 1
    row = await post.only(hook)
    assert (row.state, row.due, row.tried) == ("failed", None, 1 + len(PAUSES))
    started = row.tries[0].at
    assert [tried.at - started for tried in row.tries] == [0, *accumulate(PAUSES)]
    assert {(tried.status, tried.error, tried.response) for tried in row.tries} == {
        (500, "the status is 500, not 2xx", "Oh no")
    }
    assert await post.look(hook) == (True, 0, 1)


async def test_what_has_to_be_tried_again_holds_up_nothing_new(post: Post, ada: Receiver) -> None:
    await post.hook(ada)
    ada.answer = answer(500)
    await post.put("m1")
    await post.deliver()
    await post.deliver(after=PAUSES[0])
    await post.deliver(after=REST)
    ada.answer = answer(204)
    await post.put("m2")
    await post.deliver()
    assert [body["data"]["text"] for body in ada.bodies] == ["m1", "m1", "m2"]


async def test_until_it_is_taken(post: Post, ada: Receiver) -> None:
    hook = await post.hook(ada)
    ada.answer = answer(503)
    await post.put("m1")
    await post.deliver()
    ada.answer = answer(200, b"Thanks", "Content-Type: text/plain")
    await post.deliver(after=PAUSES[0])
    await post.deliver(after=24 * HOUR)
    row = await post.only(hook)
    assert [tried.status for tried in row.tries] == [503, 200]
    assert (row.state, row.tries[-1].error, row.tries[-1].response) == ("delivered", None, "Thanks")
    assert await post.look(hook) == (True, 0, 0)


async def give_up(post: Post, *subjects: str) -> None:
    """Nothing of this is taken; and then some time passes."""
    for subject in subjects:
        await post.put(subject)
    await post.deliver()
    for pause in PAUSES:
        await post.deliver(after=pause)
    post.now += REST


async def test_a_hook_that_takes_nothing_for_long_is_disabled_and_told_nothing_more(post: Post, ada: Receiver) -> None:
    hook = await post.hook(ada)
    ada.answer = answer(500)
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


async def test_not_if_it_took_something_in_between(post: Post, ada: Receiver) -> None:
    hook = await post.hook(ada)
    ada.answer = answer(500)
    await give_up(post, *map(str, range(FAILURES - 1)))
    ada.answer = answer(204)
    await post.put("good")
    await post.deliver()
    assert await post.look(hook) == (True, 0, 0)


async def test_what_waits_for_a_disabled_hook_waits_until_it_is_enabled(post: Post, ada: Receiver) -> None:
    hook = await post.hook(ada)
    await post.put("m1")
    await post.hooks.change(hook.id, lambda hook: replace(hook, enabled=False))
    await post.deliver(after=HOUR)
    assert ada.called == []
    assert await post.look(hook) == (False, 1, 0)
    await post.hooks.change(hook.id, enabled)
    await post.deliver()
    assert await post.look(hook) == (True, 0, 0)
    assert len(ada.called) == 1


async def test_a_hook_that_says_it_is_gone_is_believed(post: Post, ada: Receiver) -> None:
    hook = await post.hook(ada)
    ada.answer = answer(410)
    await post.put("m1")
    await post.deliver()
    assert await post.look(hook) == (False, 1, 0)
    assert (await post.hooks.get(post.owner, hook.id)).hook.reason == "it answered 410: it wants nothing more"
    await post.deliver(after=24 * HOUR)
    assert len(ada.called) == 1


async def test_what_a_killed_process_had_under_way_is_sent_by_another_under_the_same_id(
    post: Post, ada: Receiver
) -> None:
    hook = await post.hook(ada)
    await post.put("m1")
    (claim,) = await post.deliveries.claim(10, post.now)
    taken = await post.deliveries.take(claim, post.now)
    assert taken is not None
    await post.put("m2")
    await post.deliver(after=LEASE - 1)
    assert ada.called == [], "as long as it may live"
    await post.deliver(after=1)
    assert f"{hook.id}_{taken[1][0].message}" in ada.ids
    assert len(ada.ids) == 2
    late = await post.deliveries.note(claim, taken[1][0].delivery, REFUSED, PAUSES, post.now)
    assert late is None, "whoever comes late changes nothing"
    assert await post.deliveries.take(claim, post.now) is None
    assert [row.state for row in await post.log(hook)] == ["delivered"] * 2


async def test_a_claim_holds_from_each_time_that_something_is_taken(post: Post, ada: Receiver) -> None:
    await post.hook(ada)
    await post.put("m1")
    (first,) = await post.deliveries.claim(10, post.now)
    assert await post.deliveries.take(first, post.now + LEASE - 1) is not None
    assert await post.deliveries.claim(10, post.now + LEASE) == []
    (second,) = await post.deliveries.claim(10, post.now + 2 * LEASE)
    assert await post.deliveries.take(first, post.now + 2 * LEASE) is None
    assert await post.deliveries.take(second, post.now + 2 * LEASE) is not None


async def test_what_was_forgotten_meanwhile_stays_so(post: Post, ada: Receiver, redis: Client) -> None:
    """A week may be over while something is under way."""
    hook = await post.hook(ada)
    await post.put("m1")
    (claim,) = await post.deliveries.claim(10, post.now)
    taken = await post.deliveries.take(claim, post.now)
    assert taken is not None
    await redis.delete(f"hook:{hook.id}:log:{taken[1][0].delivery}")
    assert await post.deliveries.note(claim, taken[1][0].delivery, REFUSED, PAUSES, post.now) is None
    assert await redis.keys(f"hook:{hook.id}:log*") == []
    assert await post.deliveries.take(claim, post.now) is None
    assert await post.look(hook) == (True, 0, 0)


async def test_many_processes_at_once_send_everything_once(post: Post, ada: Receiver) -> None:
    hook = await post.hook(ada)
    for number in range(5 * AT_ONCE):
        await post.put(str(number))
    await asyncio.gather(*(post.deliverer().deliver_due() for _ in range(4)))
    assert len(ada.ids) == len(set(ada.ids)) == 5 * AT_ONCE
    assert await post.look(hook) == (True, 0, 0)


async def test_a_courier_that_is_stopped_leaves_what_it_had_to_others(post: Post, ada: Receiver) -> None:
    hook = await post.hook(ada)
    ada.answer = None
    await post.put("m1")
    async with delivering(post.deliverer()):
        await ada.came.wait()
    assert await post.look(hook) == (True, 1, 0)
    ada.answer = answer(204)
    await post.deliver(after=LEASE)
    assert len(ada.ids) == 2
    assert len(set(ada.ids)) == 1


async def test_a_hook_that_hangs_holds_up_nobody_else(post: Post, ada: Receiver) -> None:
    async with receiving() as hanging:
        hanging.answer = None
        await post.hook(hanging)
        await post.put("m1")
        deliverer = post.deliverer()
        async with delivering(deliverer):
            await hanging.came.wait()
            await post.hook(ada)
            await post.put("m2")
            await ada.came.wait()
            assert len(hanging.called) == 1, "and there is one at a time for it"


async def test_a_hook_that_takes_nothing_is_left_alone_for_a_while(post: Post, ada: Receiver) -> None:
    await post.hook(ada)
    ada.answer = answer(404)
    for number in range(3 * AT_ONCE):
        await post.put(str(number))
    await post.deliver()
    assert len(ada.called) == AT_ONCE
    await post.put("more")
    await post.deliver(after=REST - 1)
    assert len(ada.called) == AT_ONCE
    await post.deliver(after=1)
    assert len(ada.called) == 2 * AT_ONCE


HOSTILE: dict[str, tuple[bytes | None, DeliveryState, str]] = {
    "a redirect": (answer(302, b"", "Location: http://169.254.169.254/"), "waiting", "redirects are not followed: 302"),
    "a huge body": (answer(200, b"x" * (BODY_LIMIT + 1)), "waiting", "the answer is too large"),
    "a huge head": (answer(200, b"", "X: " + "x" * 100_000), "waiting", "the answer is too large"),
    "a huge promise": (b"HTTP/1.1 200 So\r\nContent-Length: 99999999\r\n\r\n", "waiting", "the answer is too large"),
    "no end": (b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * BODY_LIMIT, "waiting", "no complete answer in time"),
    "no HTTP": (b"220 mail.example ESMTP\r\n\r\n", "waiting", "not correct HTTP/1.1"),
    "silence": (None, "waiting", "no complete answer in time"),
    "switching": (b"HTTP/1.1 101 So\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "waiting", "101"),
    "no JSON": (answer(202, b"\xff\xfe", "Content-Type: text/plain", "Content-Encoding: gzip"), "delivered", ""),
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_whatever_is_answered_is_read_with_care(post: Post, ada: Receiver, name: str) -> None:
    said, state, error = HOSTILE[name]
    hook = await post.hook(ada)
    ada.answer = said
    await post.put("m1")
    await post.deliverer(limit=0.2).deliver_due()
    row = await post.only(hook)
    assert row.state == state
    assert error in (row.tries[0].error or "")
    assert len(ada.called) == 1


async def test_of_a_long_answer_only_the_beginning_is_kept(post: Post, ada: Receiver) -> None:
    hook = await post.hook(ada)
    ada.answer = answer(400, "é".encode() * 5000)
    await post.put("m1")
    await post.deliver()
    assert (await post.only(hook)).tries[0].response == "é" * 500


async def test_where_nobody_listens_the_log_says_so(post: Post) -> None:
    async with receiving() as gone:
        hook = await post.hook(gone)
    await post.put("m1")
    await post.deliver()
    tried = (await post.only(hook)).tries[0]
    assert (tried.status, tried.error) == (None, "the connection was refused")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://127.0.0.1:8080/", "no public address"),
        ("http://[::1]:8080/", "no public address"),
        ("http://169.254.169.254/", "no public address"),
        ("http://93.184.216.34:22/", "port 22 is not called"),
    ],
)
async def test_no_private_address_is_called_and_no_strange_port(post: Post, url: str, said: str) -> None:
    """Nor if it was allowed when the hook was made."""
    hook = await post.proved(post.owner, url)
    await post.put("m1")
    await post.deliverer(allow_private=False).deliver_due()
    tried = (await post.only(hook)).tries[0]
    assert said in (tried.error or "")
    assert tried.status is None


@pytest.mark.parametrize("found", [["127.0.0.1"], ["93.184.216.34", "127.0.0.1"], []], ids=str)
async def test_nor_a_name_that_leads_to_one(post: Post, found: Sequence[str]) -> None:
    """However harmless it was when the hook was made."""
    asked: list[str] = []

    async def lookup(host: str, _: int) -> Sequence[str]:
        asked.append(host)
        return found

    hook = await post.proved(post.owner, "http://rebound.example:8080/")
    await post.put("m1")
    sender = Sender(post.signer, post.caller, False, lookup=lookup)
    await Deliverer(post.hooks, post.deliveries, sender, lambda: post.now).deliver_due()
    assert asked == ["rebound.example"]
    assert "no public address" in ((await post.only(hook)).tries[0].error or "")


@pytest.mark.parametrize("down", [True, False])
async def test_a_name_without_an_answer_counts_against_a_hook_only_if_our_resolver_works(
    post: Post, down: bool
) -> None:
    hook = await post.proved(post.owner, "http://hook.silent.example/")
    await post.put("m1")
    async with name_server() as dns, Resolver([dns.place], limit=1) as resolver:
        dns.down = down
        sender = Sender(post.signer, post.caller, False, lookup=resolver)
        await Deliverer(post.hooks, post.deliveries, sender, lambda: post.now).deliver_due()
    errors = [tried.error or "" for logged in await post.log(hook) for tried in logged.tries]
    assert ["could not be looked up" in error for error in errors] == ([] if down else [True])


async def test_no_more_waits_than_may_and_what_is_dropped_is_counted(post: Post, ada: Receiver) -> None:
    hook = await post.hook(ada)
    put = await asyncio.gather(*(post.put(str(number)) for number in range(MOST_WAITING + 3)))
    assert sum(put) == MOST_WAITING
    seen = await post.hooks.get(post.owner, hook.id)
    assert (seen.waiting, seen.dropped) == (MOST_WAITING, 3)


async def test_the_log_has_the_last_deliveries_and_forgets_the_others(post: Post, ada: Receiver, redis: Client) -> None:
    hook = await post.hook(ada)
    for number in range(MOST_LOGGED + 30):
        await post.put(str(number))
    await post.deliver()
    assert len(ada.called) == MOST_LOGGED + 30
    rows = await post.log(hook)
    assert len(rows) == MOST_LOGGED
    assert [row.id for row in rows] == sorted((row.id for row in rows), reverse=True)
    assert len(await redis.keys(f"hook:{hook.id}:log:*")) == MOST_LOGGED
    for key in await redis.keys(f"hook:{hook.id}:log:*"):
        assert await redis.ttl(key) > 0, "and those in time"


async def test_what_is_still_tried_is_not_forgotten(post: Post, ada: Receiver) -> None:
    hook = await post.hook(ada)
    ada.answer = answer(500)
    await post.put("first")
    await post.deliver()
    await post.deliver(after=PAUSES[0])
    ada.answer = answer(204)
    for number in range(2 * MOST_LOGGED):
        await post.put(str(number))
    await post.deliver(after=REST)
    assert len(await post.log(hook)) == MOST_LOGGED + 1
    await post.deliver(after=PAUSES[1] - REST)
    assert ada.ids.count(ada.ids[0]) == 3
    assert len(await post.log(hook)) == MOST_LOGGED


async def test_of_a_delivery_the_last_tries_are_kept(post: Post, ada: Receiver) -> None:
    hook = await post.hook(ada)
    ada.answer = answer(500)
    await give_up(post, "m1")
    await post.deliveries.again(hook, (await post.only(hook)).id, post.now)
    await give_up(post)
    row = await post.only(hook)
    assert (row.tried, len(row.tries)) == (2 + 2 * len(PAUSES), MOST_TRIES)
    assert row.tries[-1].at == post.now - REST


async def test_the_log_is_read_page_by_page(post: Post, ada: Receiver) -> None:
    hook = await post.hook(ada)
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
async def test_anything_can_be_sent_again_as_it_was(post: Post, ada: Receiver, status: int) -> None:
    hook = await post.hook(ada)
    ada.answer = answer(status)
    await give_up(post, "m1")
    before, row = len(ada.called), await post.only(hook)
    post.now -= REST  # also while the hook is left alone
    again = await post.deliveries.again(hook, row.id, post.now)
    assert (again.state, again.due) == ("waiting", post.now)
    ada.answer = answer(503)
    await post.deliver()
    assert (await post.only(hook)).due == post.now + PAUSES[0], "with as many tries as at first"
    ada.answer = answer(204)
    await post.deliver(after=PAUSES[0])
    assert len(ada.called) == before + 2
    assert len({(called.headers["webhook-id"], called.body) for called in ada.called}) == 1
    assert (await post.only(hook)).state == "delivered"
    assert (await post.only(hook)).tried == before + 2


async def test_what_is_not_there_cannot_be_sent_again(post: Post, ada: Receiver) -> None:
    hook = await post.hook(ada)
    for unknown in (new_id(), "*", ""):
        with pytest.raises(UnknownDelivery):
            await post.deliveries.again(hook, unknown, post.now)
        with pytest.raises(UnknownDelivery):
            await post.deliveries.get(hook.id, unknown)


async def test_nor_what_there_is_no_room_for(post: Post, ada: Receiver) -> None:
    hook = await post.hook(ada)
    await post.put("m1")
    await post.deliver()
    row = await post.only(hook)
    await asyncio.gather(*(post.put(str(number)) for number in range(MOST_WAITING)))
    with pytest.raises(NoRoom):
        await post.deliveries.again(hook, row.id, post.now)


async def test_what_waits_goes_to_where_the_hook_is_now(post: Post, ada: Receiver) -> None:
    async with receiving() as old:
        hook = await post.hook(old)
        await post.put("m1")
        await post.hooks.change(hook.id, lambda hook: replace(hook, url=ada.url, events=("bot.disabled",)))
        await post.deliver()
        assert (len(old.called), len(ada.called)) == (0, 1)
        assert await post.put("m2") == 0


async def test_of_a_hook_that_was_deleted_nothing_is_left(post: Post, ada: Receiver, redis: Client) -> None:
    hook = await post.hook(ada)
    await post.put("m1")
    await post.deliver()
    await post.put("m2")
    await post.hooks.delete(hook)
    assert await redis.keys(f"hook:{hook.id}*") == []
    assert await redis.zscore(DUE, hook.id) is None
    assert await post.put("m3") == 0
    await post.deliver(after=HOUR)
    assert len(ada.called) == 1
    with pytest.raises(UnknownHook):
        await post.hooks.change(hook.id, enabled)


async def test_not_even_while_something_is_under_way_to_it(post: Post, ada: Receiver, redis: Client) -> None:
    hook = await post.hook(ada)
    ada.answer = answer(500)
    await post.put("m1")
    (claim,) = await post.deliveries.claim(1, post.now)
    taken = await post.deliveries.take(claim, post.now)
    assert taken is not None
    await post.hooks.delete(hook)
    assert await post.deliveries.note(claim, taken[1][0].delivery, REFUSED, PAUSES, post.now) is None
    await post.deliveries.rest(claim, post.now)
    assert await redis.keys(f"hook:{hook.id}*") == []
    assert await redis.zscore(DUE, hook.id) is None


async def test_of_two_changes_at_once_none_is_lost(post: Post, ada: Receiver) -> None:
    hook = await post.hook(ada)
    changes: list[Callable[[StoredHook], StoredHook]] = [
        lambda hook: replace(hook, failures=hook.failures + 1) for _ in range(20)
    ]
    await asyncio.gather(*(post.hooks.change(hook.id, change) for change in changes))
    assert await post.look(hook) == (True, 0, 20)


async def test_an_owner_has_so_many_hooks_and_no_more(post: Post, ada: Receiver) -> None:
    made = [await post.hook(ada) for _ in range(MOST_HOOKS)]
    with pytest.raises(NoRoom):
        await post.hook(ada)
    found = [seen.hook for seen in await post.hooks.of_owner(post.owner)]
    assert found == sorted(made, key=lambda hook: hook.id)
