"""Messages to push bots: signatures, notices, info and the proof of the secret."""

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
import standardwebhooks

from splito_arena.bots.push_client import proof
from splito_arena.errors import WrongSignature
from splito_arena.faults import Fault
from splito_arena.net.http_client import Caller
from splito_arena.net.signing import ID, Key, new_secret, verify
from tests.arena.bots.push_client.clients import Requests, client_of, outcome, sent
from tests.arena.net.servers import Serve, answer, bot, nobody, read_request, says

pytestmark = pytest.mark.anyio


async def test_a_request_is_signed_with_all_secrets_of_the_bot() -> None:
    old, new = new_secret(), new_secret()
    here = Requests()
    async with bot(here) as target, Caller() as caller:
        await sent(client_of(caller, target.port, key=Key(old).rotated(new)), letter="m-0-1-1")
    [headers], [body] = here.headers, here.bodies
    for secret in (old, new):
        assert verify([secret], headers, body, time.time()) == "m-0-1-1"
        assert standardwebhooks.Webhook(secret).verify(body, headers) == {}
    with pytest.raises(WrongSignature):
        verify([new_secret()], headers, body, time.time())
    with pytest.raises(WrongSignature):
        verify([new], headers, body + b" ", time.time())


async def test_a_bot_without_a_secret_gets_no_signature() -> None:
    here = Requests()
    async with bot(here) as target, Caller() as caller:
        await sent(client_of(caller, target.port))
    assert not any(name.startswith("webhook") for name in here.headers[0])


async def test_a_notice_is_signed_with_its_own_id_and_its_answer_is_ignored() -> None:
    here, secret = Requests(b"nonsense"), new_secret()
    async with bot(here) as target, Caller() as caller:
        client = client_of(caller, target.port, key=Key(secret))
        for _ in range(3):
            client.tell("start", b'{"match":"m"}')
            await outcome(client)
        client_of(caller, nobody()).tell("end", b"{}")
    notices = [n for n, line in enumerate(here.lines) if line == "POST /start HTTP/1.1"]
    ids = {verify([secret], here.headers[n], here.bodies[n], time.time()) for n in notices}
    assert len(ids) == len(notices) == 3


async def test_info_is_requested_with_get() -> None:
    here = Requests(json.dumps({"name": "Ada", "author": "Grace", "version": "3", "games": ["splito"]}).encode())
    secret = new_secret()
    async with bot(here) as target, Caller() as caller:
        info = await client_of(caller, target.port, key=Key(secret), path="/bot").info()
    assert (info.name, info.batch, info.concurrency, info.notices) == ("Ada", 0, 1, False)
    assert here.lines == ["GET /bot/info HTTP/1.1"]
    assert verify([secret], here.headers[0], b"", time.time()) == here.headers[0][ID]


BAD_INFO: dict[str, tuple[dict[str, Any], str]] = {
    "no name": ({"name": ""}, "wrong-schema"),
    "a name for the terminal": ({"name": "\x1b[2J"}, "wrong-schema"),
    "a name of two lines": ({"name": "Ada\nGrace"}, "wrong-schema"),
    "a long name": ({"name": 65 * "x"}, "wrong-schema"),
    "no games": ({"games": []}, "wrong-schema"),
    "another contract": ({"contract": 2}, "wrong-schema"),
    "more at once than one may want": ({"concurrency": 10_000}, "wrong-schema"),
    "nothing at once": ({"concurrency": 0}, "wrong-schema"),
    "large batches": ({"batch": 65}, "wrong-schema"),
    "more to tell": ({"elo": 3000}, "wrong-schema"),
}


@pytest.mark.parametrize("name", BAD_INFO)
async def test_bad_info_is_a_fault(name: str) -> None:
    change, code = BAD_INFO[name]
    here = Requests(
        json.dumps({"name": "Ada", "author": "Grace", "version": "3", "games": ["splito"], **change}).encode()
    )
    async with bot(here) as target, Caller() as caller:
        with pytest.raises(Fault) as caught:
            await client_of(caller, target.port).info()
    assert caught.value.code == code


def proving(secret: str) -> Serve:
    """Proves that it knows the secret, if the challenge was signed with it."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head, body = await read_request(reader)
        headers = dict(line.decode().split(": ", 1) for line in head[1:])
        challenge = standardwebhooks.Webhook(secret).verify(body, headers)
        said = {"answer": proof(secret, challenge["challenge"])}
        writer.write(answer(json.dumps(said).encode()))

    return serve


async def proves(serve: Serve, key: Key) -> str | None:
    """The code of the fault, if there is one."""
    async with bot(serve) as target, Caller() as caller:
        try:
            await client_of(caller, target.port, key=key).prove()
        except Fault as fault:
            return fault.code
    return None


async def test_a_bot_that_knows_its_secret_passes_the_proof() -> None:
    old, new = new_secret(), new_secret()
    assert await proves(proving(old), Key(old)) is None
    assert await proves(proving(old), Key(old).rotated(new)) is None
    assert await proves(proving(new), Key(old).rotated(new)) is None


async def test_the_proof_is_computed_as_the_contract_says() -> None:
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # noqa: S105
    assert proof(secret, "hello") == "wR5u6fQZUvx7ZrpxoNvalf/EtYO61J7tWM0cTK9e6o8="


def answering(make: Callable[[str], object]) -> Serve:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _, body = await read_request(reader)
        writer.write(answer(json.dumps(make(json.loads(body)["challenge"])).encode()))

    return serve


async def test_a_bot_with_a_wrong_proof_is_refused() -> None:
    key, settled = Key(new_secret()), Key(new_secret()).rotated(new_secret()).settled()
    wrong = new_secret()
    assert await proves(answering(lambda challenge: {"answer": proof(wrong, challenge)}), key) == "wrong-schema"
    assert (
        await proves(answering(lambda challenge: {"answer": proof(key.current, challenge)}), settled) == "wrong-schema"
    )
    assert await proves(answering(lambda _: {"answer": proof(key.current, "an older one")}), key) == "wrong-schema"
    assert await proves(answering(lambda challenge: {"answer": challenge}), key) == "wrong-schema"
    assert await proves(answering(lambda _: {"answer": "ÄÖÜ"}), key) == "wrong-schema"
    assert await proves(answering(lambda _: {}), key) == "wrong-schema"


async def test_a_bot_that_does_not_answer_fails_the_proof() -> None:
    async with bot(says(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")) as target, Caller() as caller:
        with pytest.raises(Fault) as caught:
            await client_of(caller, target.port, key=Key(new_secret())).prove()
    assert caught.value.code == "bad-status"


async def test_a_client_without_a_secret_cannot_ask_for_the_proof() -> None:
    async with Caller() as caller:
        with pytest.raises(ValueError, match="secret"):
            await client_of(caller, nobody()).prove()
