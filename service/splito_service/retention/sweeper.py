"""Sweeper: removes matches, tournaments, owners, hooks and log entries that are kept no longer, in small steps.

Every process of the service runs one; a lease lets only one of them sweep at a time. `splito prune` does the same work
on demand. What is kept for how long is the table in `splito_service.retention.table`.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from secrets import token_hex
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from splito_service.bots.consent import Organisers
from splito_service.bots.store import Bots
from splito_service.errors import NotOver, Unavailable, UnknownSeries, UnknownTournament
from splito_service.ids import Milliseconds
from splito_service.matches.redis_keys import ENDED, LIVE, match_keys
from splito_service.matches.store import Matches
from splito_service.moderation.model import MOST_ACTIONS
from splito_service.moderation.store import ModerationLog, action_key
from splito_service.owners.store import Owners
from splito_service.retention.adoption import adopt
from splito_service.retention.removal import Removal
from splito_service.series.store import ENDED as SERIES_ENDED
from splito_service.series.store import SeriesStore, series_key
from splito_service.settings import Settings
from splito_service.storage.client import Link
from splito_service.tournaments.organiser import Organiser
from splito_service.tournaments.redis_keys import ENDED as TOURNAMENTS_ENDED
from splito_service.tournaments.redis_keys import PARTS, held_by, keys
from splito_service.tournaments.store import Tournaments
from splito_service.webhooks.store import UNPROVED, Hooks, hook_key

DAY: Milliseconds = 24 * 3600 * 1000
AT_ONCE = 100  # entries that are read in one call
LEASE = "sweeper"  # key of the process that sweeps
LOOK = 10.0  # seconds, at most, between two tries to get the lease

log = logging.getLogger("splito.sweeper")

Progress: TypeAlias = Callable[[str], None]
"""Callback that receives the kind of each object that was found."""


class Swept(Struct, frozen=True):
    """The number and memory of removed objects of one kind."""

    kind: str
    count: int
    bytes: int
    """Memory in bytes of their keys in Redis."""


class Expired(NamedTuple):
    """An object whose retention has ended."""

    keys: list[str]
    remove: Callable[[], Awaitable[object]]


class Sweeper:
    """The sweeper. Used in one event loop."""

    def __init__(self, link: Link, settings: Settings, games: Sequence[str]) -> None:
        self._link, self._settings, self._games = link, settings, games
        self._matches, self._tournaments = Matches(link, settings), Tournaments(link)
        self._owners, self._bots, self._hooks = Owners(link, settings), Bots(link), Hooks(link)
        organiser = Organiser(link, self._bots, Organisers(settings.organisers))
        self._removal = Removal(link, self._owners, self._bots, self._hooks, organiser)
        self._moderation, self._token = ModerationLog(link), token_hex(8)

    async def sweep(self, *, dry: bool = False, tell: Progress | None = None) -> list[Swept]:
        """Remove expired data, or only count them. Return one line for each kind."""
        now, swept = await self._now(), list[Swept]()
        if not dry:
            await adopt(self._link, now)
        for kind, found in self._kinds(now).items():
            count = size = 0
            async for expired in found:
                count, size = count + 1, size + await self._size(expired.keys)
                if not dry:
                    await expired.remove()
                    await self._renew()
                if tell is not None:
                    tell(kind)
            swept.append(Swept(kind, count, size))
        return swept

    async def claim(self) -> bool:
        """True if this process may sweep now: none has swept for as long as the setting says."""
        seconds = self._settings.sweep_seconds
        return await self._link.call("SET", LEASE, self._token, "NX", "EX", seconds) is not None

    async def run(self) -> None:
        """Sweep for ever, whenever the lease is free."""
        while True:
            try:
                if await self.claim():
                    for swept in await self.sweep():
                        if swept.count:
                            log.info("removed %d %s, %d bytes", swept.count, swept.kind, swept.bytes)
            except Unavailable:
                pass  # Redis may come back
            except Exception:
                log.exception("sweep failed")
            await asyncio.sleep(min(LOOK, self._settings.sweep_seconds))

    def _kinds(self, now: Milliseconds) -> dict[str, AsyncIterator[Expired]]:
        return {
            "finished matches": self._finished(now),
            "abandoned matches": self._abandoned(now),
            "tournaments": self._ended(now),
            "series": self._series(now),
            "owners": self._unused(now),
            "hooks": self._disabled(now),
            "unproved hooks": self._unproved(now),
            "moderation actions": self._moderated(now),
        }

    async def _finished(self, now: Milliseconds) -> AsyncIterator[Expired]:
        days, most = self._settings.match_days, self._settings.max_finished
        found = await self._before(ENDED, now - DAY * days) if days else []
        if most:
            over = await self._link.call("ZCARD", ENDED) - most
            found = max(found, await self._link.call("ZRANGE", ENDED, 0, over - 1) if over > 0 else [], key=len)
        for match_id in [one.decode() for one in found]:
            yield Expired(match_keys(match_id, "record"), lambda one=match_id: self._delete_match(one, None))

    async def _abandoned(self, now: Milliseconds) -> AsyncIterator[Expired]:
        """Yield matches without a move or, while seats are open, without a person joining or leaving, for too long."""
        days = [count for count in (self._settings.idle_days, self._settings.open_days) if count]
        ids = await self._before(LIVE, now - DAY * min(days)) if days else []
        for begin in range(0, len(ids), AT_ONCE):
            some = [one.decode() for one in ids[begin : begin + AT_ONCE]]
            found = await asyncio.gather(*(self._idle_since(match_id) for match_id in some))
            for match_id, (change, since, limit) in zip(some, found, strict=True):
                if change is None or (limit and since < now - DAY * limit):
                    remove = lambda one=match_id, seen=change: self._delete_match(one, seen)  # noqa: E731 (of this turn of the loop)
                    yield Expired(match_keys(match_id, "", "turns"), remove)

    async def _idle_since(self, match_id: str) -> tuple[int | None, Milliseconds, int]:
        """Return the change that was seen last, None if the match is gone, when it was, and the limit in days."""
        key, *_ = match_keys(match_id, "")
        change, turn, began, seated = await self._link.call("HMGET", key, "change", "turn", "began", "seated")
        if change is None:
            return None, 0, 0
        is_open = turn == b"-1"
        limit = self._settings.open_days if is_open else self._settings.idle_days
        since = (seated if is_open else began) or await self._link.call("ZSCORE", LIVE, match_id) or 0
        return int(change), int(float(since)), limit

    async def _delete_match(self, match_id: str, change: int | None) -> None:
        await self._matches.delete(match_id, change, self._games)

    async def _ended(self, now: Milliseconds) -> AsyncIterator[Expired]:
        limits = {"finished": self._settings.tournament_days, "cancelled": self._settings.cancelled_days}
        days = [count for count in limits.values() if count]
        for raw in await self._before(TOURNAMENTS_ENDED, now - DAY * min(days)) if days else []:
            tournament_id = raw.decode()
            try:
                kept = await self._tournaments.get(tournament_id)
            except UnknownTournament:
                await self._link.call("ZREM", TOURNAMENTS_ENDED, tournament_id)
                continue
            limit = limits.get(kept.state, 0)
            if limit and (kept.ended_ms or 0) < now - DAY * limit:
                yield Expired(keys(tournament_id, "", *PARTS), lambda one=tournament_id: self._delete_tournament(one))

    async def _delete_tournament(self, tournament_id: str) -> None:
        with suppress(UnknownTournament, NotOver):
            await self._tournaments.delete(tournament_id)

    async def _series(self, now: Milliseconds) -> AsyncIterator[Expired]:
        days, store = self._settings.cancelled_days, SeriesStore(self._link)
        ended = await self._before(SERIES_ENDED, now - DAY * days) if days else []
        for series_id in [raw.decode() for raw in ended]:
            yield Expired([series_key(series_id)], partial(self._delete_series, store, series_id))

    async def _delete_series(self, store: SeriesStore, series_id: str) -> None:
        with suppress(UnknownSeries):
            await store.delete(series_id)

    async def _unused(self, now: Milliseconds) -> AsyncIterator[Expired]:
        unused, empty = self._settings.owner_days, self._settings.empty_owner_days
        days = [count for count in (unused, empty) if count]
        found, page = list[tuple[str, Milliseconds]](), list[tuple[str, Milliseconds]]()
        while days and (page := await self._owners.unused_since(now - DAY * min(days), len(found), AT_ONCE)):
            found += page
        for owner_id, used in found:
            limit = empty if await self._is_empty(owner_id) else unused
            if limit and used < now - DAY * limit:
                yield Expired(await self._keys_of(owner_id), lambda one=owner_id: self._removal.owner(one))

    async def _is_empty(self, owner_id: str) -> bool:
        """True if the owner has no bot, no hook, no series and no tournament that goes on."""
        parts = [f"owner:{owner_id}:{part}" for part in ("bots", "hooks", "series")]
        return not await self._link.call("EXISTS", *parts, held_by(owner_id))

    async def _keys_of(self, owner_id: str) -> list[str]:
        bots = [f"bot:{bot.id}" for bot in await self._bots.of_owner(owner_id)]
        held = [f"key:{key.id}" for key in await self._owners.keys_of(owner_id)]
        parts = ("keys", "used", "bots", "hooks", "events", "series")
        return [f"owner:{owner_id}", *(f"owner:{owner_id}:{part}" for part in parts), *bots, *held]

    async def _disabled(self, now: Milliseconds) -> AsyncIterator[Expired]:
        days = self._settings.hook_days
        for hook in await self._hooks.disabled_before(now - DAY * days) if days else []:
            yield Expired(_keys_of_hook(hook.id), lambda one=hook: self._hooks.delete(one))

    async def _unproved(self, now: Milliseconds) -> AsyncIterator[Expired]:
        for raw in await self._before(UNPROVED, now):
            found = await self._hooks.unproved(raw.decode())
            if found is not None:
                hook, seen = found
                yield Expired(_keys_of_hook(hook.id), partial(self._hooks.delete, hook, seen))

    async def _moderated(self, now: Milliseconds) -> AsyncIterator[Expired]:
        days, log = self._settings.moderation_days, self._moderation
        for action in await log.before(now - DAY * days, MOST_ACTIONS) if days else []:
            yield Expired([action_key(action)], partial(log.forget, action))

    async def _before(self, key: str, time_ms: Milliseconds) -> list[bytes]:
        """Return all members of a sorted set with a lower score, read in small steps."""
        found, page = list[bytes](), list[bytes]()
        while page := await self._link.call(
            *("ZRANGE", key, "-inf", f"({time_ms}", "BYSCORE", "LIMIT", len(found), AT_ONCE)
        ):
            found += page
        return found

    async def _size(self, names: list[str]) -> int:
        sizes = await asyncio.gather(*(self._link.call("MEMORY", "USAGE", name) for name in names))
        return sum(size or 0 for size in sizes)

    async def _renew(self) -> None:
        """Keep the lease while a sweep goes on; a sweep by `splito prune` has none."""
        if await self._link.call("GET", LEASE) == self._token.encode():
            await self._link.call("EXPIRE", LEASE, self._settings.sweep_seconds)

    async def _now(self) -> Milliseconds:
        seconds, micros = await self._link.call("TIME")
        return 1000 * int(seconds) + int(micros) // 1000


def _keys_of_hook(hook_id: str) -> list[str]:
    key = hook_key(hook_id)
    return [key, *(f"{key}:{part}" for part in ("waiting", "log", "dropped"))]


@asynccontextmanager
async def sweeping(link: Link, settings: Settings, games: Sequence[str]) -> AsyncGenerator[None]:
    """Sweep in the background, unless the settings say never."""
    task = asyncio.create_task(Sweeper(link, settings, games).run()) if settings.sweep_seconds else None
    try:
        yield
    finally:
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
