"""Bans of owners and bots. Redis has them in one hash, which is read with every bot and before requests of owners.

bans    of each banned owner and bot, `owner:{id}` or `bot:{id}`, its ban (hash)
"""

from typing import Literal, TypeAlias

import msgspec

from splito_service.owners.model import Ban, refusal
from splito_service.storage.client import Link

BANS = "bans"
BanKind: TypeAlias = Literal["owner", "bot"]


class Bans:
    """The bans in one Redis, for reading. Organisers change them (`splito_service.moderation`)."""

    def __init__(self, link: Link) -> None:
        self._link = link

    async def of(self, kind: BanKind, target: str) -> Ban | None:
        """Return the ban of an owner, or the ban of a bot by itself; None if it is not banned."""
        raw = await self._link.call("HGET", BANS, field_of(kind, target))
        return None if raw is None else msgspec.json.decode(raw, type=Ban)

    async def check_owner(self, owner: str) -> None:
        """Raise `Banned`, with the reason, if the owner is banned."""
        ban = await self.of("owner", owner)
        if ban is not None:
            raise refusal("you are", ban)

    async def forget(self, kind: BanKind, target: str) -> None:
        """Remove the ban of an owner or bot that has been removed."""
        await self._link.call("HDEL", BANS, field_of(kind, target))


def field_of(kind: BanKind, target: str) -> str:
    return f"{kind}:{target}"
