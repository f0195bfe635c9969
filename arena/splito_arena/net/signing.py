"""Signatures of the messages from the arena to bots, after the Standard Webhooks specification.

A signature proves four things to a bot: that the arena wrote the message (HMAC-SHA256 with a shared secret), when (the
time is signed), which message it is (the id is signed, and a bot remembers it to refuse a replay), and who receives it
(the id begins with the id of the recipient). A bot that checks only the arena's Ed25519 signature, whose key is the
same for all bots, can therefore refuse a message signed for another bot. See
https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md.
"""

import base64
import binascii
import hmac
import re
import secrets as chance
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache
from typing import Any

import msgspec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC

from splito_arena.errors import BadSecret, MissingHeader, Replayed, StaleMessage, WrongRecipient, WrongSignature

TOLERANCE = 300
PREFIX = "whsec_"
SHORTEST, LONGEST = 24, 64  # least and greatest number of bytes of a secret
MOST_SIGNATURES = 16
ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"

# Neither may contain a full stop, because it separates the signed parts and text could move from one to the next.
_SHAPES = {
    ID: re.compile(r"[A-Za-z0-9_-]{1,128}"),
    TIMESTAMP: re.compile(r"[0-9]{1,12}"),
    SIGNATURE: re.compile(rf"[!-~]+(?: [!-~]+){{0,{MOST_SIGNATURES - 1}}}"),
}


_IS_ID = _SHAPES[ID].fullmatch


class Key(msgspec.Struct, frozen=True, dict=True):
    """The secrets and keys that sign the messages to one bot; no two bots share them.

    `previous` also signs while a bot changes its secret. `ed25519` signs for bots that hold no secret: the `sign`
    methods of private keys of any library, several while the arena changes its key. `recipient` is the id of the bot;
    "" for a bot without an id, because it was not registered.
    """

    current: str
    previous: str | None = None
    ed25519: tuple[Callable[[bytes], bytes], ...] = ()
    recipient: str = ""

    def __post_init__(self) -> None:
        for secret in self.secrets:
            read_secret(secret)

    def __repr__(self) -> str:
        return "Key(...)"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return []

    @property
    def secrets(self) -> tuple[str, ...]:
        return (self.current,) if self.previous is None else (self.current, self.previous)

    @cached_property
    def keyed(self) -> tuple[HMAC, ...]:
        """Return HMACs ready to be copied, because to start one from a secret takes as long as the rest."""
        return tuple(map(_keyed, self.secrets))

    def rotated(self, secret: str) -> "Key":
        """Return the key with a new secret, beside the old one; `settled` ends the overlap."""
        return msgspec.structs.replace(self, current=secret, previous=self.current)

    def settled(self) -> "Key":
        return msgspec.structs.replace(self, previous=None)


class Seen:
    """The ids of received messages, kept while their signatures may still be fresh.

    That is twice the tolerance, because a sender's clock may be ahead of ours. At `limit` ids further messages are
    refused and none is forgotten; only a sender that knows the secret can reach the limit. Check after `verify`.
    """

    def __init__(self, limit: int, tolerance: int = TOLERANCE) -> None:
        self._limit = limit
        self._span = 2 * tolerance
        self._came: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._came)

    def admit(self, message_id: str, now: float) -> None:
        self._forget(now)
        if message_id in self._came:
            raise Replayed(f"message {message_id} has come before: send a new one with a new id", field=ID)
        if len(self._came) >= self._limit:
            raise Replayed(f"{self._limit} messages are remembered already: send fewer, or raise the limit", field=ID)
        self._came[message_id] = now

    def _forget(self, now: float) -> None:
        # Oldest first. After the clock went back, younger ids wait for older ones, which is late but safe.
        while self._came and now - next(iter(self._came.values())) > self._span:
            del self._came[next(iter(self._came))]


def new_secret() -> str:
    return PREFIX + base64.b64encode(chance.token_bytes(32)).decode()


def sign(key: Key, message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the headers to send with exactly these bytes. A retry needs a new id and a new timestamp."""
    headers = {ID: _shaped(ID, addressed(key.recipient, message_id)), TIMESTAMP: _shaped(TIMESTAMP, str(timestamp))}
    return {**headers, SIGNATURE: _signatures(key, _before(headers), body)}


def signed_lines(key: Key, message_id: str, timestamp: int, body: bytes) -> bytes:
    """Return the headers of `sign` as lines of a request."""
    if key.recipient:
        message_id = addressed(key.recipient, message_id)
    if not _IS_ID(message_id):
        _shaped(ID, message_id)
    signatures = _signatures(key, f"{message_id}.{timestamp}.".encode(), body)
    return f"{ID}: {message_id}\r\n{TIMESTAMP}: {timestamp}\r\n{SIGNATURE}: {signatures}\r\n".encode()


def verify(  # noqa: PLR0913 (what came, and what it is compared with)
    secrets: Iterable[str],
    headers: Mapping[str, str],
    body: bytes,
    now: float,
    tolerance: int = TOLERANCE,
    *,
    recipient: str = "",
) -> str:
    """Return the id of the message, for `Seen`, if any of its signatures was made with any of the secrets.

    Signatures of other kinds, such as `v1a`, are ignored. Raise `WrongSignature` if no signature is right,
    `StaleMessage` if the time is off, `WrongRecipient` if a recipient is given and the message is for another.
    """
    found = _read(headers)
    _check_time(int(found[TIMESTAMP]), now, tolerance)
    before = _before(found)
    given = [signature.encode() for signature in found[SIGNATURE].split(" ")]
    expected = [_hmac(_keyed(secret), before, body).encode() for secret in secrets]
    if not any(hmac.compare_digest(ours, theirs) for ours in expected for theirs in given):
        raise WrongSignature(
            "no signature is right: sign the bytes of the body as they are sent, with the secret of this bot",
            field=SIGNATURE,
        )
    if recipient and not found[ID].startswith(addressed(recipient, "")):
        raise WrongRecipient(f"this message is not for bot {recipient}: the arena wrote it to another", field=ID)
    return found[ID]


def addressed(recipient: str, message_id: str) -> str:
    """Return the message id as it is sent: with the id of its recipient in front."""
    return f"{recipient}_{message_id}" if recipient else message_id


def _signatures(key: Key, before: bytes, body: bytes) -> str:
    signatures = _hmac(key.keyed[0], before, body)
    for other in key.keyed[1:]:
        signatures += " " + _hmac(other, before, body)
    for ed25519 in key.ed25519:
        signatures += " v1a," + base64.b64encode(ed25519(before + body)).decode()
    return signatures


def _hmac(keyed: HMAC, before: bytes, body: bytes) -> str:
    signature = keyed.copy()
    signature.update(before)
    signature.update(body)
    return "v1," + binascii.b2a_base64(signature.finalize(), newline=False).decode()


def _keyed(secret: str) -> HMAC:
    return HMAC(read_secret(secret), SHA256())


def _before(headers: Mapping[str, str]) -> bytes:
    """Return the signed bytes before the body."""
    return f"{headers[ID]}.{headers[TIMESTAMP]}.".encode()


@lru_cache(maxsize=4096)
def read_secret(secret: str) -> bytes:
    """Return the bytes of a secret. Raise `BadSecret` without quoting the secret, because messages are logged."""
    try:
        decoded = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        decoded = b""
    if not secret.startswith(PREFIX) or not SHORTEST <= len(decoded) <= LONGEST:
        raise BadSecret(f"write the secret as {PREFIX} and {SHORTEST} to {LONGEST} bytes in base64") from None
    return decoded


def _read(headers: Mapping[str, str]) -> dict[str, str]:
    lowered = {name.lower(): value for name, value in headers.items()}
    return {name: _shaped(name, lowered.get(name)) for name in _SHAPES}


def _shaped(name: str, value: str | None) -> str:
    if value is None:
        raise MissingHeader(f"the header {name} is missing: send it", field=name)
    if not _SHAPES[name].fullmatch(value):
        raise MissingHeader(f"the header {name} is malformed: it must match {_SHAPES[name].pattern}", field=name)
    return value


def _check_time(timestamp: int, now: float, tolerance: int) -> None:
    if abs(now - timestamp) > tolerance:
        side = "old" if timestamp < now else "new"
        raise StaleMessage(
            f"the message is too {side}: set your clock, and sign it within {tolerance} seconds of sending",
            field=TIMESTAMP,
        )
