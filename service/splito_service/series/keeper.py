"""Keeper of series: it creates, changes and deletes them for their owners, and creates their tournaments.

Every server process may attend to a series: its next tournament is created in the same script call that moves the
series on, so it is created once. Starts that passed while no process was there are not made up; of a sign-up that
should have begun meanwhile, the rest is held.
"""

import logging
from typing import Any

import msgspec
from msgspec.structs import replace

from splito_engine.errors import BadOption, GameError
from splito_service.errors import Banned, NoRoom, Unavailable, UnknownSeries, WrongOwner
from splito_service.ids import Milliseconds, milliseconds_of, moment, new_id
from splito_service.owners.keys import Holder
from splito_service.problems import title
from splito_service.series.model import MINUTE, StoredSeries, held, missed, planned
from splito_service.series.schemas import NewSeries, new_series
from splito_service.series.store import SeriesStore
from splito_service.storage.client import Link
from splito_service.tournaments.entrants import STOPPED
from splito_service.tournaments.model import StoredTournament
from splito_service.tournaments.organiser import Organiser

DELAY: Milliseconds = 60_000
"""Milliseconds until the next try if a series cannot be attended to because of an error of ours."""

log = logging.getLogger("splito.series")


class SeriesKeeper:
    """The keeper of the series in one Redis. Used in one event loop."""

    def __init__(self, link: Link, organiser: Organiser, games: tuple[str, ...]) -> None:
        self._link, self._organiser, self._games = link, organiser, games
        self.store = SeriesStore(link)

    async def create(self, holder: Holder, wanted: NewSeries) -> StoredSeries:
        """Create a series. Raise the problem of a tournament that could not be held, or of a rule without a start."""
        kept = await self._checked(StoredSeries(id=new_id(), owner=holder.owner, **_settings(wanted)), wanted)
        await self.store.create(kept)
        return kept

    async def change(self, series_id: str, holder: Holder, wanted: NewSeries) -> StoredSeries:
        """Change a series of the owner. The same settings again change nothing."""
        kept = await self.owned(series_id, holder)
        settings = _settings(wanted)
        if all(getattr(kept, field) == value for field, value in settings.items()):
            return kept
        await self._checked(replace(kept, **settings), wanted)
        now = await self._now()
        return await self.store.change(series_id, lambda seen: planned(replace(seen, **settings), now))

    async def delete(self, series_id: str, holder: Holder) -> None:
        await self.owned(series_id, holder)
        await self.store.delete(series_id)

    async def owned(self, series_id: str, holder: Holder) -> StoredSeries:
        """Return a series of the owner. Raise `WrongOwner` for that of another owner."""
        kept = await self.store.get(series_id)
        if kept.owner != holder.owner:
            raise WrongOwner(f"series {series_id} belongs to another owner", field="series")
        return kept

    async def look(self) -> int:
        """Attend to the series whose next tournament is to be created, and return their number."""
        due = await self.store.due()
        for series_id in due:
            try:
                await self.attend(series_id)
            except Unavailable:
                raise
            except UnknownSeries:
                continue  # it was deleted in between
            except Exception:
                log.exception("the next tournament of series %s could not be created", series_id)
                await self.store.delay(series_id, DELAY)
        return len(due)

    async def attend(self, series_id: str) -> None:
        """Create the next tournament of a series if it is due, and move the series on."""
        raw, now = await self.store.load(series_id), await self._now()
        kept = msgspec.json.decode(raw, type=StoredSeries)
        if kept.next_ms is None or kept.due_ms is None or kept.due_ms > now:
            return
        if kept.next_ms <= now:
            await self.store.replace(raw, missed(kept, now))
            return
        try:
            await self._hold(raw, kept, now)
        except Unavailable:
            raise
        except GameError as error:
            await self.store.replace(raw, held(kept, None, _public(error), now))

    async def _hold(self, raw: bytes, kept: StoredSeries, now: Milliseconds) -> None:
        try:
            wanted = msgspec.json.decode(kept.settings, type=new_series(self._games))
        except msgspec.ValidationError as error:
            raise BadOption(f"its settings fit no game of this service any more: {error}", field="series") from None
        tournament = await self._tournament(kept, wanted)
        done = await self.store.hold(raw, held(kept, tournament.id, None, now), tournament)
        if done is None:
            raise NoRoom("its owner has as many unfinished tournaments as an owner may have", field="tournaments")
        if done:
            await self._organiser.stop_if_banned(tournament)

    async def _tournament(self, kept: StoredSeries, wanted: NewSeries) -> StoredTournament:
        times = {"opens": None, "starts": moment(kept.next_ms or 0)}
        found = await self._organiser.checked(kept.owner, msgspec.structs.replace(wanted.tournament, **times))
        return replace(found, series=kept.id)

    async def _checked(self, kept: StoredSeries, wanted: NewSeries) -> StoredSeries:
        """Return the series with its next start. Raise the problem of settings that cannot be kept."""
        if wanted.tournament.opens is not None or wanted.tournament.starts is not None:
            raise BadOption("the tournament of a series has no times of its own: the rule gives them", field="starts")
        if wanted.tournament.seed is not None:
            raise BadOption("the tournaments of a series take no seed: they would all be the same", field="seed")
        now = await self._now()
        found = planned(replace(kept, paused=False), now)
        if found.next_ms is None and not kept.done:
            raise BadOption("until is before the first start", field="until")
        if found.next_ms is not None:
            await self._tournament(found, wanted)
        return planned(kept, now)

    async def _now(self) -> Milliseconds:
        seconds, micros = await self._link.call("TIME")
        return 1000 * int(seconds) + int(micros) // 1000


def _settings(wanted: NewSeries) -> dict[str, Any]:
    return {
        "name": wanted.tournament.name,
        "game": str(wanted.tournament.__struct_config__.tag),
        "settings": msgspec.Raw(msgspec.json.encode(wanted)),
        "rule": wanted.rule,
        "sign_up_ms": wanted.sign_up_minutes * MINUTE,
        "count": wanted.count,
        "until_ms": None if wanted.until is None else milliseconds_of(wanted.until),
        "paused": wanted.paused,
    }


def _public(error: GameError) -> str:
    """Return a reason that everybody may read: it says nothing about bots and bans that only their owners may know."""
    return STOPPED if isinstance(error, Banned) else f"{error.code}: {title(type(error))}"
