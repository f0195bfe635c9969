"""The deliverer reads every response with limits, and never calls a private address."""

from collections.abc import Sequence

import pytest

from splito_arena.net.http_response import BODY_LIMIT
from splito_arena.net.resolver import Resolver
from splito_service.webhooks.delivery import Deliverer, Sender
from splito_service.webhooks.model import (
    DeliveryState,
)
from tests.name_server import name_server
from tests.service.receiver import Receiver, answer, receiving
from tests.service.webhooks.delivery_setup import Post

pytestmark = pytest.mark.anyio


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
async def test_a_hostile_response_is_read_with_limits_and_logged(post: Post, receiver: Receiver, name: str) -> None:
    said, state, error = HOSTILE[name]
    hook = await post.hook(receiver)
    receiver.answer = said
    await post.put("m1")
    await post.deliverer(limit=0.2).deliver_due()
    row = await post.only(hook)
    assert row.state == state
    assert error in (row.tries[0].error or "")
    assert len(receiver.called) == 1


async def test_the_log_keeps_the_first_500_characters_of_a_response(post: Post, receiver: Receiver) -> None:
    hook = await post.hook(receiver)
    receiver.answer = answer(400, "é".encode() * 5000)
    await post.put("m1")
    await post.deliver()
    assert (await post.only(hook)).tries[0].response == "é" * 500


async def test_the_log_shows_that_a_connection_was_refused(post: Post) -> None:
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
async def test_a_delivery_to_a_private_address_or_an_unusual_port_is_refused(post: Post, url: str, said: str) -> None:
    """Nor if it was allowed when the hook was made."""
    hook = await post.proved(post.owner, url)
    await post.put("m1")
    await post.deliverer(allow_private=False).deliver_due()
    tried = (await post.only(hook)).tries[0]
    assert said in (tried.error or "")
    assert tried.status is None


@pytest.mark.parametrize("found", [["127.0.0.1"], ["93.184.216.34", "127.0.0.1"], []], ids=str)
async def test_a_delivery_to_a_host_name_with_a_private_address_is_refused(post: Post, found: Sequence[str]) -> None:
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
async def test_a_failed_name_lookup_counts_as_a_failed_try_only_if_our_name_servers_work(
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
