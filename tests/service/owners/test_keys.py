"""A key belongs to one owner, grants its scopes until it is deleted, cannot be forged and is stored as a hash."""

import asyncio
from typing import Any

import httpx
import pytest

from splito_service.errors import NoKey, NoRoom, WrongScope
from splito_service.owners.keys import Keys
from splito_service.owners.model import SCOPES, Scope
from splito_service.owners.store import MOST_KEYS, Owners
from splito_service.storage.client import Link
from splito_service.storage.connect import Client
from tests.service.matches.test_api import problem

UNKNOWN = "0" * 24


class Ada:
    """An owner, asking with a key."""

    def __init__(self, api: httpx.Client, key: str | None = None) -> None:
        self.api = api
        self.made: Any = {} if key else api.post("/v1/owners", json={"name": "Ada"}).json()
        self.key: str = key or self.made["key"]

    def ask(self, method: str, path: str, body: Any = None) -> httpx.Response:
        return self.api.request(method, path, json=body, headers={"Authorization": f"Bearer {self.key}"})

    def make_key(self, *scopes: Scope, note: str = "") -> "Ada":
        made = self.ask("POST", "/v1/keys", {"scopes": scopes, "note": note})
        assert made.status_code == 201, made.text
        return Ada(self.api, made.json()["key"])

    @property
    def key_id(self) -> str:
        return self.key.split("-")[1]


@pytest.fixture
def ada(api: httpx.Client) -> Ada:
    return Ada(api)


@pytest.mark.anyio
async def test_a_key_issued_by_one_process_is_read_by_another(link: Link) -> None:
    owner = await Owners(link).create("Ada")
    kept, key = await Keys(Owners(link)).issue(owner.id, ["play", "bots"])
    for scheme in ("Bearer", "bearer"):
        holder = await Keys(Owners(link)).read(f"{scheme} {key}", "bots")
        assert holder == (owner.id, kept.id, {"bots", "play"})
    with pytest.raises(WrongScope):
        await Keys(Owners(link)).read(f"Bearer {key}", "keys")


@pytest.mark.anyio
async def test_an_altered_key_is_refused(link: Link) -> None:
    keys = Keys(Owners(link))
    _, key = await keys.issue("ada", SCOPES)
    _, other = await keys.issue("bob", SCOPES)
    mixed = key[:29] + other[29:]
    others = [key[:-1], key + "A", mixed, key.replace("key-", "seat-"), key.upper(), "", "é" * 40]
    others += [key[:place] + ("B" if key[place] != "B" else "C") + key[place + 1 :] for place in (10, 30, 50, 71)]
    for text in others:
        with pytest.raises(NoKey):
            await keys.read(f"Bearer {text}", "bots")
    for authorization in (None, key, f"Basic {key}"):
        with pytest.raises(NoKey):
            await keys.read(authorization, "bots")


@pytest.mark.anyio
async def test_redis_stores_no_key_in_plain_text(link: Link, redis: Client) -> None:
    kept, key = await Keys(Owners(link)).issue("ada", SCOPES)
    secret = key.removeprefix(f"key-{kept.id}-").encode()
    found = [await redis.get(name) for name in await redis.keys("key:*")]
    assert any(kept.id.encode() in value for value in found)
    assert not any(secret in value for value in found)


@pytest.mark.anyio
async def test_the_number_of_keys_per_owner_is_limited_for_simultaneous_requests(link: Link) -> None:
    keys = Keys(Owners(link))
    made = await asyncio.gather(*(keys.issue("eve", ["play"]) for _ in range(MOST_KEYS + 7)), return_exceptions=True)
    assert sum(isinstance(one, NoRoom) for one in made) == 7
    assert len(await Owners(link).keys_of("eve")) == MOST_KEYS


def test_the_first_key_of_an_owner_has_all_scopes(ada: Ada) -> None:
    assert ada.made.keys() == {"id", "name", "key"}
    (only,) = ada.ask("GET", "/v1/keys").json()["keys"]
    assert only["scopes"] == list(SCOPES)
    assert (only["id"], only["ends"]) == (ada.key_id, ada.key[-4:])


def test_keys_are_listed_with_their_notes_but_without_their_secret(ada: Ada) -> None:
    laptop = ada.make_key("play", "logs", note="laptop")
    answer = ada.ask("GET", "/v1/keys")
    assert [(key["id"], key["note"]) for key in answer.json()["keys"]] == [(ada.key_id, ""), (laptop.key_id, "laptop")]
    assert answer.json()["keys"][1]["scopes"] == ["play", "logs"]
    assert laptop.key[-10:] not in answer.text


def test_a_deleted_key_is_refused_like_an_unknown_key(ada: Ada) -> None:
    laptop = ada.make_key("keys")
    assert laptop.ask("GET", "/v1/keys").status_code == 200
    assert ada.ask("DELETE", f"/v1/keys/{laptop.key_id}").status_code == 204
    deleted = problem(laptop.ask("GET", "/v1/keys"), 401, "no-key")
    never = Ada(ada.api, f"key-{UNKNOWN}-{'x' * 43}")
    assert problem(never.ask("GET", "/v1/keys"), 401, "no-key") == deleted
    assert laptop.ask("GET", "/v1/keys").headers["WWW-Authenticate"] == "Bearer"
    problem(ada.ask("DELETE", f"/v1/keys/{laptop.key_id}"), 404, "unknown-key")


def test_the_key_in_use_can_be_deleted_too(ada: Ada) -> None:
    assert ada.ask("DELETE", f"/v1/keys/{ada.key_id}").status_code == 204
    problem(ada.ask("GET", "/v1/keys"), 401, "no-key")


def test_keys_of_another_owner_are_unknown(ada: Ada, api: httpx.Client) -> None:
    bob = Ada(api)
    problem(bob.ask("DELETE", f"/v1/keys/{ada.key_id}"), 404, "unknown-key")
    problem(bob.ask("DELETE", "/v1/keys/*"), 404, "unknown-key")
    assert [key["id"] for key in bob.ask("GET", "/v1/keys").json()["keys"]] == [bob.key_id]
    assert ada.ask("GET", "/v1/keys").status_code == 200


NEEDED: list[tuple[str, str, Scope]] = [
    ("POST", "/v1/keys", "keys"),
    ("GET", "/v1/keys", "keys"),
    ("DELETE", f"/v1/keys/{UNKNOWN}", "keys"),
    ("POST", "/v1/bots", "bots"),
    ("GET", f"/v1/bots/{UNKNOWN}", "bots"),
    ("PUT", f"/v1/bots/{UNKNOWN}", "bots"),
    ("DELETE", f"/v1/bots/{UNKNOWN}", "bots"),
    ("POST", f"/v1/bots/{UNKNOWN}/proof", "bots"),
    ("PUT", f"/v1/bots/{UNKNOWN}/info", "bots"),
    ("POST", f"/v1/bots/{UNKNOWN}/secret", "bots"),
    ("DELETE", f"/v1/bots/{UNKNOWN}/secret", "bots"),
]


@pytest.mark.parametrize(("method", "path", "scope"), NEEDED)
def test_a_key_without_the_scope_is_refused(ada: Ada, method: str, path: str, scope: Scope) -> None:
    others: list[Scope] = [other for other in SCOPES if other != scope]
    problem(ada.make_key(*others).ask(method, path), 403, "wrong-scope")
    assert ada.make_key(scope).ask(method, path).status_code != 403


@pytest.mark.parametrize(("method", "path", "scope"), NEEDED)
def test_a_request_without_a_key_is_refused(api: httpx.Client, method: str, path: str, scope: Scope) -> None:
    answer = api.request(method, path)
    if (method, scope) == ("GET", "bots"):
        problem(answer, 404, "unknown-bot")
    else:
        problem(answer, 401, "no-key")


def test_a_key_cannot_create_a_key_with_more_scopes(ada: Ada) -> None:
    maker = ada.make_key("keys", "play")
    problem(maker.ask("POST", "/v1/keys", {"scopes": ["play", "bots"]}), 403, "wrong-scope")
    child = maker.make_key("play")
    problem(child.ask("GET", "/v1/keys"), 403, "wrong-scope")
    assert len(ada.ask("GET", "/v1/keys").json()["keys"]) == 3


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"scopes": []}, 400, "bad-request"),
        ({"scopes": ["everything"]}, 400, "bad-request"),
        ({"scopes": ["play"], "owner": "bob"}, 400, "bad-request"),
        ({"scopes": ["play"], "note": "x" * 65}, 400, "bad-request"),
        ({"scopes": ["play"], "note": "\x1b[2J"}, 409, "bad-name"),
    ],
)
def test_an_invalid_key_request_is_refused(ada: Ada, body: Any, status: int, code: str) -> None:
    problem(ada.ask("POST", "/v1/keys", body), status, code)


@pytest.mark.parametrize("name", ["\x00", " ", "\u202eadA"])
def test_an_owner_with_an_unreadable_name_is_refused(api: httpx.Client, name: str) -> None:
    problem(api.post("/v1/owners", json={"name": name}), 409, "bad-name")


@pytest.mark.parametrize("scope", SCOPES)
def test_any_key_reads_its_owner_and_its_own_scopes(ada: Ada, scope: Scope) -> None:
    key = ada.make_key(scope)
    assert key.ask("GET", "/v1/owner").json() == {
        "id": ada.made["id"],
        "name": "Ada",
        "key": key.key_id,
        "scopes": [scope],
        "banned": None,
    }
