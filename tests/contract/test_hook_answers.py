"""Answers about webhooks, and their deliveries, match the contract."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from splito_service.http.contract.webhook_events import TOLD
from splito_service.ids import new_id
from splito_service.processes.embedded_redis import open_server
from splito_service.storage.client import Link
from splito_service.webhooks.model import EVENTS
from splito_service.webhooks.schemas import TournamentFinished
from splito_service.webhooks.store import Outbox
from tests.contract.caller import Caller
from tests.contract.reader import Document, Json
from tests.service.polling import eventually
from tests.service.process import running
from tests.service.pushed import PushBot, serving

NOBODY = "0" * 24
OVER = TournamentFinished(
    tournament=NOBODY, kind="tournament", name="Cup", game="splito", state="finished", reason=None, blocks=3
)

every_event = pytest.mark.parametrize("event", [*EVENTS, "hook.challenge"])


@pytest.fixture(scope="module")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with open_server(tmp_path_factory.mktemp("hooks")) as server:
        yield server.url


@pytest.fixture(scope="module")
def call(redis_url: str, document: Document) -> Iterator[Caller]:
    """A caller of a service that may call webhooks on this machine."""
    with (
        running(redis_url, {"SPLITO_ALLOW_PRIVATE_BOTS": "1"}) as process,
        httpx.Client(base_url=process.url, timeout=60) as api,
    ):
        yield Caller(api, document, "splito")


@pytest.fixture(scope="module")
def owner(call: Caller) -> Any:
    return call("createOwner", 201, body={"name": "Ada"})


@pytest.fixture
def told() -> Iterator[PushBot]:
    with serving() as receiver:
        yield receiver


async def put(redis_url: str, owner: str) -> None:
    async with Link(redis_url) as link:
        assert await Outbox(link).put(owner, "tournament.finished", new_id(), OVER) == 1


def schema_of(document: Document, event: str) -> Json:
    name = next(row.webhook for row in TOLD if row.event == event)
    return document.whole["webhooks"][name]["post"]["requestBody"]["content"]["application/json"]


def test_every_answer_about_a_webhook_fits_the_contract(
    call: Caller, document: Document, owner: Any, redis_url: str, told: PushBot
) -> None:
    key = owner["key"]
    made = call("createHook", 201, token=key, body={**call.example("createHook", "hook"), "url": told.url})
    me: dict[str, Any] = {"token": key, "hook": made["hook"]["id"]}
    assert call("getHook", 200, **me) == made["hook"]
    assert made["hook"] in call("listHooks", 200, token=key)["hooks"]
    assert call("proveHook", 409, **me)["code"] == "not-proved"
    told.secret = made["secret"]
    assert call("proveHook", 200, **me)["proved"]
    challenge = json.loads(told.called[-1].body)
    assert document.faults(schema_of(document, "hook.challenge")["schema"], challenge) == []
    told.called.clear()
    asyncio.run(put(redis_url, owner["id"]))
    page = eventually(lambda: call("listDeliveries", 200, **me, limit=1), lambda page: page["deliveries"] != [])
    delivery: dict[str, Any] = {**me, "delivery": page["deliveries"][0]["id"]}
    body = json.loads(call("getDelivery", 200, **delivery)["body"])
    assert body == json.loads(told.called[0].body)
    assert document.faults(schema_of(document, "tournament.finished")["schema"], body) == []
    call("createRedelivery", 202, **delivery)
    call("rotateHookSecret", 201, **me)
    call("settleHookSecret", 204, **me)
    changed = call("changeHook", 200, **me, body={**call.example("changeHook", "enabled"), "enabled": False})
    assert not changed["enabled"]
    call("deleteHook", 204, **me)
    assert call("getHook", 404, **me)["code"] == "unknown-hook"


REFUSED: list[tuple[str, int, str, dict[str, Any]]] = [
    ("createHook", 400, "bad-request", {"body": {}}),
    ("createHook", 409, "bad-address", {"body": {"url": "x", "events": ["bot.disabled"]}}),
    ("createHook", 413, "too-large", {"body": b" " * 20_000}),
    ("getHook", 404, "unknown-hook", {"hook": NOBODY}),
    ("deleteHook", 404, "unknown-hook", {"hook": "*"}),
    ("changeHook", 404, "unknown-hook", {"hook": NOBODY, "body": {}}),
    ("proveHook", 404, "unknown-hook", {"hook": NOBODY}),
    ("listDeliveries", 400, "bad-request", {"hook": NOBODY, "limit": 0}),
    ("listDeliveries", 404, "unknown-hook", {"hook": NOBODY}),
    ("getDelivery", 404, "unknown-hook", {"hook": NOBODY, "delivery": NOBODY}),
    ("createRedelivery", 404, "unknown-hook", {"hook": NOBODY, "delivery": NOBODY}),
]


@pytest.mark.parametrize("refused", REFUSED, ids=lambda refused: f"{refused[0]} {refused[2]}")
def test_a_request_is_refused_as_the_contract_says(
    call: Caller, owner: Any, refused: tuple[str, int, str, dict[str, Any]]
) -> None:
    operation, status, code, parameters = refused
    assert call(operation, status, token=owner["key"], **parameters)["code"] == code
    if code != "bad-request" or operation == "createHook":
        assert call(operation, 401, **parameters)["code"] == "no-key"


@every_event
def test_the_example_of_every_event_fits_its_schema(document: Document, event: str) -> None:
    content = schema_of(document, event)
    for example in map(document.resolve, content["examples"].values()):
        assert example["value"]["type"] == event
        assert document.faults(content["schema"], example["value"]) == []
    told = document.resolve(content["schema"])
    assert document.resolve(told["properties"]["type"])["const"] == event
    assert set(told["required"]) == {"type", "timestamp", "data"}


def test_events_are_signed_like_requests_to_bots(document: Document) -> None:
    for row in TOLD:
        operation = document.whole["webhooks"][row.webhook]["post"]
        assert operation["security"] == [{"webhookSignature": []}]
        names = [document.resolve(part)["name"] for part in operation["parameters"]]
        assert names == ["webhook-id", "webhook-timestamp", "webhook-signature"]
        assert all(operation[field] for field in ("summary", "description", "tags"))
        answers = {"200", "default"} if row.answer else {"204", "410", "default"}
        assert operation["responses"].keys() == answers


def test_the_contract_lists_every_event_once() -> None:
    assert [row.event for row in TOLD] == ["hook.challenge", *EVENTS]
