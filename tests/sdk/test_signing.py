"""The SDK judges a signed message as the arena and the reference library do, and meets a challenge."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook

import splito_arena.net.signing
from splito_arena.bots.push_client import proof
from splito_arena.net.signing import ID, SIGNATURE, TIMESTAMP, Key, new_secret, sign
from splito_bot.signing import (
    BadSecret,
    Replayed,
    Seen,
    StaleMessage,
    WrongRecipient,
    WrongSignature,
    meet_challenge,
    verify,
    verify_ed25519,
)
from tests.sdk.signatures import BODY, BOTH, CASES, HEADERS, NOW, PUBLIC, SECRET, verdict


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_sdk_and_the_arena_accept_and_refuse_the_same_signatures(case: tuple[Any, ...]) -> None:
    assert verdict(verify, *case) == verdict(splito_arena.net.signing.verify, *case)


def test_the_cases_include_every_kind_of_refusal() -> None:
    codes = {verdict(verify, *case)[0] for case in CASES.values()}
    assert codes == {"msg_1", "missing-header", "stale-message", "wrong-signature", "bad-secret"}


@given(st.text(max_size=100))
def test_signatures_of_the_reference_library_are_accepted(text: str) -> None:
    now = datetime.now(UTC)
    signature = Webhook(SECRET).sign("msg_1", now, text)
    headers = {ID: "msg_1", TIMESTAMP: str(int(now.timestamp())), SIGNATURE: signature}
    assert verify([SECRET], headers, text.encode(), now.timestamp()) == "msg_1"


def test_the_reference_library_accepts_the_same_messages() -> None:
    now = int(datetime.now(UTC).timestamp())
    headers = sign(Key(SECRET), "msg_1", now, BODY)
    assert Webhook(SECRET).verify(BODY, headers) == {"test": 2432232314}
    assert verify([SECRET], headers, BODY, now) == "msg_1"


def test_a_secret_is_never_repeated_in_an_error() -> None:
    secret = "whsec_" + "A" * 20
    with pytest.raises(BadSecret) as caught:
        verify([secret], HEADERS, BODY, NOW)
    assert secret not in str(caught.value)


def test_an_ed25519_signature_is_checked_with_the_public_key_alone() -> None:
    assert verify_ed25519(PUBLIC, BOTH, BODY, NOW, recipient="owl") == "owl_msg_1"
    assert verify([SECRET], BOTH, BODY, NOW) == "owl_msg_1"


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        pytest.param(BOTH, BODY + b" ", id="another body"),
        pytest.param({**BOTH, ID: "msg_2"}, BODY, id="another id"),
        pytest.param(HEADERS, BODY, id="only an HMAC"),
        pytest.param({**BOTH, SIGNATURE: BOTH[SIGNATURE].replace("v1a,", "v1,")}, BODY, id="another version"),
        pytest.param({**BOTH, SIGNATURE: "v1a,AAAA v1a,!"}, BODY, id="no signature at all"),
    ],
)
def test_messages_without_a_signature_of_the_arena_are_refused(headers: Mapping[str, str], body: bytes) -> None:
    with pytest.raises(WrongSignature):
        verify_ed25519(PUBLIC, headers, body, NOW, recipient="owl")


@pytest.mark.parametrize("recipient", ["fox", "ow", "owl_", ""])
def test_messages_for_another_bot_are_refused(recipient: str) -> None:
    with pytest.raises(WrongRecipient):
        verify_ed25519(PUBLIC, BOTH, BODY, NOW, recipient=recipient)
    if recipient:
        with pytest.raises(WrongRecipient):
            verify([SECRET], BOTH, BODY, NOW, recipient=recipient)


def test_an_old_ed25519_signature_is_refused() -> None:
    with pytest.raises(StaleMessage):
        verify_ed25519(PUBLIC, BOTH, BODY, NOW + 301, recipient="owl")


@pytest.mark.parametrize("key", ["", "whpk_", PUBLIC.removeprefix("whpk_"), PUBLIC[:-8], "whpk_!", SECRET])
def test_a_public_key_of_another_form_is_refused(key: str) -> None:
    with pytest.raises(BadSecret, match="write the public key as whpk_"):
        verify_ed25519(key, BOTH, BODY, NOW, recipient="owl")


@given(st.text(min_size=1, max_size=64))
def test_the_answer_to_a_challenge_is_the_one_that_the_arena_expects(challenge: str) -> None:
    secret = new_secret()
    assert meet_challenge(secret, challenge) == proof(secret, challenge)


def test_a_message_is_admitted_once_as_long_as_it_could_be_fresh() -> None:
    seen = Seen(limit=2)
    seen.admit("a", NOW)
    with pytest.raises(Replayed, match="has come before"):
        seen.admit("a", NOW + 600)
    seen.admit("a", NOW + 601)


def test_a_full_memory_refuses_new_messages_instead_of_forgetting_old_ones() -> None:
    seen = Seen(limit=2)
    seen.admit("a", NOW)
    seen.admit("b", NOW)
    with pytest.raises(Replayed, match="2 messages are remembered already"):
        seen.admit("c", NOW)
    assert len(seen) == 2
