"""What the arena signs requests to bots with: the secret of the bot, and on demand an Ed25519 key of its own.

The first proves to a bot who writes; the second does so to anybody who knows the public key, and needs no secret there,
but it takes ten times as long. Every process of a service has the same private key, from Redis; it is made by the first
that asks.
"""

import base64

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from arena.signing import Key
from service.store.bots import Registered, Secrets
from service.store.link import Link

KEY = "signing-key"
PREFIX = "whpk_"
PATTERN = f"^{PREFIX}[A-Za-z0-9+/]{{43}}=$"


class Signer:
    def __init__(self, link: Link) -> None:
        self._link = link
        self._private: Ed25519PrivateKey | None = None

    async def key_of(self, bot: Registered) -> Key | None:
        """For all that this bot is sent while it plays; nothing is sent to pull bots."""
        key = await self.full_key_of(bot)
        return key if key is None or (bot.info and bot.info.ed25519) else replace(key, ed25519=None)

    async def full_key_of(self, bot: Registered) -> Key | None:
        """For the first words with a bot: nobody knows yet which signatures it wants."""
        return None if bot.secrets is None else await self.key(bot.secrets)

    async def key(self, secrets: Secrets) -> Key:
        """For whoever shares these."""
        private = await self._read()
        return Key(secrets.current, secrets.previous, private.sign)

    async def public(self) -> str:
        """As Standard Webhooks writes it."""
        private = await self._read()
        return PREFIX + base64.b64encode(private.public_key().public_bytes_raw()).decode()

    async def _read(self) -> Ed25519PrivateKey:
        if self._private is None:
            await self._link.call("SET", KEY, Ed25519PrivateKey.generate().private_bytes_raw(), "NX")
            self._private = Ed25519PrivateKey.from_private_bytes(await self._link.call("GET", KEY))
        return self._private
