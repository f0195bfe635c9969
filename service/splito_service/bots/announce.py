"""Events about registered bots, for the webhooks of their owners."""

from splito_service.bots.model import Registered
from splito_service.ids import new_id
from splito_service.webhooks.schemas import BotDisabled, BotFailing
from splito_service.webhooks.store import Outbox


async def announce_disabled(outbox: Outbox, bot: Registered) -> None:
    """Put an event for the owner that the bot has just been disabled.

    Each time has an event id of its own, because a bot may be disabled again.
    """
    version = bot.info.version if bot.info else None
    body = BotDisabled(bot=bot.id, name=bot.name, version=version, reason=bot.reason or "")
    await outbox.put(bot.owner, "bot.disabled", f"{bot.id} {new_id()}", body)


async def announce_failing(outbox: Outbox, bot: Registered) -> None:
    """Put an event for the owner that the bot has just begun to fail. Each time has an event id of its own."""
    version = bot.info.version if bot.info else None
    body = BotFailing(bot=bot.id, name=bot.name, version=version, reason=bot.failing or "")
    await outbox.put(bot.owner, "bot.failing", f"{bot.id} {new_id()}", body)
