"""Owners register bots, prove that a bot knows its secret, change and delete bots."""

from typing import Any

import httpx
import pytest

from splito_service.bots.store import MOST_BOTS
from tests.service.bots.own_bot import PRIVATE, Marvin
from tests.service.matches.test_api import problem
from tests.service.owners.test_keys import Ada
from tests.service.process import NO_LIMITS, running
from tests.service.pushed import INFO, PushBot, serving

UNKNOWN = "0" * 24


def test_the_public_view_of_a_bot_hides_its_url_and_secret(marvin: Marvin, served: PushBot) -> None:
    own = marvin.look()
    assert own == marvin.made
    assert own["own"] == {
        "url": served.url,
        "reason": None,
        "failures": 0,
        "passed": None,
        "two_secrets": False,
        "banned": None,
    }
    public = marvin.owner.api.get(marvin.path)
    assert public.json() == {**own, "own": None}
    assert served.url not in public.text
    assert marvin.secret not in marvin.ask("GET").text
    assert (own["state"], own["version"], own["games"], own["owner"]["name"]) == ("new", None, [], "Ada")
    assert served.called == []


def test_a_bot_that_meets_the_challenge_is_ready(marvin: Marvin, served: PushBot) -> None:
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
def test_a_failed_proof_says_what_the_bot_did_wrong(
    marvin: Marvin, served: PushBot, what: dict[str, Any], said: str
) -> None:
    _fails(served, **what)
    refused = problem(marvin.ask("POST", "/proof"), 409, "not-proved")
    assert said in refused["detail"]
    assert marvin.look() == marvin.made


def test_a_proof_fails_if_the_connection_is_refused(ada: Ada) -> None:
    with serving() as gone:
        marvin = Marvin(ada, gone.url)
    assert "refused" in problem(marvin.ask("POST", "/proof"), 409, "not-proved")["detail"]


SETTING = "`splito serve --dev` or SPLITO_ALLOW_PRIVATE_BOTS=1"
PORT, HOST = "port 22 is not called", "has no public address"
CLOSED = {
    "this machine": ("http://127.0.0.1:8001", HOST),
    "this machine in IPv6": ("http://[::1]:8001", HOST),
    "a private network": ("http://10.0.0.1:8001/bot", HOST),
    "a private network in IPv6": ("https://[fd12::1]", HOST),
    "metadata of a cloud": ("http://169.254.169.254", HOST),
    "a port": ("http://marvin.example:22", PORT),
}


@pytest.mark.parametrize(("url", "said"), CLOSED.values(), ids=CLOSED)
def test_an_address_that_only_development_allows_is_refused_with_the_setting(
    api: httpx.Client, url: str, said: str
) -> None:
    ada = Ada(api)
    for path, wanted in (("/v1/bots", {"name": "Marvin", "kind": "push"}), ("/v1/hooks", {"events": ["bot.failing"]})):
        refused = problem(ada.ask("POST", path, {**wanted, "url": url}), 409, "bad-address")
        assert said in refused["detail"]
        assert SETTING in refused["detail"]
        assert refused["field"] == "url"


def test_a_name_of_a_private_address_is_refused_with_the_setting_when_it_is_called(
    api: httpx.Client, served: PushBot
) -> None:
    marvin = Marvin(Ada(api), served.url.replace("127.0.0.1", "localhost"))
    refused = problem(marvin.ask("POST", "/proof"), 409, "not-proved")
    assert HOST in refused["detail"]
    assert SETTING in refused["detail"]
    assert served.called == []


def test_development_refuses_what_no_arena_may_call_and_names_no_setting(ada: Ada) -> None:
    wanted = {"name": "Marvin", "kind": "push", "url": "http://169.254.169.254"}
    refused = problem(ada.ask("POST", "/v1/bots", wanted), 409, "bad-address")
    assert SETTING not in refused["detail"]
    assert ada.ask("POST", "/v1/bots", {**wanted, "url": "http://10.0.0.1:22"}).status_code == 201


def test_the_service_warns_at_start_if_private_bots_are_allowed(
    redis_url: str, capfd: pytest.CaptureFixture[str]
) -> None:
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
def test_an_ambiguous_or_missing_url_is_refused(ada: Ada, wanted: dict[str, str]) -> None:
    refused = problem(ada.ask("POST", "/v1/bots", {"name": "Marvin", **wanted}), 409, "bad-address")
    assert refused["field"] == "url"
    assert ada.api.get("/v1/bots", params={"owner": ada.made["id"]}).json()["bots"] == []


def test_a_bot_with_a_new_url_must_be_proved_again(marvin: Marvin, served: PushBot) -> None:
    proved = marvin.prove()
    renamed = marvin.ask("PUT", "", {"name": "Marvin II", "url": served.url}).json()
    assert renamed == {**proved, "name": "Marvin II"}
    moved = marvin.ask("PUT", "", {"name": "Marvin II", "url": f"{served.url}/elsewhere"}).json()
    assert (moved["state"], moved["info"], moved["own"]["url"]) == ("new", None, f"{served.url}/elsewhere")
    problem(marvin.ask("PUT", "", {"name": "Marvin II", "url": "http://ada@marvin.example"}), 409, "bad-address")
    assert marvin.look() == moved


def test_a_proof_does_not_count_if_the_url_changes_meanwhile(marvin: Marvin, served: PushBot) -> None:
    with serving() as other:
        served.meanwhile = lambda: marvin.ask("PUT", "", {"name": "Marvin", "url": other.url})
        assert "changed meanwhile" in problem(marvin.ask("POST", "/proof"), 409, "not-proved")["detail"]
        assert (marvin.look()["state"], marvin.look()["own"]["url"]) == ("new", other.url)


def test_the_owner_describes_a_pull_bot(ada: Ada) -> None:
    trillian = Marvin(ada)
    assert trillian.secret is None
    described = trillian.ask("PUT", "/info", INFO)
    assert (described.json()["state"], described.json()["games"]) == ("ready", ["splito"])
    problem(trillian.ask("PUT", "/info", {**INFO, "games": []}), 400, "bad-request")
    problem(trillian.ask("PUT", "/info", {**INFO, "author": "\x1b[2J"}), 409, "bad-name")
    problem(trillian.ask("POST", "/proof"), 409, "wrong-kind")
    problem(trillian.ask("POST", "/secret"), 409, "wrong-kind")
    problem(trillian.ask("DELETE", "/secret"), 409, "wrong-kind")


def test_the_owner_cannot_describe_a_push_bot(marvin: Marvin) -> None:
    problem(marvin.ask("PUT", "/info", INFO), 409, "wrong-kind")
    assert marvin.look() == marvin.made


def test_another_owner_cannot_change_a_bot(marvin: Marvin, served: PushBot) -> None:
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


def test_a_deleted_bot_is_unknown(marvin: Marvin) -> None:
    marvin.prove()
    assert marvin.ask("DELETE").status_code == 204
    problem(marvin.ask("GET"), 404, "unknown-bot")
    problem(marvin.ask("POST", "/proof"), 404, "unknown-bot")
    assert marvin.owner.api.get("/v1/bots", params={"owner": marvin.owner.made["id"]}).json()["bots"] == []


def test_bots_are_listed_page_by_page_newest_first(ada: Ada) -> None:
    made = [Marvin(ada).made["id"] for _ in range(5)]
    cursor: dict[str, str] = {}
    for page in ([4, 3], [2, 1], [0]):
        found = ada.api.get("/v1/bots", params={"owner": ada.made["id"], "limit": 2, **cursor}).json()
        assert [bot["id"] for bot in found["bots"]] == [made[number] for number in page]
        cursor = {"cursor": found["next"]}
    assert found["next"] is None
    newest = ada.api.get("/v1/bots", params={"limit": 1}).json()["bots"][0]
    assert newest == {name: Marvin(ada).made[name] for name in newest} | {"id": made[-1], "created": newest["created"]}


def test_the_number_of_bots_per_owner_is_limited(ada: Ada) -> None:
    for _ in range(MOST_BOTS):
        Marvin(ada)
    problem(ada.ask("POST", "/v1/bots", {"name": "Marvin", "kind": "pull"}), 409, "no-room")
    Marvin(Ada(ada.api))
