"""Owners create, read, change and delete webhooks over HTTP."""

from typing import Any

import httpx
import pytest

from splito_service.webhooks.model import EVENTS
from splito_service.webhooks.store import MOST_HOOKS
from tests.service.matches.test_api import problem
from tests.service.owners.test_keys import Ada
from tests.service.pushed import PushBot
from tests.service.webhooks.owned_hooks import UNKNOWN, OwnHook


def test_the_owner_sees_the_webhook_but_its_secret_only_on_creation(hook: OwnHook, told: PushBot) -> None:
    assert hook.look() == hook.made
    assert hook.owner.ask("GET", "/v1/hooks").json() == {"hooks": [hook.made]}
    assert hook.made["events"] == [*EVENTS]
    assert (hook.made["url"], hook.made["note"]) == (f"{told.url}/arena", "mine")
    assert (hook.made["enabled"], hook.made["reason"], hook.made["two_secrets"]) == (True, None, False)
    assert [hook.made[name] for name in ("failures", "waiting", "dropped")] == [0, 0, 0]
    assert hook.secret not in hook.ask("GET").text + hook.owner.ask("GET", "/v1/hooks").text
    assert told.called == []


EVERYTHING = [
    ("GET", ""),
    ("DELETE", ""),
    ("POST", "/proof"),
    ("POST", "/secret"),
    ("DELETE", "/secret"),
    ("GET", "/deliveries"),
    ("GET", f"/deliveries/{UNKNOWN}"),
    ("POST", f"/deliveries/{UNKNOWN}/redelivery"),
]


def test_another_owner_gets_404_for_every_operation_on_a_webhook(hook: OwnHook) -> None:
    bob = Ada(hook.owner.api)
    change = {"url": "https://bob.example/", "events": ["bot.disabled"]}
    for method, path in EVERYTHING:
        problem(bob.ask(method, hook.path + path), 404, "unknown-hook")
        problem(bob.ask(method, f"/v1/hooks/{UNKNOWN}{path}"), 404, "unknown-hook")
        problem(bob.ask(method, f"/v1/hooks/*{path}"), 404, "unknown-hook")
    problem(bob.ask("PUT", hook.path, change), 404, "unknown-hook")
    assert bob.ask("GET", "/v1/hooks").json() == {"hooks": []}
    assert hook.look() == hook.made


def test_every_webhook_operation_needs_a_key_with_scope_play(hook: OwnHook) -> None:
    other = hook.owner.make_key("bots", "logs", "keys")
    for method, path in EVERYTHING:
        problem(other.ask(method, hook.path + path), 403, "wrong-scope")
        problem(hook.owner.api.request(method, hook.path + path), 401, "no-key")
    problem(other.ask("GET", "/v1/hooks"), 403, "wrong-scope")
    assert hook.owner.make_key("play").ask("GET", hook.path).json() == hook.made


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"url": "ftp://ada.example/"}, 409, "bad-address"),
        ({"url": "http://ada@ada.example/"}, 409, "bad-address"),
        ({"url": "http://2130706433.1/"}, 409, "bad-address"),
        ({"url": ""}, 400, "bad-request"),
        ({"events": []}, 400, "bad-request"),
        ({"events": ["match.begun"]}, 400, "bad-request"),
        ({"events": ["match.finished"] * (len(EVENTS) + 1)}, 400, "bad-request"),
        ({"note": "\u202e"}, 409, "bad-name"),
        ({"secret": "mine"}, 400, "bad-request"),
    ],
)
def test_an_invalid_webhook_is_refused_on_creation_and_on_change(
    hook: OwnHook, change: dict[str, Any], status: int, code: str
) -> None:
    wanted = {"url": "https://ada.example/", "events": ["match.finished"], **change}
    problem(hook.owner.ask("POST", "/v1/hooks", wanted), status, code)
    problem(hook.ask("PUT", "", wanted), status, code)
    assert hook.look() == hook.made


def test_an_unusual_port_is_refused_unless_private_addresses_are_allowed(api: httpx.Client) -> None:
    wanted = {"url": "https://ada.example:22/", "events": ["match.finished"]}
    problem(Ada(api).ask("POST", "/v1/hooks", wanted), 409, "bad-address")


def test_the_number_of_webhooks_per_owner_is_limited(ada: Ada) -> None:
    for _ in range(MOST_HOOKS):
        OwnHook(ada, "https://ada.example/")
    wanted = {"url": "https://ada.example/", "events": ["match.finished"]}
    problem(ada.ask("POST", "/v1/hooks", wanted), 409, "no-room")
    assert OwnHook(Ada(ada.api), "https://ada.example/").look()


def test_put_replaces_url_events_note_and_enabled(hook: OwnHook) -> None:
    wanted = {"url": "https://ada.example/", "events": ["bot.disabled", "match.finished", "bot.disabled"]}
    changed = hook.ask("PUT", "", {**wanted, "enabled": False}).json()
    assert changed == hook.look()
    assert (changed["url"], changed["events"]) == (wanted["url"], ["match.finished", "bot.disabled"])
    assert (changed["enabled"], changed["note"]) == (False, "")
    assert hook.ask("PUT", "", wanted).json()["enabled"]


def test_a_deleted_webhook_is_unknown(hook: OwnHook) -> None:
    assert hook.ask("DELETE").status_code == 204
    for method, path in EVERYTHING:
        problem(hook.ask(method, path), 404, "unknown-hook")


def test_a_secret_rotation_keeps_two_secrets_until_the_old_one_is_deleted(hook: OwnHook) -> None:
    first = hook.ask("POST", "/secret")
    assert first.status_code == 201
    assert first.json()["secret"] != hook.secret
    assert hook.look()["two_secrets"]
    assert hook.ask("DELETE", "/secret").status_code == 204
    assert not hook.look()["two_secrets"]
