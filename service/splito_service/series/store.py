"""Store of series in Redis. A series is one document, changed by compare-and-set together with the lists that follow
from it. Its next tournament is created in the same script call that moves the series on, so each is created once.

    series:{id}           the document (string)
    series-lists:all      all series (sorted set)
    series-lists:due      series by the time at which their next tournament is created (sorted set)
    series-lists:ended    series that have ended, by the time of that (sorted set)
    owner:{owner}:series  series of an owner (set)
"""

import re
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from splito_service.errors import NoRoom, UnknownSeries
from splito_service.ids import ID_PATTERN, Milliseconds
from splito_service.series.model import MOST_SERIES, StoredSeries
from splito_service.storage.client import Link
from splito_service.storage.scripts import source
from splito_service.tournaments.model import StoredTournament
from splito_service.tournaments.store import Tournaments, creation

ALL, DUE, ENDED = "series-lists:all", "series-lists:due", "series-lists:ended"
LISTS = (ALL, DUE, ENDED)
AT_ONCE = 100
"""Number of series that are read in one call."""
LOOKED_AT = 1000
"""Maximum number of series that are searched for one page."""
ID = re.compile(ID_PATTERN)
FULL = -1
"""Answer of the scripts if the owner has as many series, or tournaments, as an owner may have."""


class Page(NamedTuple):
    series: list[StoredSeries]
    next: str | None
    """Cursor of the next page; None on the last page."""


class SeriesStore:
    """The series in one Redis, shared by all processes."""

    def __init__(self, link: Link) -> None:
        self._link, self._tournaments = link, Tournaments(link)
        self._keep, self._delete = (link.script(source(f"series/{name}")) for name in ("keep", "delete"))
        self._due = link.script(source("tournaments/schedule_due"))
        self._delay = link.script(source("tournaments/schedule_delay"))
        self._hold = link.script(source("tournaments/series_hold", "tournament_store"))

    async def create(self, kept: StoredSeries) -> None:
        """Store a new series. Raise `NoRoom` if the owner has too many."""
        if await self._keep(_keys(kept), [*_words(b"", kept), MOST_SERIES]) == FULL:
            raise NoRoom(f"an owner has at most {MOST_SERIES} series: delete one that is not needed", field="series")

    async def get(self, series_id: str) -> StoredSeries:
        """Return a series. Raise `UnknownSeries` if there is none."""
        return _decode(await self.load(series_id))

    async def load(self, series_id: str) -> bytes:
        """Return the stored document of a series. Raise `UnknownSeries` if there is none."""
        raw = await self._link.call("GET", series_key(series_id)) if ID.fullmatch(series_id) else None
        if raw is None:
            raise UnknownSeries(f"there is no series {series_id!r}", field="series")
        return raw

    async def change(self, series_id: str, how: Callable[[StoredSeries], StoredSeries]) -> StoredSeries:
        """Change a series with the function `how`, which may be called several times, and return it."""
        while True:
            raw = await self.load(series_id)
            before = _decode(raw)
            after = how(before)
            if after == before or await self.replace(raw, after):
                return after

    async def replace(self, raw: bytes, after: StoredSeries) -> bool:
        """Replace a series. Return False if it has changed since this document was read."""
        return await self._keep(_keys(after), [*_words(raw, after), 0]) > 0

    async def hold(self, raw: bytes, after: StoredSeries, tournament: StoredTournament) -> bool | None:
        """Create the next tournament of a series and move the series on.

        Return False if the series has changed since this document was read, None if its owner has no room for a
        further tournament; nothing is changed then.
        """
        places, words = creation(tournament)
        answer = await self._hold([*places, *_keys(after)], [*words, *_words(raw, after)])
        return None if answer == FULL else answer > 0

    async def delete(self, series_id: str) -> None:
        """Delete a series; its tournaments stay."""
        kept = await self.get(series_id)
        await self._delete(_keys(kept), [series_id])

    async def page(self, cursor: str | None, limit: int, only: Callable[[StoredSeries], bool]) -> Page:
        """Return a page of series, newest first, from before the cursor."""
        found = list[StoredSeries]()
        for _ in range(LOOKED_AT // AT_ONCE):
            latest = f"({cursor}" if cursor else "+"
            ids = await self._link.call("ZRANGE", ALL, latest, "-", "BYLEX", "REV", "LIMIT", 0, AT_ONCE)
            for kept in await self._find(ids):
                cursor = kept.id
                if only(kept):
                    found.append(kept)
                if len(found) == limit:
                    return Page(found, cursor)
            if len(ids) < AT_ONCE:
                return Page(found, None)
        return Page(found, cursor)

    async def of_owner(self, owner: str) -> list[str]:
        """Return the ids of the series of an owner."""
        return [one.decode() for one in await self._link.call("SMEMBERS", of_owner(owner))]

    async def due(self) -> list[str]:
        """Return the ids of series whose next tournament is to be created."""
        return [one.decode() for one in await self._due([DUE], [AT_ONCE])]

    async def delay(self, series_id: str, by: Milliseconds) -> None:
        """Delay a series that could not be attended to, so that it does not keep the others waiting."""
        await self._delay([DUE], [series_id, by])

    async def _find(self, ids: list[bytes]) -> list[StoredSeries]:
        wanted = [series_key(one.decode()) for one in ids]
        found: list[bytes | None] = await self._link.call("MGET", *wanted) if wanted else []
        return [_decode(raw) for raw in found if raw is not None]


def series_key(series_id: str) -> str:
    return f"series:{series_id}"


def of_owner(owner: str) -> str:
    """Return the Redis key of the series of an owner."""
    return f"owner:{owner}:series"


def _keys(kept: StoredSeries) -> list[str]:
    return [series_key(kept.id), *LISTS, of_owner(kept.owner)]


def _words(raw: bytes, after: StoredSeries) -> list[bytes | str | int]:
    due, ended = after.due_ms, after.ended_ms
    return [after.id, raw, _encode(after), "" if due is None else due, "" if ended is None else ended]


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(StoredSeries).decode
