"""Store of the moderation log in Redis. It is append-only: actions are added, and removed only at the end of retention.

An action and the ban that it stores or lifts are written in one script call, so there is no ban without an entry.

    moderation:log            the ids of the actions, which sort by time (sorted set)
    moderation:action:{id}    the action (string)
"""

from typing import NamedTuple

import msgspec

from splito_service.errors import NoRoom, NotBanned
from splito_service.ids import Milliseconds, first_id
from splito_service.moderation.model import MOST_ACTIONS, MOST_BANS, StoredAction
from splito_service.owners.bans import BANS
from splito_service.owners.model import Ban
from splito_service.storage.client import Link
from splito_service.storage.scripts import source

LOG = "moderation:log"
NOT_THERE, BANS_FULL, LOG_FULL = -2, -1, 0
"""Answers of the script `act` if it changes nothing."""


class Page(NamedTuple):
    actions: list[StoredAction]
    next: str | None
    """Cursor of the next page; None on the last page."""


class BanPage(NamedTuple):
    bans: dict[str, Ban]
    """Bans by their fields, `owner:{id}` or `bot:{id}`."""
    next: str | None
    """Cursor of the next page; None on the last page."""


class ModerationLog:
    """The log in one Redis, shared by all processes."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._act, self._forget = (link.script(source(f"moderation/{name}")) for name in ("act", "forget"))

    async def add(self, action: StoredAction, field: str = "", ban: Ban | None = None) -> None:
        """Append an action. With a `field` of the bans, store this ban there, or lift it if `ban` is None.

        Raise `NotBanned` if there is no such ban to lift, `NoRoom` if the log or the bans are full.
        """
        words = [action.id, _encode(action), MOST_ACTIONS, field, "" if ban is None else _encode(ban), MOST_BANS]
        match await self._act([LOG, action_key(action.id), BANS], words):
            case n if n == NOT_THERE:
                raise NotBanned(f"{field.replace(':', ' ')} is not banned", field="target")
            case n if n == BANS_FULL:
                raise NoRoom(f"at most {MOST_BANS:,} owners and bots are banned at a time", field="bans")
            case n if n == LOG_FULL:
                raise NoRoom(f"the moderation log has {MOST_ACTIONS:,} actions, which is the limit", field="actions")
            case _:
                return

    async def page(self, cursor: str | None, limit: int) -> Page:
        """Return a page of the log, newest first, from before the action at the cursor."""
        latest = f"({cursor}" if cursor else "+"
        ids = await self._link.call("ZRANGE", LOG, latest, "-", "BYLEX", "REV", "LIMIT", 0, limit)
        found: list[bytes | None] = (
            await self._link.call("MGET", *(action_key(one.decode()) for one in ids)) if ids else []
        )
        actions = [_decode(raw) for raw in found if raw is not None]
        return Page(actions, ids[-1].decode() if len(ids) == limit else None)

    async def bans(self, cursor: str | None, limit: int) -> BanPage:
        """Return a page of the current bans, by the ids of the owners and bots, newest ids first."""
        found = {field.decode(): raw for field, raw in (await self._link.scanned_fields(BANS)).items()}
        fields = sorted(found, key=_target, reverse=True)
        shown = [field for field in fields if cursor is None or _target(field) < cursor][:limit]
        bans = {field: msgspec.json.decode(found[field], type=Ban) for field in shown}
        return BanPage(bans, _target(shown[-1]) if len(shown) == limit else None)

    async def before(self, time_ms: Milliseconds, limit: int) -> list[str]:
        """Return ids of actions from before that time, oldest first."""
        latest = f"({first_id(time_ms / 1000)}"
        ids = await self._link.call("ZRANGE", LOG, "-", latest, "BYLEX", "LIMIT", 0, limit)
        return [action.decode() for action in ids]

    async def forget(self, action: str) -> None:
        """Remove an action at the end of its retention."""
        await self._forget([LOG, action_key(action)], [action])


def action_key(action: str) -> str:
    return f"moderation:action:{action}"


def _target(field: str) -> str:
    return field.partition(":")[2]


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(StoredAction).decode
