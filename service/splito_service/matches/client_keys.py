"""Keys under which matches remember the client that created them: hashes, from which no address can be read."""

import hmac
import secrets

from splito_service.storage.client import Link

KEY = "clients:secret"


class Clients:
    """Makes the keys of clients, which are the same in every process because the secret is in Redis."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._secret = b""

    async def key(self, client: str) -> str:
        """Return the key of a client: 24 hexadecimal digits, by a hash with a secret of this service."""
        if not self._secret:
            await self._link.call("SET", KEY, secrets.token_bytes(32), "NX")
            self._secret = await self._link.call("GET", KEY)
        return hmac.digest(self._secret, client.encode(), "sha256")[:12].hex()
