"""Signatures of the arena, after the Standard Webhooks specification.

`verify` checks that the arena sent a message (HMAC-SHA256 with a secret that you and the arena share) and that it is
fresh, `verify_ed25519` checks the same with the public key of the arena alone, and `Seen` that the message has not come
before. The id of a message begins with the id of its bot, because the arena signs for all bots with one Ed25519 key:
otherwise another bot could forward its messages to you.
See https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md.
"""

import base64
import binascii
import hmac
import re
from collections.abc import Callable, Iterable, Mapping
from typing import ClassVar

TOLERANCE = 300
"""Seconds by which the clocks of the arena and of the bot may differ."""
PREFIX, PUBLIC_PREFIX = "whsec_", "whpk_"
SHORTEST, LONGEST = 24, 64  # bytes of a secret
PUBLIC_KEY_BYTES = 32
MOST_SIGNATURES = 16
ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"
CHALLENGE = "splito-challenge."

# Without full stops, because a full stop separates the parts of the signed content.
_SHAPES = {
    ID: re.compile(r"[A-Za-z0-9_-]{1,128}"),
    TIMESTAMP: re.compile(r"[0-9]{1,12}"),
    SIGNATURE: re.compile(rf"[!-~]+(?: [!-~]+){{0,{MOST_SIGNATURES - 1}}}"),
}


class BadSecret(ValueError):
    """A secret or a public key is malformed. The message never quotes it."""


class BadSignature(Exception):
    """A signed message that is refused. `field` is the header at fault."""

    code: ClassVar[str] = "bad-signature"

    def __init__(self, detail: str, field: str) -> None:
        super().__init__(detail, field)
        self.detail = detail
        self.field = field

    def __str__(self) -> str:
        return self.detail


class MissingHeader(BadSignature):
    """A header of the signature is missing or malformed."""

    code = "missing-header"


class StaleMessage(BadSignature):
    """The message was signed too long ago, or in the future."""

    code = "stale-message"


class WrongSignature(BadSignature):
    """No signature of the message was made with a known key."""

    code = "wrong-signature"


class WrongRecipient(BadSignature):
    """The message was signed for another bot."""

    code = "wrong-recipient"


class Replayed(BadSignature):
    """The message has come before, or the memory for message ids is full."""

    code = "replayed"


class Seen:
    """The ids of received messages, kept while their signatures may still be fresh.

    That is twice the tolerance, because the clock of the sender may be ahead. With `limit` ids, new messages are
    refused rather than old ids forgotten; only a sender that knows the secret can reach the limit. Call `admit` after
    `verify`.
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
            raise Replayed(f"message {message_id} has come before: send a new one with a new id", ID)
        if len(self._came) >= self._limit:
            raise Replayed(f"{self._limit} messages are remembered already: send fewer, or raise the limit", ID)
        self._came[message_id] = now

    def _forget(self, now: float) -> None:
        # Oldest first. After the clock was set back, newer ids wait for older ones, which is safe.
        while self._came and now - next(iter(self._came.values())) > self._span:
            del self._came[next(iter(self._came))]


def verify(  # noqa: PLR0913 (the message, and what it is compared with)
    secrets: Iterable[str],
    headers: Mapping[str, str],
    body: bytes,
    now: float,
    tolerance: int = TOLERANCE,
    *,
    recipient: str = "",
) -> str:
    """Return the id of the message, for `Seen`, if one of its signatures was made with one of the secrets.

    `body` is the received body, byte for byte. Give several secrets while one replaces another. With the id of your bot
    as `recipient`, raise `WrongRecipient` for a message to another bot.
    """
    content, given, message_id = _signed(headers, body, now, tolerance)
    expected = ["v1," + _hmac(secret, content) for secret in secrets]
    if not any(hmac.compare_digest(ours.encode(), theirs.encode()) for ours in expected for theirs in given):
        raise WrongSignature(
            "no signature was made with the secret of this bot: compare the secret with the arena's", SIGNATURE
        )
    if recipient:
        check_recipient(message_id, recipient)
    return message_id


def verify_ed25519(  # noqa: PLR0913 (as above)
    public_key: str,
    headers: Mapping[str, str],
    body: bytes,
    now: float,
    tolerance: int = TOLERANCE,
    *,
    recipient: str,
) -> str:
    """Return the id of the message if it is signed by the public key of the arena and for the bot `recipient`.

    `recipient` is the id that your bot got when it was registered. It needs the extra `splito-bot[ed25519]`.
    """
    is_right = ed25519(public_key)
    content, given, message_id = _signed(headers, body, now, tolerance)
    signatures = [signature.removeprefix("v1a,") for signature in given if signature.startswith("v1a,")]
    if not any(is_right(_bytes(signature), content) for signature in signatures):
        raise WrongSignature(
            "no signature was made with that key: compare it with the public key of the arena", SIGNATURE
        )
    check_recipient(message_id, recipient)
    return message_id


def check_recipient(message_id: str, recipient: str) -> None:
    """Raise `WrongRecipient` if the message is not for that bot."""
    if not recipient or not message_id.startswith(f"{recipient}_"):
        raise WrongRecipient(f"this message is not for bot {recipient}: compare its id with the arena's", ID)


def meet_challenge(secret: str, challenge: str) -> str:
    """Return the answer to a challenge, which proves that the secret is known without showing it."""
    return _hmac(secret, (CHALLENGE + challenge).encode())


def read_secret(secret: str) -> bytes:
    decoded = _bytes(secret.removeprefix(PREFIX))
    if not secret.startswith(PREFIX) or not SHORTEST <= len(decoded) <= LONGEST:
        raise BadSecret(f"write the secret as {PREFIX} and {SHORTEST} to {LONGEST} bytes in base64")
    return decoded


def ed25519(public_key: str) -> Callable[[bytes, bytes], bool]:
    """Return the function that checks a signature of a content."""
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 (an extra)
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415

    raw = _bytes(public_key.removeprefix(PUBLIC_PREFIX))
    if not public_key.startswith(PUBLIC_PREFIX) or len(raw) != PUBLIC_KEY_BYTES:
        raise BadSecret(f"write the public key as {PUBLIC_PREFIX} and {PUBLIC_KEY_BYTES} bytes in base64")
    key = Ed25519PublicKey.from_public_bytes(raw)

    def is_right(signature: bytes, content: bytes) -> bool:
        try:
            key.verify(signature, content)
        except InvalidSignature:
            return False
        return True

    return is_right


def _signed(headers: Mapping[str, str], body: bytes, now: float, tolerance: int) -> tuple[bytes, list[str], str]:
    """Return the signed content, the signatures and the message id."""
    lowered = {name.lower(): value for name, value in headers.items()}
    found = {name: _shaped(name, lowered.get(name)) for name in _SHAPES}
    _check_time(int(found[TIMESTAMP]), now, tolerance)
    content = f"{found[ID]}.{found[TIMESTAMP]}.".encode() + body
    return content, found[SIGNATURE].split(" "), found[ID]


def _shaped(name: str, value: str | None) -> str:
    if value is None:
        raise MissingHeader(f"the header {name} is missing: the sender must sign the message", name)
    if not _SHAPES[name].fullmatch(value):
        raise MissingHeader(f"the header {name} is malformed: it must match {_SHAPES[name].pattern}", name)
    return value


def _check_time(timestamp: int, now: float, tolerance: int) -> None:
    if abs(now - timestamp) > tolerance:
        side = "old" if timestamp < now else "new"
        raise StaleMessage(f"the message is too {side}: compare this machine's clock with the arena's", TIMESTAMP)


def _hmac(secret: str, content: bytes) -> str:
    return base64.b64encode(hmac.digest(read_secret(secret), content, "sha256")).decode()


def _bytes(text: str) -> bytes:
    """Return the bytes of base64 text; empty if it is malformed."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
