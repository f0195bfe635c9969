"""Requests to a bot are signed with its secret, and the secret changes without a gap.

The signatures are verified with an independent library, as the author of a bot would do.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from msgspec.structs import replace
from standardwebhooks import Webhook, WebhookVerificationError

from splito_arena.net.signing import read_secret
from splito_service.bots.model import Registered
from splito_service.bots.store import Bots
from splito_service.signing_secrets import PREFIX
from splito_service.storage.client import Link
from tests.service.bots.own_bot import Marvin
from tests.service.matches.test_api import problem
from tests.service.pushed import Called, PushBot


def signed_by(secret: str, called: Called) -> bool:
    try:
        Webhook(secret).verify(called.body or b"", called.headers, json_parse=False)
    except WebhookVerificationError:
        return False
    return True


def test_every_request_to_a_bot_is_signed_with_its_secret(marvin: Marvin, served: PushBot) -> None:
    marvin.prove()
    assert [signed_by(marvin.secret, called) for called in served.called] == [True, True]
    assert len({called.headers["webhook-id"] for called in served.called}) == 2
    forged = served.called[1]._replace(body=served.called[1].body + b" ")
    assert not signed_by(marvin.secret, forged)


def test_first_requests_to_a_bot_are_also_signed_with_the_public_key_of_the_arena(
    marvin: Marvin, served: PushBot
) -> None:
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


def test_during_a_secret_rotation_both_secrets_are_valid(marvin: Marvin, served: PushBot) -> None:
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


def test_simultaneous_rotations_and_renames_of_a_bot_are_all_applied(marvin: Marvin, served: PushBot) -> None:
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
async def test_simultaneous_changes_of_a_stored_bot_are_all_applied(link: Link) -> None:
    bots = Bots(link)
    bot = await bots.create("ada", "push", "Marvin", "http://marvin.example")
    await asyncio.gather(*(bots.change(bot.id, _fail_once_more) for _ in range(20)))
    assert (await bots.get(bot.id)).failures == 20


def _fail_once_more(bot: Registered) -> Registered:
    return replace(bot, failures=bot.failures + 1)


def _proves(marvin: Marvin, served: PushBot, secret: str) -> bool:
    served.secret = secret
    return marvin.ask("POST", "/proof").status_code == 200
