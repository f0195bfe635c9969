"""Removal of owners and bots with everything that is kept for them.

Each step may be repeated, so a removal that a crash cut off is completed by another call. The keys of the owner are
removed last, so that the owner can make that call.
"""

from contextlib import suppress

from splito_service.bots.model import Registered
from splito_service.bots.store import Bots
from splito_service.errors import AlreadyOver, UnknownSeries, UnknownTournament
from splito_service.ids import first_id
from splito_service.owners.store import Owners
from splito_service.series.store import SeriesStore
from splito_service.storage.client import Link
from splito_service.tournaments.organiser import Organiser
from splito_service.tournaments.redis_keys import held_by
from splito_service.webhooks.store import Hooks

AT_ONCE = 200  # keys that are removed in one call
REASON = "its owner was removed"


class Removal:
    """Removes owners and bots of one Redis. Used in one event loop."""

    def __init__(self, link: Link, owners: Owners, bots: Bots, hooks: Hooks, organiser: Organiser) -> None:
        self._link, self._owners, self._bots, self._hooks, self._organiser = link, owners, bots, hooks, organiser

    async def owner(self, owner_id: str) -> None:
        """Remove an owner: cancel running tournaments, then remove bots, hooks, keys and the owner.

        Finished tournaments are kept as long as others; they show `former owner` instead of the name.
        """
        for held in await self._link.call("SMEMBERS", held_by(owner_id)):
            with suppress(UnknownTournament, AlreadyOver):
                await self._organiser.set_state(held.decode(), "cancelled", REASON)
        series = SeriesStore(self._link)
        for one in await series.of_owner(owner_id):
            with suppress(UnknownSeries):
                await series.delete(one)
        for bot in await self._bots.of_owner(owner_id):
            await self.bot(bot)
        for seen in await self._hooks.of_owner(owner_id):
            await self._hooks.delete(seen.hook)
        await self._owners.bans.forget("owner", owner_id)
        await self._owners.delete(owner_id)

    async def bot(self, bot: Registered) -> None:
        """Remove a bot with its log of asks, its checks and its waiting asks. The games that it has played stay."""
        await self._bots.delete(bot)
        await self._owners.bans.forget("bot", bot.id)
        rows: list[bytes] = await self._link.call("ZRANGE", f"log:{bot.id}", 0, -1)
        checks: list[bytes] = await self._link.call("LRANGE", f"checks:{bot.id}", 0, -1)
        first = len(first_id(0)) + 1  # a row is the row's id, a hyphen, the ask's id
        found = [
            *(f"log:{bot.id}:{row[first:].decode()}" for row in rows),
            *(f"checks:{bot.id}:{check.decode()}" for check in checks),
            *(f"{name}:{bot.id}" for name in ("log", "checks", "checking")),
            *(f"asks:{bot.id}:{part}" for part in ("waiting", "handed")),
        ]
        for begin in range(0, len(found), AT_ONCE):
            await self._link.call("UNLINK", *found[begin : begin + AT_ONCE])
