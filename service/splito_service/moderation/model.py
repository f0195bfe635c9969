"""An action of an organiser as it is stored in the log."""

from typing import Literal, TypeAlias

import msgspec

Action: TypeAlias = Literal["ban-owner", "lift-owner-ban", "ban-bot", "lift-bot-ban", "remove-tournament"]
MOST_ACTIONS = 20_000
"""Number of actions that the log holds. Further actions are refused, because no action may push out an earlier one."""
MOST_BANS = 10_000
"""Number of owners and bots that are banned at a time."""
LONGEST_REASON = 500


class StoredAction(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of the log. Names are those at the time of the action."""

    id: str
    """Id of the entry, which holds the time of the action."""
    organiser: str
    """Owner id of the organiser."""
    organiser_name: str
    action: Action
    target: str
    """Id of the owner, bot, tournament or experiment."""
    target_name: str
    reason: str
