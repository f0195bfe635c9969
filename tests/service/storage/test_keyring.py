"""The arena's Ed25519 key and the secret of seat tokens are rotated while two processes of the service run."""

import asyncio
import base64
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from splito_arena.reports.dump_head import key_id
from splito_engine.errors import BadOption
from splito_service.errors import NoToken
from splito_service.matches import seat_tokens
from splito_service.matches.seat_tokens import SEAT_SECRET, Sitting, Tokens
from splito_service.processes.embedded_redis import open_server
from splito_service.signing import ARENA_KEY, Signer, public_of
from splito_service.signing_secrets import PREFIX, Secrets
from splito_service.storage.client import Link
from splito_service.storage.keyring import BARE, LEAD, MOST, REFRESH, KeyKind, Keyring, Keys, RotatingKey, text_of
from tests.service.process import NO_LIMITS, running
from tests.service.pushed import Called, serving

pytestmark = pytest.mark.anyio
HOUR = 3_600_000
SEATS = [{"kind": "person", "name": "Ann"}, {"kind": "bot", "bot": "greedy"}]


def until(happened: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture
def server_url(tmp_path: Path) -> Iterator[str]:
    with open_server(tmp_path, "everysec") as server:
        yield server.url


@pytest.fixture
def services(server_url: str) -> Iterator[tuple[httpx.Client, httpx.Client]]:
    """Two processes of one service."""
    settings = {**NO_LIMITS, "SPLITO_HOUSE_LADDER": "0", "SPLITO_ALLOW_PRIVATE_BOTS": "1"}
    with ExitStack() as stack:
        urls = [stack.enter_context(running(server_url, settings)).url for _ in range(2)]
        one, other = (stack.enter_context(httpx.Client(base_url=url, timeout=60)) for url in urls)
        yield one, other


def splito(redis_url: str, *words: str) -> Any:
    command = [sys.executable, "-m", "splito_cli", "keys", *words, "--json"]
    ran = subprocess.run(
        command, env={**os.environ, "SPLITO_REDIS_URL": redis_url}, capture_output=True, check=True, timeout=60
    )
    return msgspec.json.decode(ran.stdout)


def seated(api: httpx.Client) -> tuple[str, dict[str, str]]:
    """Return the path of a new match, and the headers of the player at seat 0."""
    answer = api.post("/v1/splitter/matches", json={"seats": SEATS})
    assert answer.status_code == 201, answer.text
    return answer.headers["Location"], {"Authorization": f"Bearer {answer.json()['tokens'][0]}"}


def test_seat_tokens_of_the_previous_secret_stay_valid_in_every_process(
    server_url: str, services: tuple[httpx.Client, httpx.Client]
) -> None:
    old = [seated(api) for api in services]
    newest, previous = splito(server_url, "rotate", "seats")
    assert (newest["until"], newest["used"], newest["key"]) == (None, False, None)
    assert previous["used"]
    until(lambda: splito(server_url, "list")[-2]["used"])  # from now on tokens are by the new secret
    new = [seated(api) for api in services]
    for api in services:
        for path, headers in [*old, *new]:
            assert api.get(path, headers=headers).status_code == 200
    splito(server_url, "rotate", "seats", "--keep-days", "0")
    for api in services:
        until(lambda api=api: all(api.get(path, headers=headers).status_code == 401 for path, headers in [*old, *new]))
        path, headers = seated(api)
        assert all(one.get(path, headers=headers).status_code == 200 for one in services)


def test_requests_to_bots_are_signed_with_both_keys_of_the_arena_and_both_are_published(
    server_url: str, services: tuple[httpx.Client, httpx.Client]
) -> None:
    first = services[0].get("/v1/signing-key").json()
    assert [one["key"] for one in first["keys"]] == [first["key"]]
    splito(server_url, "rotate", "arena", "--keep-days", "1")
    for api in services:
        until(lambda api=api: len(api.get("/v1/signing-key").json()["keys"]) == 2)
        listed = api.get("/v1/signing-key").json()
        assert [one["until"] is None for one in listed["keys"]] == [True, False]
        until(lambda api=api: api.get("/v1/signing-key").json()["key"] != first["key"])
    both = [one["key"] for one in services[1].get("/v1/signing-key").json()["keys"]]
    owner = services[1].post("/v1/owners", json={"name": "Ada"}).json()
    with serving() as bot:
        headers = {"Authorization": f"Bearer {owner['key']}"}
        wanted = {"name": "Marvin", "kind": "push", "url": bot.url}
        made = services[1].post("/v1/bots", json=wanted, headers=headers).json()
        bot.secret = made["secret"]
        proved = services[1].post(f"/v1/bots/{made['bot']['id']}/proof", headers=headers)
        assert proved.status_code == 200, proved.text
    for called in bot.called:
        assert [is_by(key, called) for key in both] == [True, True]
        assert called.headers["webhook-id"].startswith(f"{made['bot']['id']}_")
    splito(server_url, "rotate", "arena", "--keep-days", "0")
    for api in services:
        until(lambda api=api: api.get("/v1/signing-key").json()["key"] not in both)
        listed = api.get("/v1/signing-key").json()["keys"]
        assert {one["key"] for one in listed[1:]} == {*both}  # so that old dumps can still be verified
        assert all(one["until"] for one in listed[1:])
        assert [one["id"] for one in listed] == [key_id(one["key"]) for one in listed]


def is_by(public: str, called: Called) -> bool:
    headers = called.headers
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + called.body
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public.removeprefix(PREFIX)))
    for signature in headers["webhook-signature"].split():
        if signature.startswith("v1a,"):
            try:
                key.verify(base64.b64decode(signature.removeprefix("v1a,")), content)
            except InvalidSignature:
                continue
            return True
    return False


@pytest.fixture
async def link(server_url: str) -> Any:
    async with Link(server_url) as link:
        yield link


async def test_a_key_stored_before_key_rotation_stays_valid(link: Link) -> None:
    await link.call("SET", SEAT_SECRET.place, b"s" * BARE)
    assert (await Keyring(link, SEAT_SECRET).read()).keys == (RotatingKey(secret=b"s" * BARE),)
    token = await Tokens(link).issue("splito", "m", Sitting(0, 1))
    await Keyring(link, SEAT_SECRET).rotate(HOUR)
    assert await Tokens(link).read("splito", "m", f"Bearer {token}") == Sitting(0, 1)


async def test_a_process_caches_the_token_secrets_for_some_seconds(link: Link, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [time.monotonic()]
    monkeypatch.setattr(seat_tokens, "monotonic", lambda: now[0])
    ours = Tokens(link)
    old = await ours.issue("splito", "m", Sitting(0, 1))
    assert await ours.read("splito", "m", f"Bearer {old}") == Sitting(0, 1)
    await Keyring(link, SEAT_SECRET).rotate(0)
    new = await Tokens(link).issue("splito", "m", Sitting(0, 2))
    assert await ours.read("splito", "m", f"Bearer {old}") == Sitting(0, 1)
    now[0] += REFRESH
    assert await ours.read("splito", "m", f"Bearer {new}") == Sitting(0, 2)
    with pytest.raises(NoToken):
        await ours.read("splito", "m", f"Bearer {old}")


async def test_simultaneous_rotations_are_all_stored(link: Link) -> None:
    await asyncio.gather(*(Keyring(link, SEAT_SECRET).rotate(HOUR) for _ in range(MOST - 1)))
    keys = (await Keyring(link, SEAT_SECRET).read()).keys
    assert len({key.secret for key in keys}) == MOST
    with pytest.raises(BadOption, match="8 keys are accepted already"):
        await Keyring(link, SEAT_SECRET).rotate(HOUR)
    assert len((await Keyring(link, SEAT_SECRET).rotate(0)).keys) == 1


async def test_a_previous_key_expires_as_announced_even_after_another_rotation(link: Link) -> None:
    ring = Keyring(link, ARENA_KEY)
    first = (await ring.read()).keys[0]
    ends = (await ring.rotate(HOUR)).keys[1].until_ms
    again = await ring.rotate(24 * HOUR)
    assert [key.until_ms for key in again.keys if key.secret == first.secret] == [ends]
    now = again.keys[0].since_ms
    assert again.current(now - 1) != again.keys[0]
    assert again.current(now) == again.keys[0]
    assert first.secret not in {key.secret for key in again.accepted(ends or 0)}
    dropped = await ring.rotate(0)
    assert text_of(public_of(first.secret), PREFIX) in {one.key for one in await Signer(link).published()}
    assert all(first.secret not in (key.secret, getattr(key, "public", b"")) for key in dropped.keys)


async def test_the_new_key_is_accepted_before_it_is_used() -> None:
    keys = Keys(keys=(RotatingKey(secret=b"new", since_ms=LEAD), RotatingKey(secret=b"old", until_ms=HOUR)))
    assert [key.secret for key in keys.accepted(0)] == [b"new", b"old"]
    assert keys.current(0).secret == b"old"
    assert keys.current(LEAD).secret == b"new"
    assert [key.secret for key in keys.accepted(HOUR)] == [b"new"]


async def test_the_key_of_a_bot_is_the_same_object_until_a_rotation(link: Link) -> None:
    """A player of a bot is made anew only when the key has changed."""
    signer, secrets = Signer(link), Secrets("whsec_" + "A" * 32)
    assert await signer.key(secrets, "owl") == await signer.key(secrets, "owl")
    assert await signer.key(secrets, "owl") != await signer.key(secrets, "fox")


async def test_a_token_of_an_expired_secret_is_refused(link: Link) -> None:
    strange = KeyKind("another-secret", lambda: b"x" * BARE)
    await Keyring(link, strange).read()
    token = await Tokens(link).issue("splito", "m", Sitting(0, 1))
    await Keyring(link, SEAT_SECRET).rotate(0)
    with pytest.raises(NoToken):
        await Tokens(link).read("splito", "m", f"Bearer {token}")
