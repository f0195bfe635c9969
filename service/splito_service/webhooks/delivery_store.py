"""What is to be delivered to hooks, and what was: tried again and again until it is taken or given up, then logged.

A hook that has something to deliver is claimed by one process at a time, which sends as long as anything is due and
notes how each try went; both need the claim. A claim whose process was killed lapses by the time in `hooks:due`, and
what was under way is sent again, with the same id. Everything is bounded: what waits, what is logged, and for how long.
"""

from collections.abc import Mapping
from secrets import token_hex
from time import time
from typing import NamedTuple

import msgspec

from splito_service.errors import NoRoom, NotProved, UnknownDelivery
from splito_service.ids import Milliseconds, first_id
from splito_service.storage.client import Link
from splito_service.storage.scripts import source
from splito_service.webhooks.model import DeliveryState, Event, Logged, Parcel, StoredHook, Try
from splito_service.webhooks.store import (
    DUE,
    ID,
    MOST_WAITING,
    UNPROVED,
    WEEK,
    decode,
    hook_key,
    time_word,
)

LEASE = 30_000
"""Milliseconds for which a claim holds: longer than any try."""
REST = 5_000
"""Milliseconds for which a hook that took none of the deliveries under way is left alone."""
AT_ONCE = 8
"""Deliveries of one hook that are under way at the same time."""
MOST_LOGGED = 100
"""Deliveries of one hook that are kept when they no longer wait: the last ones."""
MOST_TRIES = 10
"""That are kept of a delivery: the last ones."""


class Deliveries:
    """Of one Redis, for any number of processes."""

    def __init__(self, link: Link) -> None:
        self._link = link
        names = ("claim", "take", "rest", "note", "again", "page")
        scripts = (link.script(source(f"webhooks/{name}")) for name in names)
        self._claim, self._take, self._rest, self._note, self._again, self._page = scripts

    async def claim(self, limit: int, now: Milliseconds | None = None) -> "list[Claim]":
        """Hooks that something is due for."""
        token = token_hex(8)
        ids = await self._claim([DUE], [token, limit, LEASE, time_word(now)])
        return [Claim(hook_id.decode(), token) for hook_id in ids]

    async def take(self, claim: "Claim", now: Milliseconds | None = None) -> tuple[StoredHook, list[Parcel]] | None:
        """What is due for the hook. If there is nothing, or it is no longer ours, the claim is over."""
        key = hook_key(claim.hook)
        keys = [key, f"{key}:waiting", f"{key}:claim", DUE]
        found = await self._take(keys, [claim.hook, claim.token, AT_ONCE, LEASE, time_word(now)])
        if not found:
            return None
        hook, parcels = found
        return decode(hook), [Parcel(delivery.decode(), message.decode(), body) for delivery, message, body in parcels]

    async def rest(self, claim: "Claim", now: Milliseconds | None = None) -> None:
        """Nobody serves the hook for a while, whatever is put."""
        await self._rest([f"{hook_key(claim.hook)}:claim", DUE], [claim.hook, claim.token, REST, time_word(now)])

    async def note(
        self,
        claim: "Claim",
        delivery: str,
        tried: Try,
        pauses: tuple[Milliseconds, ...],
        now: Milliseconds | None = None,
    ) -> DeliveryState | None:
        """What has become of it; nothing, if the claim is no longer ours. It is tried again after these pauses."""
        key = hook_key(claim.hook)
        keys = [_kept(claim.hook, delivery), f"{key}:waiting", f"{key}:claim", f"{key}:log"]
        limits = [MOST_TRIES, MOST_LOGGED, first_id(time() - WEEK)]
        taken = int(tried.error is None)
        arguments = [delivery, claim.token, msgspec.json.encode(tried), taken, time_word(now), *limits, *pauses]
        state = await self._note(keys, arguments)
        return None if state is None else state.decode()

    async def again(self, hook: StoredHook, delivery: str, now: Milliseconds | None = None) -> Logged:
        """Have it delivered once more, and return it. Raise `NotProved` for a hook that has not proved itself."""
        key = hook_key(hook.id)
        keys = [_kept(hook.id, _checked(delivery)), f"{key}:waiting", f"{key}:claim", DUE, UNPROVED]
        arguments = [hook.id, int(hook.enabled), delivery, MOST_WAITING, WEEK, time_word(now)]
        said = await self._again(keys, arguments)
        if said == b"unproved":
            raise NotProved(f"have the hook prove itself first: POST /v1/hooks/{hook.id}/proof", field="hook")
        if said == b"full":
            raise NoRoom(f"{MOST_WAITING} deliveries wait for this hook already: let it take them", field="hook")
        return await self.get(hook.id, delivery)

    async def page(self, hook: str, cursor: str | None, limit: int) -> tuple[list[Logged], str | None]:
        """Those that were tried, the newest first, from before the one at the cursor; and the next cursor."""
        found = await self._page([f"{hook_key(hook)}:log"], [cursor or "", limit])
        rows = [_logged(delivery.decode(), flat) for delivery, flat in found if flat]
        return rows, found[-1][0].decode() if len(found) == limit else None

    async def get(self, hook: str, delivery: str) -> Logged:
        flat = await self._link.call("HGETALL", _kept(hook, _checked(delivery)))
        if not flat:
            raise _unknown(delivery)
        return _logged(delivery, flat)


class Claim(NamedTuple):
    hook: str
    token: str


def _logged(delivery: str, flat: list[bytes]) -> Logged:
    fields = dict(zip(flat[::2], flat[1::2], strict=True))
    return Logged(
        id=delivery,
        message=fields[b"message"].decode(),
        event=msgspec.convert(fields[b"event"].decode(), Event),
        put=int(fields[b"put"]),
        state=msgspec.convert(fields[b"state"].decode(), DeliveryState),
        due=int(float(fields[b"due"])) if b"due" in fields else None,
        tried=int(fields[b"tries"]),
        tries=_tries(fields),
        body=fields[b"body"],
    )


def _tries(fields: Mapping[bytes, bytes]) -> tuple[Try, ...]:
    numbers = sorted(int(name) for name in fields if name.isdigit())
    return tuple(_decode_try(fields[b"%d" % number]) for number in numbers)


def _checked(delivery: str) -> str:
    if not ID.fullmatch(delivery):
        raise _unknown(delivery)
    return delivery


def _unknown(delivery: str) -> UnknownDelivery:
    return UnknownDelivery(f"nothing is kept of a delivery {delivery!r} to this hook", field="delivery")


def _kept(hook: str, delivery: str) -> str:
    return f"{hook_key(hook)}:log:{delivery}"


_decode_try = msgspec.json.Decoder(Try).decode
