"""A hook is told nothing, and nothing is kept for it, before its address has shown that it knows the hook's secret."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import httpx
import msgspec
import pytest
from msgspec.structs import replace

from splito_arena.net.http_client import Caller
from splito_arena.net.http_response import AnyReader
from splito_arena.net.signing import new_secret
from splito_service.errors import NotProved
from splito_service.ids import new_id
from splito_service.processes.embedded_redis import open_server
from splito_service.retention.sweeper import Sweeper
from splito_service.settings import Settings
from splito_service.signing import Signer
from splito_service.storage.client import Link
from splito_service.tournaments.announce import Announcer
from splito_service.webhooks.delivery import Deliverer, Sender
from splito_service.webhooks.delivery_store import Deliveries
from splito_service.webhooks.model import EVENTS, PROOF_MS, PROOFS, StoredHook, proved, rotated
from splito_service.webhooks.proof import HookProver, network_of
from splito_service.webhooks.schemas import BotDisabled
from splito_service.webhooks.store import UNPROVED, Hooks, Outbox
from tests.service.matches.test_api import problem
from tests.service.owners.test_keys import Ada
from tests.service.polling import Places
from tests.service.process import running
from tests.service.pushed import PushBot, serving
from tests.service.webhooks.owned_hooks import OwnHook, a_tournament

FREE = 1
"""A port at which nothing listens."""


async def put(url: str, hook: OwnHook) -> int:
    """Return for how many hooks an event waits that the owner of the hook is told of."""
    async with Link(url) as link:
        await Announcer(Outbox(link)).tournament_ended(a_tournament(hook.owner), 12)
    return hook.look()["waiting"]


@pytest.mark.anyio
async def test_a_new_webhook_receives_no_event_before_its_url_meets_the_challenge(
    ada: Ada, told: PushBot, places: Places
) -> None:
    hook = OwnHook(ada, f"{told.url}/arena")
    assert not hook.made["proved"]
    assert hook.made["expires"] > hook.made["created"]
    assert await put(places.redis, hook) == 0
    assert hook.ask("GET", "/deliveries").json()["deliveries"] == []
    assert told.called == []
    told.secret = hook.secret
    proof = hook.ask("POST", "/proof").json()
    assert (proof["proved"], proof["expires"]) == (True, None)
    (challenge,) = told.called
    assert challenge.path == "/arena"
    assert msgspec.json.decode(challenge.body)["type"] == "hook.challenge"
    await put(places.redis, hook)
    (delivery,) = hook.deliveries()
    assert delivery["event"] == "tournament.finished"


ANSWERS: dict[str, dict[str, Any]] = {
    "another secret": {"secret": new_secret()},
    "another status": {"status": 204},
    "a redirect": {"status": 302},
    "a failure": {"status": 500},
}


@pytest.mark.anyio
@pytest.mark.parametrize("what", ANSWERS)
async def test_a_url_that_fails_the_challenge_receives_no_event(
    ada: Ada, told: PushBot, places: Places, what: str
) -> None:
    hook = OwnHook(ada, f"{told.url}/arena")
    told.secret = hook.secret
    for name, value in ANSWERS[what].items():
        setattr(told, name, value)
    refused = problem(hook.ask("POST", "/proof"), 409, "not-proved")
    assert refused["field"] == "url"
    assert len(told.called) == 1, "one challenge, and no redirect followed"
    assert not hook.look()["proved"]
    assert await put(places.redis, hook) == 0


def test_a_failed_proof_says_whether_secret_or_status_is_wrong(ada: Ada, told: PushBot) -> None:
    hook = OwnHook(ada, f"{told.url}/arena")
    told.secret = new_secret()
    refused = hook.ask("POST", "/proof").text
    told.status = 418
    assert "answer it with the secret" in refused
    assert "418" in hook.ask("POST", "/proof").json()["detail"]


@pytest.mark.anyio
async def test_a_webhook_with_a_new_url_must_be_proved_again(ada: Ada, told: PushBot, places: Places) -> None:
    hook = OwnHook(ada, f"{told.url}/arena").prove(told)
    same = {"url": f"{told.url}/arena", "events": [*EVENTS], "note": "other"}
    assert hook.ask("PUT", "", same).json()["proved"], "other words, the same address"
    moved = hook.ask("PUT", "", {**same, "url": f"{told.url}/elsewhere"}).json()
    assert not moved["proved"]
    assert moved["expires"] is not None
    assert await put(places.redis, hook) == 0
    assert hook.ask("PUT", "", {**same, "url": f"{told.url}/elsewhere"}).json()["expires"] == moved["expires"]
    hook.prove(told)
    await put(places.redis, hook)
    hook.deliveries()
    assert [called.path for called in told.called] == ["/elsewhere"]


@pytest.mark.anyio
async def test_a_delivery_is_not_resent_to_a_new_url_before_it_is_proved(
    ada: Ada, told: PushBot, places: Places
) -> None:
    hook = OwnHook(ada, f"{told.url}/arena").prove(told)
    await put(places.redis, hook)
    (delivery,) = hook.deliveries()
    with serving() as stranger:
        hook.ask("PUT", "", {"url": stranger.url, "events": [*EVENTS]})
        problem(hook.ask("POST", f"/deliveries/{delivery['id']}/redelivery"), 409, "not-proved")
        async with Link(places.redis) as link, Caller(reader=AnyReader) as caller:
            await Deliverer(Hooks(link), Deliveries(link), Sender(Signer(link), caller, True)).deliver_due()
        assert stranger.called == []


async def moved_with_a_delivery(link: Link, url: str) -> tuple[StoredHook, StoredHook, str]:
    """Return a proved hook, the same hook after it moved to another URL, and a delivery that waits for it."""
    hooks, owner = Hooks(link), new_id()
    made = await hooks.create(owner, "https://ada.example/", EVENTS)
    seen = await hooks.change(made.id, partial(proved, url=made.url))
    await Outbox(link).put(owner, "bot.disabled", made.id, BotDisabled(bot=new_id(), name="", version=None, reason=""))
    (delivery,) = await link.call("ZRANGE", f"hook:{made.id}:waiting", 0, -1)
    moved = await hooks.change(made.id, lambda hook: replace(hook, url=url, proved=False))
    return seen, moved, delivery.decode()


@pytest.mark.anyio
async def test_waiting_deliveries_of_a_moved_webhook_are_sent_only_after_the_new_proof(
    link: Link, told: PushBot
) -> None:
    _, moved, _ = await moved_with_a_delivery(link, told.url)
    async with Caller(reader=AnyReader) as caller:
        deliverer = Deliverer(Hooks(link), Deliveries(link), Sender(Signer(link), caller, True))
        await deliverer.deliver_due()
        assert told.called == []
        await Hooks(link).change(moved.id, partial(proved, url=told.url))
        await deliverer.deliver_due()
    assert len(told.called) == 1


@pytest.mark.anyio
async def test_a_redelivery_requested_while_the_webhook_moves_is_refused(link: Link, told: PushBot) -> None:
    seen, _, delivery = await moved_with_a_delivery(link, told.url)
    assert seen.proved, "as a request has seen it that came before the move"
    with pytest.raises(NotProved):
        await Deliveries(link).again(seen, delivery)
    async with Caller(reader=AnyReader) as caller:
        await Deliverer(Hooks(link), Deliveries(link), Sender(Signer(link), caller, True)).deliver_due()
    assert told.called == []


def test_challenges_are_limited_per_owner_and_per_network(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Many owners do not get one address called more often, and one owner does not get many called."""
    settings = {"SPLITO_ALLOW_PRIVATE_BOTS": "1", "SPLITO_HEALTH_SECONDS": "0", "SPLITO_CREATE_RATE": "1000"}
    with (
        open_server(tmp_path_factory.mktemp("counted")) as server,
        running(server.url, settings) as process,
        httpx.Client(base_url=process.url, timeout=60) as api,
        serving() as victim,
    ):
        hooks = [OwnHook(Ada(api), f"{victim.url}/{number}") for number in range(5 * PROOFS)]
        said = [hook.ask("POST", "/proof") for hook in hooks]
        assert said[-1].json()["code"] == "too-many-requests"
        assert 0 < len(victim.called) <= 2 * PROOFS, "two minutes may be touched"
        owner = Ada(api)
        own = [OwnHook(owner, f"http://127.0.0.{number}:{FREE}/") for number in range(10, 15)]
        codes = [hook.ask("POST", "/proof").json()["code"] for hook in own for _ in range(PROOFS)]
        assert {*codes} == {"not-proved", "too-many-requests"}
        assert codes.count("not-proved") <= 2 * PROOFS


def test_ipv4_addresses_count_alone_and_ipv6_addresses_by_their_64_prefix() -> None:
    assert network_of("93.184.216.34") == "93.184.216.34"
    assert network_of("2606:4700:1:2:3::1") == network_of("2606:4700:1:2:ffff::9") != network_of("2606:4700:1:3::1")


@pytest.mark.anyio
async def test_a_private_address_is_not_challenged(link: Link) -> None:
    hooks = Hooks(link)
    asked: list[str] = []

    async def lookup(host: str, _: int) -> Sequence[str]:
        asked.append(host)
        return ["93.184.216.34", "10.0.0.1"]

    async def permit(_: str) -> None:
        raise AssertionError("nothing is sent there")

    async with Caller(reader=AnyReader) as caller:
        prover = HookProver(hooks, Sender(Signer(link), caller, False, lookup=lookup))
        for url in ("http://rebound.example/", "http://127.0.0.1:8080/", "http://169.254.169.254/"):
            with pytest.raises(NotProved, match="no public address"):
                await prover.prove(await hooks.create(new_id(), url, EVENTS), permit)
    assert asked == ["rebound.example"]


@pytest.mark.anyio
async def test_during_a_secret_rotation_either_secret_meets_the_challenge(link: Link, told: PushBot) -> None:
    async def permit(_: str) -> None:
        pass

    hooks, new = Hooks(link), new_secret()
    async with Caller(reader=AnyReader) as caller:
        prover = HookProver(hooks, Sender(Signer(link), caller, True))
        made = await hooks.create(new_id(), told.url, EVENTS)
        changed = await hooks.change(made.id, partial(rotated, secret=new))
        for secret in (made.secrets.current, new):
            told.secret = secret
            assert (await prover.prove(changed, permit)).proved
        told.meanwhile = lambda: None
        moved = await hooks.change(made.id, lambda hook: replace(hook, url=f"{told.url}/b", proved=False))
        with pytest.raises(NotProved, match="changed meanwhile"):
            await prover.prove(changed, permit)
        assert not (await hooks.get(moved.owner, moved.id)).hook.proved


@pytest.mark.anyio
async def test_a_webhook_that_is_not_proved_in_time_is_deleted(link: Link) -> None:
    hooks, owner, sweeper = Hooks(link), new_id(), Sweeper(link, Settings(), ())
    late, new, good = [await hooks.create(owner, "https://ada.example/", EVENTS) for _ in range(3)]
    await hooks.change(good.id, partial(proved, url=good.url))
    expires = (await hooks.get(owner, late.id)).expires
    assert expires is not None
    await sweeper.sweep()
    assert len(await hooks.of_owner(owner)) == 3
    await link.call("ZADD", UNPROVED, expires - PROOF_MS - 1, late.id)
    await sweeper.sweep()
    left = {seen.hook.id for seen in await hooks.of_owner(owner)}  # unordered: ids of one millisecond sort by chance
    assert left == {new.id, good.id}
    assert await link.call("ZSCORE", UNPROVED, late.id) is None


@pytest.mark.anyio
async def test_a_webhook_that_is_proved_at_the_last_moment_is_not_deleted(link: Link) -> None:
    hooks = Hooks(link)
    made = await hooks.create(new_id(), "https://ada.example/", EVENTS)
    seen = await link.call("GET", f"hook:{made.id}")
    await hooks.change(made.id, partial(proved, url=made.url))
    assert not await hooks.delete(made, seen), "it was seen before it proved itself"
    assert (await hooks.get(made.owner, made.id)).hook.proved


@pytest.mark.anyio
async def test_a_webhook_stored_by_a_version_without_proofs_counts_as_proved(link: Link) -> None:
    hooks = Hooks(link)
    made = await hooks.create(new_id(), "https://ada.example/", EVENTS)
    stored = msgspec.to_builtins(made)
    del stored["proved"]
    await link.call("SET", f"hook:{made.id}", msgspec.json.encode(stored))
    assert (await hooks.get(made.owner, made.id)).hook.proved
