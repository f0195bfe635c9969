"""Rate limits over HTTP: answers show the remaining quota, refusals say when to retry, health is free."""

from collections.abc import Iterator

import httpx
import pytest

from splito_service.processes.embedded_redis import open_server
from tests.service.matches.test_api import OPEN, problem
from tests.service.process import running

RATE, CREATIONS = 30, 3


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[httpx.Client]]:
    """Two processes of one service, behind a proxy that forwards the address of the client."""
    settings = {"SPLITO_RATE": str(RATE), "SPLITO_CREATE_RATE": str(CREATIONS), "SPLITO_BEHIND_PROXY": "1"}
    with (
        open_server(tmp_path_factory.mktemp("limited")) as server,
        running(server.url, settings) as one,
        running(server.url, settings) as two,
        httpx.Client(base_url=one.url, timeout=60) as first,
        httpx.Client(base_url=two.url, timeout=60) as second,
    ):
        yield [first, second]


def asks(address: str) -> dict[str, str]:
    return {"X-Forwarded-For": f"203.0.113.99, {address}"}


def test_the_quota_of_a_client_is_shared_by_all_processes(limited: list[httpx.Client]) -> None:
    answers = [limited[turn % 2].get("/v1/house", headers=asks("192.0.2.1")) for turn in range(2 * RATE)]
    granted = [answer for answer in answers if answer.status_code == 200]
    assert len(granted) in (RATE, 2 * RATE), "all of it, or twice that if a minute ended meanwhile"
    for answer in answers:
        assert answer.headers["ratelimit-policy"] == f'"requests";q={RATE};w=60'
        assert answer.headers["ratelimit"].startswith('"requests";r=')
    for answer in answers:
        if answer.status_code != 200:
            problem(answer, 429, "too-many-requests")
            assert 0 < int(answer.headers["retry-after"]) <= 60


def test_other_clients_and_health_checks_are_not_limited(limited: list[httpx.Client]) -> None:
    for _ in range(RATE + 5):
        limited[0].get("/v1/house", headers=asks("192.0.2.2"))
        assert limited[0].get("/health/live", headers=asks("192.0.2.2")).status_code == 200
    assert limited[0].get("/v1/house", headers=asks("192.0.2.3")).status_code == 200


def test_creating_matches_has_its_own_quota(limited: list[httpx.Client]) -> None:
    seats = {"seats": [OPEN, OPEN]}
    for number in range(2 * CREATIONS):
        answer = limited[0].post("/v1/splito/matches", json=seats, headers=asks("192.0.2.4"))
        if answer.status_code != 201:
            assert number >= CREATIONS
            assert problem(answer, 429, "too-many-requests")["field"] == "creations"
    assert limited[0].get("/v1/house", headers=asks("192.0.2.4")).status_code == 200


def test_creating_owners_and_bots_uses_the_creation_quota(limited: list[httpx.Client]) -> None:
    headers = asks("192.0.2.5")
    made = limited[0].post("/v1/owners", json={"name": "Ada"}, headers=headers).json()
    as_ada = {**headers, "Authorization": f"Bearer {made['key']}"}
    bot = {"name": "Marvin", "kind": "push", "url": "http://localhost:8000"}
    asked = [("/v1/bots", bot, as_ada), ("/v1/owners", {"name": "Bob"}, headers)]
    answers = [limited[0].post(path, json=body, headers=sent) for _ in range(CREATIONS) for path, body, sent in asked]
    refused = [answer for answer in answers if answer.status_code == 429]
    assert len(refused) in (0, 2 * CREATIONS - (CREATIONS - 1)), "or none, if a minute ended meanwhile"
    assert all(answer.json()["field"] == "creations" for answer in refused)


def test_polling_bots_have_ten_times_the_quota(limited: list[httpx.Client]) -> None:
    """The arena decides how often a bot is asked, and every ask takes the bot two requests."""
    headers = asks("192.0.2.6")
    answers = [limited[0].get("/v1/bot/asks", params={"bot": 24 * "0"}, headers=headers) for _ in range(RATE + 5)]
    answers += [limited[0].put("/v1/bot/splito/asks/none", json={"index": 0}, headers=headers) for _ in range(RATE + 5)]
    assert {answer.status_code for answer in answers} == {401}
    assert {answer.headers["ratelimit-policy"] for answer in answers} == {f'"asks";q={10 * RATE};w=60'}
    assert limited[0].get("/v1/house", headers=headers).status_code == 200


def refusals(client: httpx.Client, path: str, headers: dict[str, str] | list[tuple[str, str]]) -> int:
    """How many of more requests than there may be in a minute, even in two, are refused."""
    answers = [client.get(path, headers=headers) for _ in range(2 * RATE + 5)]
    refused = [answer for answer in answers if answer.status_code == 429]
    for answer in refused:
        problem(answer, 429, "too-many-requests")
    return len(refused)


@pytest.mark.parametrize("path", ["/docs", "/docs/start.js", "/openapi.json", "/", "/nowhere", "/v1/nowhere/at/all"])
def test_requests_to_every_path_are_limited(limited: list[httpx.Client], path: str) -> None:
    assert refusals(limited[0], path, asks(f"192.0.2.{100 + len(path)}")) > 0


def test_creating_keys_uses_the_creation_quota(limited: list[httpx.Client]) -> None:
    headers = asks("192.0.2.7")
    made = limited[0].post("/v1/owners", json={"name": "Ada"}, headers=headers).json()
    as_ada = {**headers, "Authorization": f"Bearer {made['key']}"}
    answers = [limited[0].post("/v1/keys", json={"scopes": ["play"]}, headers=as_ada) for _ in range(2 * CREATIONS + 1)]
    refused = [answer for answer in answers if answer.status_code == 429]
    assert refused
    assert all(problem(answer, 429, "too-many-requests")["field"] == "creations" for answer in refused)


def test_a_forged_x_forwarded_for_line_does_not_change_the_client(limited: list[httpx.Client]) -> None:
    """The proxy of ours adds its own line, or its own address to that of the client."""
    answers = [
        limited[0].get(
            "/v1/house", headers=[("X-Forwarded-For", f"203.0.113.{turn}"), ("X-Forwarded-For", "192.0.2.8")]
        )
        for turn in range(2 * RATE + 5)
    ]
    assert any(answer.status_code == 429 for answer in answers)


def test_addresses_of_one_network_share_a_quota(limited: list[httpx.Client]) -> None:
    answers = [limited[0].get("/v1/house", headers=asks(f"2001:db8::{turn:x}")) for turn in range(2 * RATE + 5)]
    assert any(answer.status_code == 429 for answer in answers)
    assert limited[0].get("/v1/house", headers=asks("2001:db8:0:1::1")).status_code == 200


def test_a_refusal_for_another_origin_has_cors_headers(limited: list[httpx.Client]) -> None:
    headers = asks("192.0.2.10") | {"Origin": "https://example.org"}
    answers = [limited[0].get("/v1/house", headers=headers) for _ in range(2 * RATE + 5)]
    assert {answer.status_code for answer in answers} == {200, 429}
    for answer in answers:
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "Retry-After" in answer.headers["access-control-expose-headers"]
