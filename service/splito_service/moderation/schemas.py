"""Request and response schemas of moderation."""

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from splito_arena.match.messages import Moment
from splito_service.ids import created, moment
from splito_service.moderation.model import LONGEST_REASON, Action, StoredAction
from splito_service.owners.model import Ban
from splito_service.owners.schemas import OwnerInfo
from splito_service.schemas import Id

Reason: TypeAlias = Annotated[str, Meta(min_length=1, max_length=LONGEST_REASON)]


class NewModeration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Request of an organiser to ban, to lift a ban, or to remove a tournament."""

    action: Action
    """`ban-owner` and `ban-bot` stop an owner or a bot from entering and playing; `lift-owner-ban` and `lift-bot-ban`
    end that. `remove-tournament` deletes a tournament or experiment with its games; its effect on the leaderboard
    stays.
    """
    target: Id
    """Id of the owner, bot, tournament or experiment."""
    reason: Reason
    """Reason, which the log keeps. The reason of a ban is shown to the banned owner too. One line of printable text."""


class ModerationEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of the moderation log. Names are those at the time of the action."""

    id: Id
    time: Moment
    organiser: OwnerInfo
    action: Action
    target: Id
    target_name: str
    """Name of the owner, bot, tournament or experiment; empty if it had been removed before."""
    reason: str


class ModerationPage(msgspec.Struct, frozen=True):
    """A page of the moderation log, newest first."""

    actions: list[ModerationEntry]
    next: Id | None
    """The `cursor` of the next page; null on the last page."""


class BanInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A current ban."""

    kind: Literal["owner", "bot"]
    target: Id
    reason: str
    since: Moment


class BanPage(msgspec.Struct, frozen=True):
    """A page of the current bans, by the ids of the owners and bots, newest ids first."""

    bans: list[BanInfo]
    next: Id | None
    """The `cursor` of the next page; null on the last page."""


def entry_of(stored: StoredAction) -> ModerationEntry:
    return ModerationEntry(
        id=stored.id,
        time=created(stored.id),
        organiser=OwnerInfo(stored.organiser, stored.organiser_name),
        action=stored.action,
        target=stored.target,
        target_name=stored.target_name,
        reason=stored.reason,
    )


def ban_info(field: str, ban: Ban) -> BanInfo:
    """Return a ban from its field in Redis, `owner:{id}` or `bot:{id}`."""
    kind, _, target = field.partition(":")
    return BanInfo(
        kind="owner" if kind == "owner" else "bot", target=target, reason=ban.reason, since=moment(ban.since_ms)
    )
