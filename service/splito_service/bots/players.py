"""Players that ask registered bots: over HTTP for push bots, through Redis for pull bots."""

from typing import Any

from splito_arena.bots.push import Push
from splito_arena.errors import BadAddress
from splito_arena.match.messages import BotInfo
from splito_arena.match.player import Player
from splito_service.bots.model import Registered
from splito_service.bots.pull import Desk, Pull
from splito_service.bots.registry import Registry


class BotPlayers:
    """The players of one event loop: one for each bot, however many matches it plays."""

    def __init__(self, registry: Registry, desk: Desk) -> None:
        self._registry, self._desk = registry, desk
        self._made: dict[str, tuple[Any, Player]] = {}
        """Player and the facts it was made from, by bot id."""

    async def player(self, bot: Registered) -> Player | None:
        """Return the player that asks the bot; None if the bot is banned or cannot be asked at all."""
        if bot.info is None or bot.ban is not None:
            return None
        made_from = (bot.kind, bot.name, await self._registry.address(bot), bot.info)
        known = self._made.get(bot.id)
        if known is None or known[0] != made_from:
            try:
                known = self._made[bot.id] = (made_from, await self._make(bot, bot.info))
            except BadAddress:
                return None
        return known[1]

    async def _make(self, bot: Registered, info: BotInfo) -> Player:
        if bot.kind == "pull":
            return Pull(self._desk, bot.id, bot.name)
        return Push(await self._registry.client(bot), info, bot.name)
