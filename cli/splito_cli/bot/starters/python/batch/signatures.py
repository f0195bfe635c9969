"""The check that a request comes from the arena: signatures by Standard Webhooks (https://www.standardwebhooks.com)."""

import base64
import binascii
import hmac
import re
from collections.abc import Mapping, Sequence
from threading import Lock

TOLERANCE = 300  # seconds by which the clocks of the arena and of the bot may differ
MAX_SEEN = 1_000_000  # request ids that are kept to refuse replays
SHAPES = {
    "webhook-id": r"[A-Za-z0-9_-]{1,128}",
    "webhook-timestamp": r"[0-9]{1,12}",
    "webhook-signature": r"[!-~]+( [!-~]+){0,15}",
}


class Refusal(Exception):
    """A request that is refused, with the status and the code of the answer."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail = status, code, detail


class Gate:
    """Lets in requests that the arena has signed, each of them once. Without secrets it lets in every request."""

    def __init__(self, secrets: Sequence[str]) -> None:
        self._secrets = [read_secret(secret) for secret in secrets]
        self._seen: dict[str, float] = {}  # the oldest first
        self._lock = Lock()

    @property
    def is_open(self) -> bool:
        return not self._secrets

    def admit(self, headers: Mapping[str, str], body: bytes, now: float) -> None:
        """Raise `Refusal` for a request that is not signed, too old, too new, or that has come before."""
        if self.is_open:
            return
        for name, shape in SHAPES.items():
            if not re.fullmatch(shape, headers.get(name) or ""):
                raise Refusal(401, "missing-header", f"the header {name} is missing or malformed: sign the request")
        if abs(now - int(headers["webhook-timestamp"])) > TOLERANCE:
            raise Refusal(401, "stale-message", "the message is too old, or from the future: compare the clocks")
        if not any(is_signed(secret, headers, body) for secret in self._secrets):
            raise Refusal(401, "wrong-signature", "no signature was made with the secret of this bot")
        with self._lock:
            self._remember(headers["webhook-id"], now)

    def proof(self, headers: Mapping[str, str], body: bytes, challenge: str) -> str:
        """Return the answer to a challenge, made with the secret that signed the request or else with the first."""
        if self.is_open:
            raise Refusal(409, "no-secret", "this bot has no secret: set SPLITO_BOT_SECRET")
        signers = [secret for secret in self._secrets if is_signed(secret, headers, body)]
        return sign((signers or self._secrets)[0], b"splito-challenge." + challenge.encode())

    def _remember(self, message_id: str, now: float) -> None:
        """Keep the id while its signature may be valid: twice the tolerance, as the sender's clock may be ahead."""
        while self._seen and now - next(iter(self._seen.values())) > 2 * TOLERANCE:
            del self._seen[next(iter(self._seen))]
        if message_id in self._seen:
            raise Refusal(401, "replayed", f"{message_id} has come before")
        if len(self._seen) >= MAX_SEEN:
            raise Refusal(401, "replayed", "too many requests to remember them all")
        self._seen[message_id] = now


def read_secret(text: str) -> bytes:
    """Return the bytes of a secret. Raise `ValueError`, which does not quote it, if it is malformed."""
    try:
        secret = base64.b64decode(text.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        secret = b""
    if not text.startswith("whsec_") or not 24 <= len(secret) <= 64:
        raise ValueError("write a secret as whsec_ and 24 to 64 bytes in base64")
    return secret


def is_signed(secret: bytes, headers: Mapping[str, str], body: bytes) -> bool:
    content = f"{headers.get('webhook-id')}.{headers.get('webhook-timestamp')}.".encode() + body
    ours, given = b"v1," + sign(secret, content).encode(), headers.get("webhook-signature") or ""
    return any(hmac.compare_digest(ours, one.encode()) for one in given.split(" "))


def sign(secret: bytes, content: bytes) -> str:
    return base64.b64encode(hmac.digest(secret, content, "sha256")).decode()
