"""Receiver of webhooks: checks signatures, meets the challenge of the arena, and knows events that came before.

receiver = Receiver(secret)
received = receiver.receive(headers, body)  # in a handler of your web framework
if received.event is not None:
    print(received.event["type"])
return 200, received.answer
"""

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from splito_bot.schemas.asks import ChallengeMet
from splito_bot.signing import meet_challenge, verify

CHALLENGE = "hook.challenge"
MOST_SEEN = 10_000
"""Ids of events that are remembered, to tell a repeated one; as many as the arena remembers for an owner."""


class Received(NamedTuple):
    """The result of one request of the arena."""

    event: dict[str, Any] | None
    """The event; None for a challenge, and for an event that has come before."""
    answer: bytes
    """JSON body for the answer, which must have the status 200."""


class Receiver:
    """Receiver of one webhook's events. While its secret is changed, give both secrets, the new one first."""

    def __init__(self, *secrets: str) -> None:
        if not secrets:
            raise ValueError("the secret of the hook is needed")
        self._secrets = secrets
        self._seen: dict[str, None] = {}

    def receive(self, headers: Mapping[str, str], body: bytes, now: float | None = None) -> Received:
        """Return the event and the answer to send. Raise `BadSignature` if the arena did not send the request.

        `body` is what came, byte for byte. The time is checked against `now`, by default the clock of this machine.
        """
        message_id = verify(self._secrets, headers, body, time.time() if now is None else now)
        event: dict[str, Any] = msgspec.json.decode(body, type=dict[str, Any])
        if event.get("type") == CHALLENGE:
            met = ChallengeMet(meet_challenge(self._secrets[0], event["data"]["challenge"]))
            return Received(None, msgspec.json.encode(met))
        return Received(event if self._is_new(message_id) else None, b"{}")

    def _is_new(self, message_id: str) -> bool:
        if message_id in self._seen:
            return False
        self._seen[message_id] = None
        while len(self._seen) > MOST_SEEN:
            del self._seen[next(iter(self._seen))]
        return True
