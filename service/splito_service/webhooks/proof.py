"""Proof of webhook addresses: a hook gets no events before its address has shown that it knows the hook's secret.

The challenge is a signed POST like an event, of the type `hook.challenge`; the answer has the form of a bot's answer to
its challenge (`splito_arena.bots.push_client`). It is sent under the same restrictions as every delivery: no private
address, no redirect.
"""

import hmac
import secrets
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from ipaddress import IPv6Address, ip_address, ip_network

import msgspec

from splito_arena.bots.push_client import new_message_id, proof
from splito_arena.errors import BadAddress
from splito_arena.faults import FAULTS, Fault
from splito_arena.match.messages import Challenge, ChallengeMet
from splito_arena.net.http_response import Reply
from splito_service.errors import NotProved
from splito_service.webhooks.delivery import Sender
from splito_service.webhooks.model import Parcel, StoredHook, proved
from splito_service.webhooks.schemas import HookChallengeEvent
from splito_service.webhooks.store import Hooks

MET = 'answer 200 with the JSON object {"answer": ...} as docs/webhooks.md says'


class HookProver:
    """The prover of hooks in one event loop: it sends challenges and checks the answers."""

    def __init__(self, hooks: Hooks, sender: Sender) -> None:
        self._hooks, self._sender = hooks, sender

    async def prove(self, hook: StoredHook, permit: Callable[[str], Awaitable[None]]) -> StoredHook:
        """Send a challenge to the hook and return the hook as proved.

        Raise `NotProved` if the answer is wrong, `LookupFailed` if the host could not be looked up. `permit` is called
        with the network of the address before anything is sent there, and may raise.
        """
        challenge = secrets.token_urlsafe(32)
        event = HookChallengeEvent(timestamp=datetime.now(UTC), data=Challenge(challenge))
        parcel = Parcel("", new_message_id(), msgspec.json.encode(event))
        try:
            reply = await self._sender.send(hook, parcel, lambda address: permit(network_of(address)))
        except Fault as fault:
            raise NotProved(f"{fault}; {FAULTS[fault.code].advice}", field="url") from None
        except BadAddress as error:
            raise NotProved(error.message, field="url") from None
        _check(hook, challenge, reply)
        return await self._hooks.change(hook.id, partial(proved, url=hook.url))


def network_of(address: str) -> str:
    """Return the network by which challenges are counted: an IPv4 address, or the /64 of an IPv6 address."""
    found = ip_address(address)
    return str(ip_network((address, 64), strict=False)) if isinstance(found, IPv6Address) else address


def _check(hook: StoredHook, challenge: str, reply: Reply) -> None:
    """Raise `NotProved` unless the answer proves a secret of the hook. The error does not quote the answer."""
    if reply.status != 200:
        raise NotProved(f"the status is {reply.status}, not 200: {MET}", field="url")
    try:
        met = msgspec.json.decode(reply.body, type=ChallengeMet)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise NotProved(f"the answer has the wrong form: {MET}", field="url") from None
    known = (hook.secrets.current, hook.secrets.previous)
    expected = [proof(secret, challenge) for secret in known if secret is not None]
    if not any(hmac.compare_digest(met.answer.encode(), one.encode()) for one in expected):
        raise NotProved("the challenge was not met: answer it with the secret of this webhook", field="url")
