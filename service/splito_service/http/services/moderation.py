"""Services of the routes of moderation."""

import msgspec

from splito_service.moderation.moderator import Moderator
from splito_service.owners.keys import Keys


class ModerationServices(msgspec.Struct, frozen=True):
    """The moderator with its log, and the keys of organisers."""

    moderator: Moderator
    keys: Keys
