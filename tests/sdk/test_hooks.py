"""The receiver of the SDK takes what the arena sends to a hook, once, and nothing else."""

import msgspec
import pytest

from splito_arena.bots.push_client import proof
from splito_arena.net.signing import Key, new_secret, sign
from splito_bot.hooks import MOST_SEEN, Receiver
from splito_bot.signing import BadSignature

NOW = 1_800_000_000
EVENT = {"type": "tournament.finished", "timestamp": "2026-11-16T12:00:00Z", "data": {"blocks": 120}}
CHALLENGE = {"type": "hook.challenge", "timestamp": "2026-11-16T12:00:00Z", "data": {"challenge": "example"}}


def signed(secret: str, event: object, message_id: str = "event-1", at: int = NOW) -> tuple[dict[str, str], bytes]:
    body = msgspec.json.encode(event)
    return sign(Key(secret), message_id, at, body), body


def test_a_challenge_is_answered_and_is_no_event() -> None:
    secret = new_secret()
    received = Receiver(secret).receive(*signed(secret, CHALLENGE), now=NOW)
    assert received.event is None
    assert msgspec.json.decode(received.answer) == {"answer": proof(secret, "example")}


def test_an_event_that_is_sent_twice_is_received_once() -> None:
    secret = new_secret()
    receiver = Receiver(secret)
    said = [receiver.receive(*signed(secret, EVENT, at=at), now=at).event for at in (NOW, NOW + 21_600)]
    assert said == [EVENT, None]
    assert receiver.receive(*signed(secret, EVENT, "event-2"), now=NOW).event == EVENT


def test_only_the_last_ids_are_remembered() -> None:
    secret = new_secret()
    receiver = Receiver(secret)
    for number in range(MOST_SEEN + 1):
        receiver.receive(*signed(secret, EVENT, f"event-{number}"), now=NOW)
    assert receiver.receive(*signed(secret, EVENT, "event-1"), now=NOW).event is None
    assert receiver.receive(*signed(secret, EVENT, "event-0"), now=NOW).event == EVENT


def test_both_secrets_are_accepted_during_a_change() -> None:
    new, old = new_secret(), new_secret()
    receiver = Receiver(new, old)
    assert receiver.receive(*signed(old, EVENT), now=NOW).event == EVENT
    assert receiver.receive(*signed(new, EVENT, "event-2"), now=NOW).event == EVENT


def test_messages_and_challenges_that_the_arena_did_not_sign_are_refused() -> None:
    secret = new_secret()
    for event in (EVENT, CHALLENGE):
        headers, body = signed(new_secret(), event)
        with pytest.raises(BadSignature):
            Receiver(secret).receive(headers, body, now=NOW)
        headers, body = signed(secret, event)
        with pytest.raises(BadSignature):
            Receiver(secret).receive(headers, body + b" ", now=NOW)
        with pytest.raises(BadSignature):
            Receiver(secret).receive(headers, body, now=NOW + 3600)
