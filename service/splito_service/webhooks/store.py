"""Store of webhooks in Redis, and the outbox that turns events into deliveries.

A hook is one document, changed by compare-and-set. A set for each owner and kind of event contains the subscribed hooks
and changes in the same script call, so `Outbox.put` costs a single call of Redis if no hook is subscribed. An event
becomes one delivery for each subscribed hook (`splito_service.webhooks.delivery_store`).
"""

import asyncio
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import msgspec

from splito_arena.net.signing import new_secret
from splito_service.errors import NoRoom, UnknownHook
from splito_service.ids import ID_PATTERN, Milliseconds, new_id
from splito_service.signing_secrets import Secrets
from splito_service.storage.client import Link
from splito_service.storage.scripts import source
from splito_service.webhooks.model import EVENTS, PROOF_MS, Event, SeenHook, StoredHook, dated, event_id, in_order

ID = re.compile(ID_PATTERN)
DUE = "hooks:due"
DISABLED = "hooks:disabled"
"""Redis key of the disabled hooks, by the time at which they were disabled (sorted set)."""
UNPROVED = "hooks:unproved"
"""Redis key of the unproved hooks, by the time at which they are deleted (sorted set)."""
MOST_HOOKS = 10
"""Number of hooks that one owner may have."""
MOST_WAITING = 1000
"""Number of waiting deliveries of one hook; further events are dropped and counted."""
MOST_KNOWN = 10_000
"""Number of past events of one owner that are recognised when they are put a second time."""
WEEK = 7 * 24 * 3600
"""Seconds that deliveries, logs and counters are stored."""


class Envelope(msgspec.Struct, frozen=True):
    """The body of an event: the fields that all events have around the data of this kind of event."""

    type: Event
    timestamp: datetime
    data: msgspec.Struct


class Outbox:
    """The outbox into which any process puts events."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._put = link.script(source("webhooks/put"))

    async def wanted(self, owner: str, event: Event) -> bool:
        """Return True if a hook of the owner is subscribed to the event. The house has no hooks."""
        return bool(owner) and await self._link.call("EXISTS", _wanting(owner, event)) == 1

    async def put(
        self, owner: str, event: Event, subject: str, body: msgspec.Struct, now: Milliseconds | None = None
    ) -> int:
        """Put an event and return the number of hooks of the owner that it will be delivered to.

        The call needs one call of Redis, and none for the house. Events with the same `subject` are the same event and
        are delivered once, so a process may put an event again if it does not know whether an earlier call succeeded.
        """
        if not owner:
            return 0
        envelope = Envelope(event, datetime.now(UTC), body)
        keys = [_wanting(owner, event), f"owner:{owner}:events", DUE]
        limits = [MOST_WAITING, MOST_KNOWN, WEEK]
        arguments = [event_id(event, subject), new_id(), event, _encode(envelope), *limits, time_word(now)]
        return await self._put(keys, arguments)


class Hooks:
    """The store of hooks in one Redis, shared by all processes."""

    def __init__(self, link: Link) -> None:
        self._link = link
        scripts = (link.script(source(f"webhooks/{name}")) for name in ("create", "change", "delete", "read"))
        self._create, self._change, self._delete, self._read = scripts

    async def create(self, owner: str, url: str, events: Sequence[Event], note: str = "") -> StoredHook:
        """Store and return a new hook, which gets no events until it is proved.

        Raise `NoRoom` if the owner has too many.
        """
        hook = StoredHook(
            id=new_id(),
            owner=owner,
            url=url,
            events=in_order(events),
            secrets=Secrets(new_secret()),
            note=note,
            proved=False,
        )
        keys = [hook_key(hook.id), _of_owner(owner), UNPROVED]
        if not await self._create(keys, [hook.id, _encode(hook), MOST_HOOKS, PROOF_MS]):
            raise NoRoom(f"an owner has at most {MOST_HOOKS} webhooks: delete one that is not needed", field="hooks")
        return hook

    async def get(self, owner: str, hook_id: str) -> SeenHook:
        """Return a hook of the owner. A hook of another owner raises the same error as a missing one."""
        seen = await self._look(hook_id) if ID.fullmatch(hook_id) else None
        if seen is None or seen.hook.owner != owner:
            raise _unknown(hook_id)
        return seen

    async def of_owner(self, owner: str) -> list[SeenHook]:
        """Return the hooks of an owner, oldest first."""
        ids = await self._link.call("ZRANGE", _of_owner(owner), 0, -1)
        found = await asyncio.gather(*(self._look(hook_id.decode()) for hook_id in ids))
        return [seen for seen in found if seen is not None]

    async def change(self, hook_id: str, how: Callable[[StoredHook], StoredHook]) -> StoredHook:
        """Change a hook with the function `how` and return it. `how` may be called several times.

        A hook that is not enabled gets no events, and its waiting deliveries wait.
        """
        while True:
            raw = await self._link.call("GET", hook_key(hook_id))
            if raw is None:
                raise _unknown(hook_id)
            before = decode(raw)
            after = dated(how(before))
            if after == before or await self._change(_change_keys(after), _change_words(raw, after)):
                await self._index(after)
                return after

    async def delete(self, hook: StoredHook, seen: bytes = b"") -> bool:
        """Delete a hook with all its deliveries; with `seen`, only if its document is still that.

        Return True if it is deleted.
        """
        key, wanting = hook_key(hook.id), [_wanting(hook.owner, event) for event in EVENTS]
        own = [key, f"{key}:waiting", f"{key}:log", f"{key}:claim", f"{key}:dropped"]
        gone = await self._delete([*own, DUE, _of_owner(hook.owner), UNPROVED, *wanting], [hook.id, seen])
        if gone:
            await self._link.call("ZREM", DISABLED, hook.id)
        return bool(gone)

    async def unproved(self, hook_id: str) -> tuple[StoredHook, bytes] | None:
        """Return a hook and its document as stored; None if the hook is deleted or proved."""
        raw = await self._link.call("GET", hook_key(hook_id))
        if raw is None or decode(raw).proved:
            await self._link.call("ZREM", UNPROVED, hook_id)
            return None
        return decode(raw), raw

    async def disabled_before(self, time_ms: Milliseconds) -> list[StoredHook]:
        """Return hooks that were disabled before that time, oldest first."""
        ids = await self._link.call("ZRANGE", DISABLED, "-inf", f"({time_ms}", "BYSCORE")
        found = [(hook_id.decode(), await self._look(hook_id.decode())) for hook_id in ids]
        for hook_id, seen in found:
            if seen is None or seen.hook.enabled:
                await self._link.call("ZREM", DISABLED, hook_id)
        return [seen.hook for _, seen in found if seen is not None and not seen.hook.enabled]

    async def _index(self, hook: StoredHook) -> None:
        """Add a disabled hook to the index of the sweeper.

        If this write is lost, the hook stays until its owner is removed.
        """
        if hook.disabled_ms is None:
            await self._link.call("ZREM", DISABLED, hook.id)
        else:
            await self._link.call("ZADD", DISABLED, hook.disabled_ms, hook.id)

    async def _look(self, hook_id: str) -> SeenHook | None:
        key = hook_key(hook_id)
        keys = [key, f"{key}:waiting", f"{key}:dropped", UNPROVED]
        raw, waiting, dropped, expires = await self._read(keys, [hook_id])
        if raw is None:
            return None
        return SeenHook(decode(raw), waiting, int(dropped or 0), None if expires is None else int(float(expires)))


def hook_key(hook_id: str) -> str:
    return f"hook:{hook_id}"


def time_word(now: Milliseconds | None) -> Milliseconds | str:
    """Return the time as an argument of a script; empty for the Redis clock."""
    return "" if now is None else now


def _change_keys(hook: StoredHook) -> list[str]:
    key = hook_key(hook.id)
    return [key, f"{key}:waiting", f"{key}:claim", DUE, UNPROVED, *(_wanting(hook.owner, event) for event in EVENTS)]


def _change_words(raw: bytes, hook: StoredHook) -> list[bytes | str | int]:
    told = [int(hook.active and event in hook.events) for event in EVENTS]
    return [hook.id, raw, _encode(hook), int(hook.active), "" if hook.proved else PROOF_MS, *told]


def _unknown(hook_id: str) -> UnknownHook:
    return UnknownHook(f"you have no webhook {hook_id!r}", field="hook")


def _of_owner(owner: str) -> str:
    return f"owner:{owner}:hooks"


def _wanting(owner: str, event: Event) -> str:
    return f"owner:{owner}:hooks:{event}"


_encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(StoredHook).decode
