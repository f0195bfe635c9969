"""Events about registered bots, for the webhooks of their owners."""

from splito_service.bots.model import Registered
from splito_service.ids import new_id
from splito_service.webhooks.schemas import BotDisabled
from splito_service.webhooks.store import Outbox


async def announce_disabled(outbox: Outbox, bot: Registered) -> None:
    """Tell the owner that a bot has just been disabled. It may happen again, so each time is an event of its own."""
    version = bot.info.version if bot.info else None
    body = BotDisabled(bot=bot.id, name=bot.name, version=version, reason=bot.reason or "")
    await outbox.put(bot.owner, "bot.disabled", f"{bot.id} {new_id()}", body)
