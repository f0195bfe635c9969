"""Examples of moderation: an organiser bans the bot Marvin."""

from collections.abc import Sequence

from splito_engine.game import AnyGame
from splito_service.http.examples.example import EXAMPLE_ID, Examples, one
from splito_service.http.examples.owners import ADA
from splito_service.ids import created
from splito_service.moderation.model import StoredAction
from splito_service.moderation.schemas import BanPage, ModerationPage, NewModeration, ban_info, entry_of
from splito_service.owners.model import Ban

REASON = "It sends the same answer to every ask, to fill the log of its opponents."
ENTRY = entry_of(
    StoredAction(
        id=EXAMPLE_ID,
        organiser=ADA.id,
        organiser_name=ADA.name,
        action="ban-bot",
        target=EXAMPLE_ID,
        target_name="Marvin",
        reason=REASON,
    )
)
BAN = ban_info(f"bot:{EXAMPLE_ID}", Ban(REASON, int(1000 * created(EXAMPLE_ID).timestamp())))


def create_moderation(_: Sequence[AnyGame]) -> Examples:
    return Examples(
        body=one("ban", "Ban a bot", NewModeration("ban-bot", EXAMPLE_ID, REASON)),
        answer=one("ban", "The entry in the log", ENTRY),
    )


def list_moderation(_: Sequence[AnyGame]) -> Examples:
    return Examples(one("page", "One action", ModerationPage([ENTRY], None)))


def list_bans(_: Sequence[AnyGame]) -> Examples:
    return Examples(one("page", "One ban", BanPage([BAN], None)))
