"""Signatures of the arena: requests to bots and webhooks, with the secret of the recipient and an Ed25519 key.

The secret proves to its recipient that the arena writes. The Ed25519 key proves it to every client that has the public
key; the recipient needs no secret for that, but a signature takes ten times as long. The message id contains the
id of the recipient, so that no recipient can pass a signed request on to another (see `splito_arena.net.signing`). All
processes of a service share the Ed25519 key through Redis; it can be rotated.
"""

from collections.abc import Callable
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from splito_arena.net.signing import Key
from splito_arena.reports.dump_head import Sign
from splito_service.ids import Milliseconds
from splito_service.signing_secrets import PREFIX, Secrets
from splito_service.storage.client import Link
from splito_service.storage.keyring import KeyKind, Keyring, Keys, now_ms, text_of

KEY = "signing-key"


class PublicKeyTimes(NamedTuple):
    """A public key of the arena, and the period in which its signatures are valid."""

    key: str
    since_ms: Milliseconds
    until_ms: Milliseconds | None


def public_of(secret: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()


ARENA_KEY = KeyKind(KEY, lambda: Ed25519PrivateKey.generate().private_bytes_raw(), public_of)


class Signer:
    """Signs requests to bots and webhooks, and dumps, with the keys of the arena. Used in one event loop."""

    def __init__(self, link: Link) -> None:
        self._ring = Keyring(link, ARENA_KEY)
        self._signs: dict[bytes, Callable[[bytes], bytes]] = {}

    async def key(self, secrets: Secrets, recipient: str) -> Key:
        """Return the key of requests to the bot or webhook of that id. While keys are rotated all of them sign."""
        keys = await self._ring.read()
        now = now_ms()
        used = [key for key in keys.accepted(now) if key.since_ms <= now] or [keys.current(now)]
        return Key(secrets.current, secrets.previous, tuple(self._sign(key.secret) for key in used), recipient)

    async def signer(self) -> Sign:
        """Return a function that signs a content with the key in use; it returns the public key and the signature."""
        secret = (await self._ring.read()).current(now_ms()).secret
        public, sign = text_of(public_of(secret), PREFIX), self._sign(secret)
        return lambda content: (public, sign(content))

    async def public(self) -> str:
        """Return the public key in use, in the form of Standard Webhooks."""
        return text_of(public_of((await self._ring.read()).current(now_ms()).secret), PREFIX)

    async def published(self) -> list[PublicKeyTimes]:
        """Return all public keys, newest first, with the period in which signatures of each are valid."""
        return published(await self._ring.read())

    def _sign(self, secret: bytes) -> Callable[[bytes], bytes]:
        """Return the signing function of a secret; the same object every time, so that equal keys compare equal."""
        if secret not in self._signs:
            self._signs[secret] = Ed25519PrivateKey.from_private_bytes(secret).sign
        return self._signs[secret]


def published(keys: Keys) -> list[PublicKeyTimes]:
    living = [PublicKeyTimes(text_of(public_of(key.secret), PREFIX), key.since_ms, key.until_ms) for key in keys.keys]
    ended = [PublicKeyTimes(text_of(one.public, PREFIX), one.since_ms, one.until_ms) for one in keys.retired]
    return [*living, *ended]
