"""Answers to owners match the contract: every body, every header, every code."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from splito_service.processes.embedded_redis import open_server
from tests.contract.caller import Caller
from tests.contract.reader import Document
from tests.service.polling import eventually
from tests.service.process import running
from tests.service.pushed import PushBot, serving

NOBODY = "0" * 24
FALSE = f"key-{NOBODY}-{43 * 'x'}"


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory, document: Document) -> Iterator[Caller]:
    """A caller of a service that may call bots on this machine."""
    with (
        open_server(tmp_path_factory.mktemp("owners")) as server,
        running(server.url, {"SPLITO_ALLOW_PRIVATE_BOTS": "1"}) as process,
        httpx.Client(base_url=process.url, timeout=60) as api,
    ):
        yield Caller(api, document, "splito")


@pytest.fixture(scope="module")
def key(call: Caller) -> str:
    return call("createOwner", 201, body=call.example("createOwner", "ada"))["key"]


@pytest.fixture
def bot() -> Iterator[PushBot]:
    with serving() as bot:
        yield bot


def test_every_answer_about_keys_fits_the_contract(call: Caller, key: str) -> None:
    made = call("createKey", 201, token=key, body=call.example("createKey", "play"))
    assert made["summary"] in call("listKeys", 200, token=key)["keys"]
    assert call("listKeys", 403, token=made["key"])["code"] == "wrong-scope"
    call("deleteKey", 204, token=key, key=made["summary"]["id"])
    assert call("deleteKey", 404, token=key, key=made["summary"]["id"])["code"] == "unknown-key"
    assert call("listKeys", 401, token=made["key"])["code"] == "no-key"
    assert call("getSigningKey", 200)["key"].startswith("whpk_")


def test_every_answer_about_a_push_bot_fits_the_contract(call: Caller, key: str, bot: PushBot) -> None:
    wanted = {**call.example("createBot", "push"), "url": bot.url}
    made = call("createBot", 201, token=key, body=wanted)
    me: dict[str, Any] = {"token": key, "bot": made["bot"]["id"]}
    assert call("proveBot", 409, **me)["code"] == "not-proved"
    bot.secret = made["secret"]
    assert call("proveBot", 200, **me) == call("getBot", 200, **me)
    bot.secret = call("rotateSecret", 201, **me)["secret"]
    call("settleSecret", 204, **me)
    assert call("changeBot", 200, **me, body=call.example("changeBot", "name"))["state"] == "new"
    assert call("describeBot", 409, **me, body=call.example("describeBot", "info"))["code"] == "wrong-kind"
    assert call("getBot", 200, bot=me["bot"])["own"] is None
    call("deleteBot", 204, **me)


def test_every_answer_about_a_pull_bot_fits_the_contract(call: Caller, key: str) -> None:
    made = call("createBot", 201, token=key, body=call.example("createBot", "pull"))["bot"]
    me: dict[str, Any] = {"token": key, "bot": made["id"]}
    ready = call("describeBot", 200, **me, body=call.example("describeBot", "info"))
    assert (ready["state"], ready["version"]) == ("ready", "1.2.0")
    page = call("listBots", 200, owner=made["owner"]["id"], limit=1)
    assert page["bots"][0]["id"] == made["id"]
    assert call("rotateSecret", 409, **me)["code"] == "wrong-kind"
    other = call("createOwner", 201, body={"name": "Bob"})["key"]
    assert call("deleteBot", 403, bot=made["id"], token=other)["code"] == "wrong-owner"
    call("deleteBot", 204, **me)


def test_every_answer_about_a_check_fits_the_contract(call: Caller, key: str, bot: PushBot) -> None:
    made = call("createBot", 201, token=key, body={**call.example("createBot", "push"), "url": bot.url})
    me: dict[str, Any] = {"token": key, "bot": made["bot"]["id"]}
    assert call("createCheck", 409, **me, body={})["code"] == "not-ready"
    bot.secret = made["secret"]
    call("proveBot", 200, **me)
    begun = call("createCheck", 202, **me, body=call.example("createCheck", "quick"))
    check: dict[str, Any] = {**me, "check": begun["id"]}
    done = eventually(lambda: call("getCheck", 200, **check), lambda seen: seen["state"] != "running")
    assert (done["state"], done["passed"]) == ("done", False), "it lets everybody in"
    failed = [row for row in done["report"]["rows"] if row["outcome"] == "failed"]
    assert [row["check"] for row in failed] == ["signature"]
    assert call("listChecks", 200, **me)["checks"] == [{name: done[name] for name in done if name != "report"}]
    assert call("getCheck", 404, **{**check, "check": NOBODY})["code"] == "unknown-check"
    other = call("createOwner", 201, body={"name": "Bob"})["key"]
    assert call("getCheck", 403, **{**check, "token": other})["code"] == "wrong-owner"


REFUSED: list[tuple[str, int, str, dict[str, Any]]] = [
    ("createOwner", 400, "bad-request", {"body": {"name": ""}}),
    ("createOwner", 409, "bad-name", {"body": {"name": "\u202e"}}),
    ("createOwner", 413, "too-large", {"body": b" " * 20_000}),
    ("listKeys", 401, "no-key", {}),
    ("listKeys", 401, "no-key", {"token": "seat-0-1-example-example-example-example-"}),
    ("listBots", 400, "bad-request", {"limit": 0}),
    ("listBots", 400, "bad-request", {"owner": "ada"}),
    ("getBot", 404, "unknown-bot", {"bot": NOBODY}),
    ("getBot", 404, "unknown-bot", {"bot": "*"}),
    ("getBot", 401, "no-key", {"bot": NOBODY, "token": FALSE}),
    ("createBot", 401, "no-key", {"body": {}}),
    ("deleteBot", 401, "no-key", {"bot": NOBODY}),
    ("createCheck", 401, "no-key", {"bot": NOBODY, "body": {}}),
    ("getCheck", 401, "no-key", {"bot": NOBODY, "check": NOBODY}),
]


@pytest.mark.parametrize(("operation", "status", "code", "parameters"), REFUSED)
def test_a_request_is_refused_as_the_contract_says(
    call: Caller, operation: str, status: int, code: str, parameters: dict[str, Any]
) -> None:
    assert call(operation, status, **parameters)["code"] == code


REFUSED_TO_OWNERS: list[tuple[str, int, str, dict[str, Any]]] = [
    ("createKey", 400, "bad-request", {"body": {"scopes": []}}),
    ("createBot", 400, "bad-request", {"body": {"name": "Marvin", "kind": "plugin"}}),
    ("createBot", 409, "bad-address", {"body": {"name": "Marvin", "kind": "push"}}),
    ("createBot", 409, "bad-name", {"body": {"name": "\n", "kind": "pull"}}),
    ("changeBot", 404, "unknown-bot", {"bot": NOBODY, "body": {"name": "Marvin"}}),
    ("proveBot", 404, "unknown-bot", {"bot": NOBODY}),
    ("settleSecret", 404, "unknown-bot", {"bot": NOBODY}),
    ("createCheck", 404, "unknown-bot", {"bot": NOBODY, "body": {}}),
    ("listChecks", 404, "unknown-bot", {"bot": NOBODY}),
]


@pytest.mark.parametrize("refused", REFUSED_TO_OWNERS, ids=lambda refused: f"{refused[0]} {refused[2]}")
def test_a_request_of_an_owner_is_refused_as_the_contract_says(
    call: Caller, key: str, refused: tuple[str, int, str, dict[str, Any]]
) -> None:
    operation, status, code, parameters = refused
    assert call(operation, status, token=key, **parameters)["code"] == code
