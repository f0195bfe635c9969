"""Store of webhook deliveries in Redis: waiting deliveries are retried until accepted or given up, then logged.

One process at a time claims a hook with due deliveries, sends them and stores the outcome of each try; sending and
storing need the claim. The claim of a killed process expires by the time in `hooks:due`, and its deliveries are sent
again with the same id. The waiting deliveries, the log and their age are bounded.
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
"""Lease of a claim in milliseconds; longer than any try."""
REST = 5_000
"""Milliseconds for which a hook that accepted none of its deliveries is left alone."""
AT_ONCE = 8
"""Number of deliveries of one hook that are under way at the same time."""
MOST_LOGGED = 100
"""Number of finished deliveries that the log of a hook keeps: the last ones."""
MOST_TRIES = 10
"""Number of tries that are stored of a delivery: the last ones."""


class Deliveries:
    """The store of deliveries in one Redis, shared by all processes."""

    def __init__(self, link: Link) -> None:
        self._link = link
        names = ("claim", "take", "rest", "note", "again", "page")
        scripts = (link.script(source(f"webhooks/{name}")) for name in names)
        self._claim, self._take, self._rest, self._note, self._again, self._page = scripts

    async def claim(self, limit: int, now: Milliseconds | None = None) -> "list[Claim]":
        """Claim hooks that have due deliveries and return the claims."""
        token = token_hex(8)
        ids = await self._claim([DUE], [token, limit, LEASE, time_word(now)])
        return [Claim(hook_id.decode(), token) for hook_id in ids]

    async def take(self, claim: "Claim", now: Milliseconds | None = None) -> tuple[StoredHook, list[Parcel]] | None:
        """Return the hook and its due deliveries; None, with the claim ended, if there are none."""
        key = hook_key(claim.hook)
        keys = [key, f"{key}:waiting", f"{key}:claim", DUE]
        found = await self._take(keys, [claim.hook, claim.token, AT_ONCE, LEASE, time_word(now)])
        if not found:
            return None
        hook, parcels = found
        return decode(hook), [Parcel(delivery.decode(), message.decode(), body) for delivery, message, body in parcels]

    async def rest(self, claim: "Claim", now: Milliseconds | None = None) -> None:
        """Leave the hook alone for a while, whatever events are put."""
        await self._rest([f"{hook_key(claim.hook)}:claim", DUE], [claim.hook, claim.token, REST, time_word(now)])

    async def note(
        self,
        claim: "Claim",
        delivery: str,
        tried: Try,
        pauses: tuple[Milliseconds, ...],
        now: Milliseconds | None = None,
    ) -> DeliveryState | None:
        """Store the outcome of a try and return the state of the delivery; None if the claim has expired.

        A failed delivery is tried again after the next of `pauses`.
        """
        key = hook_key(claim.hook)
        keys = [_kept(claim.hook, delivery), f"{key}:waiting", f"{key}:claim", f"{key}:log"]
        limits = [MOST_TRIES, MOST_LOGGED, first_id(time() - WEEK)]
        taken = int(tried.error is None)
        arguments = [delivery, claim.token, msgspec.json.encode(tried), taken, time_word(now), *limits, *pauses]
        state = await self._note(keys, arguments)
        return None if state is None else state.decode()

    async def again(self, hook: StoredHook, delivery: str, now: Milliseconds | None = None) -> Logged:
        """Schedule a delivery once more and return it. Raise `NotProved` for a hook that is not proved."""
        key = hook_key(hook.id)
        keys = [_kept(hook.id, _checked(delivery)), f"{key}:waiting", f"{key}:claim", DUE, UNPROVED]
        arguments = [hook.id, int(hook.enabled), delivery, MOST_WAITING, WEEK, time_word(now)]
        said = await self._again(keys, arguments)
        if said == b"unproved":
            raise NotProved(f"prove the webhook first: POST /v1/hooks/{hook.id}/proof", field="hook")
        if said == b"full":
            raise NoRoom(
                f"{MOST_WAITING} deliveries of this webhook wait already: try again when some are delivered",
                field="hook",
            )
        return await self.get(hook.id, delivery)

    async def page(self, hook: str, cursor: str | None, limit: int) -> tuple[list[Logged], str | None]:
        """Return deliveries that were tried, newest first, from before the cursor, and the next cursor."""
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
    return UnknownDelivery(f"this webhook has no delivery {delivery!r}", field="delivery")


def _kept(hook: str, delivery: str) -> str:
    return f"{hook_key(hook)}:log:{delivery}"


_decode_try = msgspec.json.Decoder(Try).decode
