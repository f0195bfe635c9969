"""Bots are registered, prove that they are their owner's, change their secrets without a gap, and are looked after."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any, NamedTuple

import httpx
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from msgspec.structs import replace
from standardwebhooks import Webhook, WebhookVerificationError

from splito_arena.net.http_client import Caller
from splito_arena.net.signing import read_secret
from splito_service.bots.model import Registered
from splito_service.bots.registry import FAILURES, Registry
from splito_service.bots.store import MOST_BOTS, Bots
from splito_service.processes.embedded_redis import open_server
from splito_service.signing import Signer
from splito_service.signing_secrets import PREFIX
from splito_service.storage.client import Link
from tests.service.matches.test_api import problem
from tests.service.owners.test_keys import Ada
from tests.service.process import NO_LIMITS, running
from tests.service.pushed import INFO, Called, PushBot, serving

PRIVATE = {**NO_LIMITS, "SPLITO_ALLOW_PRIVATE_BOTS": "1", "SPLITO_HEALTH_SECONDS": "0"}
MINUTE = 60
UNKNOWN = "0" * 24


class Places(NamedTuple):
    url: str
    redis: str


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    """A service that may call bots on this machine, and looks at none unless a test does."""
    with open_server(tmp_path_factory.mktemp("bots")) as server, running(server.url, PRIVATE) as process:
        yield Places(process.url, server.url)


@pytest.fixture
def ada(places: Places) -> Iterator[Ada]:
    with httpx.Client(base_url=places.url, timeout=60) as api:
        yield Ada(api)


@pytest.fixture
def served() -> Iterator[PushBot]:
    with serving() as bot:
        yield bot


class Marvin:
    """A bot as its owner sees it."""

    def __init__(self, owner: Ada, url: str | None = None) -> None:
        kind = {"kind": "push", "url": url} if url else {"kind": "pull"}
        answer = owner.ask("POST", "/v1/bots", {"name": "Marvin", "open_to": "everybody", **kind})
        assert answer.status_code == 201, answer.text
        self.owner, self.path = owner, answer.headers["Location"]
        self.made = answer.json()["bot"]
        self.secret: str = answer.json()["secret"]

    def ask(self, method: str, path: str = "", body: Any = None) -> httpx.Response:
        return self.owner.ask(method, self.path + path, body)

    def look(self) -> Any:
        answer = self.ask("GET")
        assert answer.status_code == 200, answer.text
        return answer.json()

    def prove(self) -> Any:
        answer = self.ask("POST", "/proof")
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture
def marvin(ada: Ada, served: PushBot) -> Marvin:
    """Registered, but nothing more."""
    marvin = Marvin(ada, served.url)
    served.secret = marvin.secret
    return marvin


def test_a_new_bot_is_seen_by_everybody_but_only_in_part(marvin: Marvin, served: PushBot) -> None:
    own = marvin.look()
    assert own == marvin.made
    assert own["own"] == {"url": served.url, "reason": None, "failures": 0, "passed": None, "two_secrets": False}
    public = marvin.owner.api.get(marvin.path)
    assert public.json() == {**own, "own": None}
    assert served.url not in public.text
    assert marvin.secret not in marvin.ask("GET").text
    assert (own["state"], own["version"], own["games"], own["owner"]["name"]) == ("new", None, [], "Ada")
    assert served.called == []


def test_a_bot_that_knows_the_secret_is_ready(marvin: Marvin, served: PushBot) -> None:
    proved = marvin.prove()
    assert (proved["state"], proved["version"], proved["games"]) == ("ready", "1.0", ["splito"])
    assert proved["info"] == {**INFO, "batch": 0, "concurrency": 1, "notices": False, "ed25519": False, "contract": 1}
    assert served.paths == ["/info", "/challenge"]
    assert marvin.look() == proved


def _fails(served: PushBot, **what: Any) -> None:
    for name, value in what.items():
        setattr(served, name, value)


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ({"secret": "whsec_" + 32 * "A"}, "challenge was not met"),
        ({"status": 500}, "status is not 200: 500"),
        ({"status": 302}, "redirects are not followed"),
        ({"info": "Marvin"}, "Expected `object`, got `str`"),
        ({"info": {**INFO, "games": []}}, "length >= 1"),
        ({"info": {**INFO, "colour": "red"}}, "colour"),
        ({"info": {**INFO, "name": "\u3164"}}, "a name must show something"),
    ],
)
def test_a_bot_that_does_not_prove_itself_is_told_what_it_did(
    marvin: Marvin, served: PushBot, what: dict[str, Any], said: str
) -> None:
    _fails(served, **what)
    refused = problem(marvin.ask("POST", "/proof"), 409, "not-proved")
    assert said in refused["detail"]
    assert marvin.look() == marvin.made


def test_where_nobody_listens_nothing_is_proved(ada: Ada) -> None:
    with serving() as gone:
        marvin = Marvin(ada, gone.url)
    assert "refused" in problem(marvin.ask("POST", "/proof"), 409, "not-proved")["detail"]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "10.0.0.1", "169.254.169.254"])
def test_a_private_address_is_not_called_unless_it_was_allowed(api: httpx.Client, served: PushBot, host: str) -> None:
    marvin = Marvin(Ada(api), served.url.replace("127.0.0.1", host))
    refused = problem(marvin.ask("POST", "/proof"), 409, "not-proved")
    assert "has no public address" in refused["detail"]
    assert served.called == []


def test_that_it_was_allowed_is_said_loudly(redis_url: str, capfd: pytest.CaptureFixture[str]) -> None:
    with running(redis_url, NO_LIMITS):
        pass
    assert "PRIVATE" not in capfd.readouterr().err
    with running(redis_url, PRIVATE):
        pass
    assert "WARNING splito.services: SPLITO_ALLOW_PRIVATE_BOTS=1: BOTS MAY" in capfd.readouterr().err


@pytest.mark.parametrize(
    "wanted",
    [
        {"kind": "push"},
        {"kind": "push", "url": "marvin.example"},
        {"kind": "push", "url": "ftp://marvin.example"},
        {"kind": "push", "url": "http://ada@marvin.example"},
        {"kind": "push", "url": "http://marvin.example:65536"},
        {"kind": "push", "url": "http://0x7f.1/"},
        {"kind": "push", "url": "http://marvin.example/#x"},
        {"kind": "pull", "url": "http://marvin.example"},
    ],
)
def test_an_address_can_be_read_in_one_way_only(ada: Ada, wanted: dict[str, str]) -> None:
    refused = problem(ada.ask("POST", "/v1/bots", {"name": "Marvin", **wanted}), 409, "bad-address")
    assert refused["field"] == "url"
    assert ada.api.get("/v1/bots", params={"owner": ada.made["id"]}).json()["bots"] == []


def test_only_some_ports_are_called_unless_private_addresses_are_too(ada: Ada, api: httpx.Client) -> None:
    wanted = {"name": "Marvin", "kind": "push", "url": "http://marvin.example:22"}
    refused = problem(Ada(api).ask("POST", "/v1/bots", wanted), 409, "bad-address")
    assert "port 22 is not called" in refused["detail"]
    assert ada.ask("POST", "/v1/bots", wanted).status_code == 201


def test_at_another_address_it_is_new_again(marvin: Marvin, served: PushBot) -> None:
    proved = marvin.prove()
    renamed = marvin.ask("PUT", "", {"name": "Marvin II", "url": served.url}).json()
    assert renamed == {**proved, "name": "Marvin II"}
    moved = marvin.ask("PUT", "", {"name": "Marvin II", "url": f"{served.url}/elsewhere"}).json()
    assert (moved["state"], moved["info"], moved["own"]["url"]) == ("new", None, f"{served.url}/elsewhere")
    problem(marvin.ask("PUT", "", {"name": "Marvin II", "url": "http://ada@marvin.example"}), 409, "bad-address")
    assert marvin.look() == moved


def test_what_was_proved_of_another_address_is_worth_nothing(marvin: Marvin, served: PushBot) -> None:
    with serving() as other:
        served.meanwhile = lambda: marvin.ask("PUT", "", {"name": "Marvin", "url": other.url})
        assert "changed meanwhile" in problem(marvin.ask("POST", "/proof"), 409, "not-proved")["detail"]
        assert (marvin.look()["state"], marvin.look()["own"]["url"]) == ("new", other.url)


def test_a_pull_bot_is_what_its_owner_says(ada: Ada) -> None:
    trillian = Marvin(ada)
    assert trillian.secret is None
    described = trillian.ask("PUT", "/info", INFO)
    assert (described.json()["state"], described.json()["games"]) == ("ready", ["splito"])
    problem(trillian.ask("PUT", "/info", {**INFO, "games": []}), 400, "bad-request")
    problem(trillian.ask("PUT", "/info", {**INFO, "author": "\x1b[2J"}), 409, "bad-name")
    problem(trillian.ask("POST", "/proof"), 409, "wrong-kind")
    problem(trillian.ask("POST", "/secret"), 409, "wrong-kind")
    problem(trillian.ask("DELETE", "/secret"), 409, "wrong-kind")


def test_a_push_bot_speaks_for_itself(marvin: Marvin) -> None:
    problem(marvin.ask("PUT", "/info", INFO), 409, "wrong-kind")
    assert marvin.look() == marvin.made


def test_nobody_touches_what_is_somebody_elses(marvin: Marvin, served: PushBot) -> None:
    bob = Ada(marvin.owner.api)
    tries = [
        ("DELETE", ""),
        ("PUT", ""),
        ("POST", "/proof"),
        ("PUT", "/info"),
        ("POST", "/secret"),
        ("DELETE", "/secret"),
    ]
    for method, path in tries:
        problem(bob.ask(method, marvin.path + path), 403, "wrong-owner")
        problem(bob.ask(method, f"/v1/bots/{UNKNOWN}{path}"), 404, "unknown-bot")
    assert bob.ask("GET", marvin.path).json()["own"] is None
    assert marvin.look() == marvin.made
    assert served.called == []


def test_a_bot_that_was_deleted_is_gone(marvin: Marvin) -> None:
    marvin.prove()
    assert marvin.ask("DELETE").status_code == 204
    problem(marvin.ask("GET"), 404, "unknown-bot")
    problem(marvin.ask("POST", "/proof"), 404, "unknown-bot")
    assert marvin.owner.api.get("/v1/bots", params={"owner": marvin.owner.made["id"]}).json()["bots"] == []


def test_bots_are_listed_page_by_page_the_newest_first(ada: Ada) -> None:
    made = [Marvin(ada).made["id"] for _ in range(5)]
    cursor: dict[str, str] = {}
    for page in ([4, 3], [2, 1], [0]):
        found = ada.api.get("/v1/bots", params={"owner": ada.made["id"], "limit": 2, **cursor}).json()
        assert [bot["id"] for bot in found["bots"]] == [made[number] for number in page]
        cursor = {"cursor": found["next"]}
    assert found["next"] is None
    newest = ada.api.get("/v1/bots", params={"limit": 1}).json()["bots"][0]
    assert newest == {name: Marvin(ada).made[name] for name in newest} | {"id": made[-1], "created": newest["created"]}


def test_an_owner_has_so_many_bots_and_no_more(ada: Ada) -> None:
    for _ in range(MOST_BOTS):
        Marvin(ada)
    problem(ada.ask("POST", "/v1/bots", {"name": "Marvin", "kind": "pull"}), 409, "no-room")
    Marvin(Ada(ada.api))


# Signatures: checked as a bot's author would, by somebody else's library.


def signed_by(secret: str, called: Called) -> bool:
    try:
        Webhook(secret).verify(called.body or b"", called.headers, json_parse=False)
    except WebhookVerificationError:
        return False
    return True


def test_what_a_bot_is_sent_is_signed_with_its_secret(marvin: Marvin, served: PushBot) -> None:
    marvin.prove()
    assert [signed_by(marvin.secret, called) for called in served.called] == [True, True]
    assert len({called.headers["webhook-id"] for called in served.called}) == 2
    forged = served.called[1]._replace(body=served.called[1].body + b" ")
    assert not signed_by(marvin.secret, forged)


def test_and_at_first_with_the_key_of_the_arena_which_anybody_may_know(marvin: Marvin, served: PushBot) -> None:
    marvin.prove()
    shown = marvin.owner.api.get("/v1/signing-key").json()["key"]
    public = Ed25519PublicKey.from_public_bytes(read_secret("whsec_" + shown.removeprefix(PREFIX)))
    for called in served.called:
        headers = called.headers
        (signature,) = [one for one in headers["webhook-signature"].split() if one.startswith("v1a,")]
        content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + called.body
        proof = read_secret("whsec_" + signature.removeprefix("v1a,"))
        public.verify(proof, content)
        with pytest.raises(InvalidSignature):
            public.verify(proof, content + b" ")


def test_while_a_bot_changes_over_both_secrets_are_good(marvin: Marvin, served: PushBot) -> None:
    new = marvin.ask("POST", "/secret").json()["secret"]
    assert marvin.look()["own"]["two_secrets"]
    for known in (marvin.secret, new):
        served.secret = known
        marvin.prove()
        assert signed_by(marvin.secret, served.called[-1])
        assert signed_by(new, served.called[-1])
    assert marvin.ask("DELETE", "/secret").status_code == 204
    assert not marvin.look()["own"]["two_secrets"]
    marvin.prove()
    assert [signed_by(secret, served.called[-1]) for secret in (marvin.secret, new)] == [False, True]
    served.secret = marvin.secret
    problem(marvin.ask("POST", "/proof"), 409, "not-proved")
    assert marvin.ask("DELETE", "/secret").status_code == 204, "there is nothing left to give up"


def test_of_changes_at_the_same_time_none_is_lost(marvin: Marvin, served: PushBot) -> None:
    with ThreadPoolExecutor(8) as threads:
        rotations = [threads.submit(marvin.ask, "POST", "/secret") for _ in range(8)]
        renamed = threads.submit(marvin.ask, "PUT", "", {"name": "Marvin II", "url": served.url})
        secrets = [rotation.result().json()["secret"] for rotation in rotations]
        assert renamed.result().status_code == 200
    assert len({*secrets}) == 8
    assert marvin.look()["name"] == "Marvin II"
    good = [secret for secret in secrets if _proves(marvin, served, secret)]
    assert len(good) == 2, "the last two, whichever those were"
    assert not _proves(marvin, served, marvin.secret)


@pytest.mark.anyio
async def test_nor_is_one_of_many_lost_that_saw_the_same(link: Link) -> None:
    bots = Bots(link)
    bot = await bots.create("ada", "push", "Marvin", "http://marvin.example")
    await asyncio.gather(*(bots.change(bot.id, _fail_once_more) for _ in range(20)))
    assert (await bots.get(bot.id)).failures == 20


def _fail_once_more(bot: Registered) -> Registered:
    return replace(bot, failures=bot.failures + 1)


def _proves(marvin: Marvin, served: PushBot, secret: str) -> bool:
    served.secret = secret
    return marvin.ask("POST", "/proof").status_code == 200


# Health: the tests say what time it is.


class Nurse:
    """Another process of the service, which looks at bots once a minute."""

    def __init__(self, link: Link, caller: Caller) -> None:
        self.bots = Bots(link)
        self.registry = Registry(self.bots, Signer(link), caller, allow_private=True)
        self._minutes = count()

    async def look(self) -> int:
        """A minute later."""
        return await self.registry.sweep_once(MINUTE, now=60_000 * next(self._minutes))


@pytest.fixture
async def nurse(places: Places) -> AsyncIterator[Nurse]:
    async with Link(places.redis) as link, Caller() as caller:
        await link.call("DEL", "bots:due")  # those of other tests
        yield Nurse(link, caller)


def health(marvin: Marvin) -> tuple[str, int]:
    seen = marvin.look()
    return seen["state"], seen["own"]["failures"]


@pytest.mark.anyio
async def test_a_bot_that_fails_three_times_in_a_row_is_disabled(marvin: Marvin, served: PushBot, nurse: Nurse) -> None:
    marvin.prove()
    served.status = 503
    for failures in range(1, FAILURES):
        await nurse.look()
        assert health(marvin) == ("ready", failures)
    served.status = 200
    await nurse.look()
    assert health(marvin) == ("ready", 0), "not in a row"
    assert marvin.look()["own"]["reason"] is None
    served.status = 503
    for _ in range(FAILURES):
        await nurse.look()
    assert health(marvin) == ("disabled", FAILURES)
    assert marvin.look()["own"]["reason"] == "3 times in a row when we looked: the status is not 200: 503"
    assert marvin.owner.api.get(marvin.path).json()["own"] is None


@pytest.mark.anyio
async def test_and_enabled_again_when_it_has_answered_twice(marvin: Marvin, served: PushBot, nurse: Nurse) -> None:
    marvin.prove()
    await nurse.look()
    await nurse.look()
    served.status = 503
    for _ in range(FAILURES):
        await nurse.look()
    for status in (200, 503, 200):
        served.status = status
        await nurse.look()
        assert marvin.look()["state"] == "disabled", "not in a row"
        assert marvin.look()["own"]["reason"], "still what was wrong"
    await nurse.look()
    assert health(marvin) == ("ready", 0)
    assert marvin.look()["own"]["reason"] is None


@pytest.mark.anyio
async def test_a_disabled_bot_may_prove_itself_at_once(marvin: Marvin, served: PushBot, nurse: Nurse) -> None:
    marvin.prove()
    served.status = 503
    for _ in range(FAILURES):
        await nurse.look()
    served.status = 200
    assert marvin.prove()["state"] == "ready"


@pytest.mark.anyio
async def test_another_version_has_passed_no_checks(marvin: Marvin, served: PushBot, nurse: Nurse) -> None:
    marvin.prove()
    await nurse.bots.change(marvin.made["id"], lambda bot: replace(bot, passed="1.0"))
    await nurse.look()
    assert marvin.look()["own"]["passed"] == "1.0"
    served.info = {**INFO, "version": "1.1"}
    await nurse.look()
    seen = marvin.look()
    assert (seen["version"], seen["own"]["passed"], seen["state"]) == ("1.1", None, "ready")


@pytest.mark.anyio
async def test_of_many_processes_one_looks_at_a_bot_and_once_a_minute(
    marvin: Marvin, served: PushBot, nurse: Nurse, places: Places
) -> None:
    marvin.prove()
    served.called.clear()
    async with Link(places.redis) as link, Caller() as caller:
        others = [Nurse(link, caller) for _ in range(3)]
        assert sum([await one.look() for one in (nurse, *others)]) == 1
        assert served.paths == ["/info"]
        assert await nurse.registry.sweep_once(MINUTE, now=59_999) == 0
        assert await others[0].registry.sweep_once(MINUTE, now=60_000) == 1


@pytest.mark.anyio
async def test_nobody_is_called_who_has_not_proved_that_the_address_is_theirs(
    ada: Ada, marvin: Marvin, served: PushBot, nurse: Nurse
) -> None:
    Marvin(ada).ask("PUT", "/info", INFO)
    assert await nurse.look() == 0
    marvin.prove()
    marvin.ask("PUT", "", {"name": "Marvin", "url": f"{served.url}/moved"})
    assert await nurse.look() == 0
    marvin.ask("PUT", "", {"name": "Marvin", "url": served.url})
    marvin.prove()
    marvin.ask("DELETE")
    assert await nurse.look() == 0


@pytest.mark.anyio
async def test_what_a_look_finds_at_the_old_address_is_not_held_against_the_new_one(
    marvin: Marvin, served: PushBot, nurse: Nurse
) -> None:
    marvin.prove()
    with serving() as other:
        other.secret = marvin.secret

        def move() -> None:
            marvin.ask("PUT", "", {"name": "Marvin", "url": other.url})
            marvin.prove()

        served.status, served.meanwhile = 503, move
        assert await nurse.look() == 1
        assert other.paths == ["/info", "/challenge"]
    assert health(marvin) == ("ready", 0)


@pytest.mark.anyio
async def test_bots_are_looked_at_by_themselves(marvin: Marvin, served: PushBot, places: Places) -> None:
    """With the real clock, by a service as everybody starts it."""
    marvin.prove()
    settings = {**PRIVATE, "SPLITO_HEALTH_SECONDS": "60"}
    served.info = {**INFO, "version": "2.0"}
    with running(places.redis, settings):
        _await(lambda: marvin.look()["version"] == "2.0")


def _await(happened: Callable[[], bool]) -> None:
    """It happens in another process; each look is a request, which takes its time."""
    for _ in range(5000):
        if happened():
            return
    raise AssertionError("it did not happen")
