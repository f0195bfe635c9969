"""Starter of tournaments: it opens sign-up, starts and cancels tournaments at their times, and has webhooks told.

Any process may attend to a tournament, and several at once: each step is one compare-and-set of its document, so it
happens once, and the schedule changes in the same script call. An event is sent after the step it tells of and stays
due until it was sent, so a process that is killed in between leaves it to another. The clock is that of Redis.
"""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Protocol

from msgspec.structs import replace

from splito_arena.bots.find import check_bot
from splito_arena.formats import Experiment, Ladder
from splito_engine.errors import BadBot, GameError
from splito_engine.registry import find_game
from splito_service.bots.model import Registered, is_registered
from splito_service.errors import Unavailable, UnknownTournament
from splito_service.ids import Milliseconds
from splito_service.storage.client import Link
from splito_service.storage.scripts import source
from splito_service.tournaments.announce import Announcer
from splito_service.tournaments.entrants import (
    CLOSED_BEFORE,
    OWNER_WITHDREW,
    WITHDRAWN,
    Roster,
    absence,
    current,
    still_allows,
)
from splito_service.tournaments.installed_versions import NOT_INSTALLED, house_version, stand_in_version
from splito_service.tournaments.ledger_store import Ledger
from splito_service.tournaments.model import BEFORE, TOLD, StoredEntrant, StoredTournament
from splito_service.tournaments.past_rounds import latest_ratings
from splito_service.tournaments.ratings.store import Ratings
from splito_service.tournaments.redis_keys import SCHEDULED
from splito_service.tournaments.schedule.conditions import check_conditions
from splito_service.tournaments.schedule.times import check_before
from splito_service.tournaments.store import Tournaments
from splito_service.webhooks.store import Outbox

AT_ONCE = 100
"""Number of due tournaments that one look attends to."""
DELAY: Milliseconds = 60_000
"""Milliseconds until the next try if a tournament cannot be attended to because of an error of ours."""

log = logging.getLogger("splito.starter")


class Rounds(Protocol):
    """Protocol of the planner of rounds, as far as a start needs it."""

    async def now(self) -> Milliseconds:
        """Return the time of the Redis clock."""
        ...

    async def advance(self, tournament_id: str) -> bool:
        """Plan the next round or end the tournament if its round is over."""
        ...


class Starter:
    """The starter of the tournaments in one Redis. Used in one event loop."""

    def __init__(self, link: Link, roster: Roster, planner: Rounds) -> None:
        self._link, self._roster, self._planner = link, roster, planner
        self._tournaments, self._ledger, self._ratings = Tournaments(link), Ledger(link), Ratings(link)
        self._announcer = Announcer(Outbox(link))
        self._due, self._delay = (link.script(source(f"tournaments/schedule_{name}")) for name in ("due", "delay"))

    async def look(self) -> int:
        """Attend to the tournaments that are due, and return their number."""
        due = [one.decode() for one in await self._due([SCHEDULED], [AT_ONCE])]
        for tournament_id in due:
            await self._try_to_attend(tournament_id)
        return len(due)

    async def _try_to_attend(self, tournament_id: str) -> None:
        try:
            await self.attend(tournament_id)
        except Unavailable:
            raise
        except UnknownTournament:
            await self._link.call("ZREM", SCHEDULED, tournament_id)
        except Exception:
            log.exception("tournament %s could not be opened or started", tournament_id)
            await self._delay([SCHEDULED], [tournament_id, DELAY])

    async def attend(self, tournament_id: str) -> None:
        """Take the next step of a tournament, if one is due."""
        kept, now = await self._tournaments.get(tournament_id), await self._planner.now()
        if kept.starts_ms is None:
            return
        if kept.state in TOLD and kept.state != kept.told:
            await self._tell(kept)
        elif kept.state == "scheduled" and (kept.opens_ms or 0) <= now:
            await self._tournaments.change(kept.id, partial(_opened, now=now))
        elif kept.state == "open" and kept.starts_ms <= now:
            await self.start(kept.id, at_its_time=True)

    async def start(self, tournament_id: str, *, at_its_time: bool = False) -> StoredTournament:
        """Start a tournament with the bots that can play.

        If its conditions do not hold, it is cancelled with the reason at its time, and the problem is raised before.
        """
        while True:
            seen = await self._tournaments.get(tournament_id)
            if at_its_time and (seen.state not in BEFORE or (seen.starts_ms or 0) > await self._planner.now()):
                return seen
            check_before(seen)
            begun = await self._begun(seen, at_its_time=at_its_time)
            kept = await self._tournaments.change(tournament_id, partial(_if_same, seen=seen, after=begun))
            if kept == begun:
                break
        with suppress(UnknownTournament):
            await self._planner.advance(tournament_id)
        return kept

    async def _begun(self, kept: StoredTournament, *, at_its_time: bool) -> StoredTournament:
        """Return the tournament as it begins, or as it is cancelled. Raise the problem unless it is at its time."""
        ready, now = await self._refreshed(kept), await self._planner.now()
        try:
            await asyncio.to_thread(check_conditions, ready)
        except GameError as error:
            if not at_its_time:
                raise
            reason = f"it could not start: {error.message}"
            return replace(ready, state="cancelled", reason=reason, ended_ms=now)
        return replace(ready, state="running", reason=None, started_ms=now)

    async def _refreshed(self, kept: StoredTournament) -> StoredTournament:
        """Return the tournament with the bots, versions and ratings of this moment.

        Withdrawn bots are left out. Bots that cannot play are gone, each with the reason.
        """
        staying = [one for one in kept.entrants if one.gone not in (WITHDRAWN, OWNER_WITHDREW)]
        bots = await self._roster.registered([one.bot for one in staying], age=0)
        entrants = tuple(_seen(kept, one, bots) for one in staying)
        fresh = replace(kept, entrants=entrants, rules=find_game(kept.game).INFO.version, stand_in=stand_in_version())
        return await self.rated(fresh)

    async def rated(self, kept: StoredTournament) -> StoredTournament:
        """Return the tournament with the current ratings of its entrants, by which a format seeds them.

        A tournament with a seed takes no ratings, because they change and it must be the same when it is held again.
        """
        if isinstance(kept.format, Ladder | Experiment) or kept.seed is not None:
            return kept
        known = latest_ratings(kept, await self._ratings.table(kept.game, kept.players))
        rated = [replace(one, rating=known[one.bot].mean if one.bot in known else None) for one in kept.entrants]
        return replace(kept, entrants=tuple(rated))

    async def _tell(self, kept: StoredTournament) -> None:
        """Send the event of the state of a tournament. Events that are sent twice are delivered once."""
        if kept.state == "cancelled":
            counts = await self._ledger.counts(kept.id)
            await self._announcer.tournament_ended(kept, counts.done - counts.skipped)
        else:
            await self._announcer.tournament_changed(kept)
        await self._tournaments.change(kept.id, partial(_told, state=kept.state))


def _seen(kept: StoredTournament, entrant: StoredEntrant, bots: Mapping[str, Registered | None]) -> StoredEntrant:
    if not is_registered(entrant.bot):
        return _of_house(kept, entrant)
    bot = bots.get(entrant.bot)
    fresh = replace(entrant, gone=None, version=current(entrant, bot), name=bot.name if bot else entrant.name)
    closed = bot is not None and not still_allows(kept, entrant, bot)
    return replace(fresh, gone=absence(kept, fresh, bot) or (CLOSED_BEFORE if closed else None))


def _of_house(kept: StoredTournament, entrant: StoredEntrant) -> StoredEntrant:
    try:
        check_bot(entrant.bot, kept.game)
    except BadBot:
        return replace(entrant, gone=NOT_INSTALLED)
    return replace(entrant, version=house_version(entrant.bot))


def _opened(kept: StoredTournament, now: Milliseconds) -> StoredTournament:
    due = kept.state == "scheduled" and kept.opens_ms is not None and kept.opens_ms <= now
    return replace(kept, state="open") if due else kept


def _if_same(kept: StoredTournament, seen: StoredTournament, after: StoredTournament) -> StoredTournament:
    return after if kept == seen else kept


def _told(kept: StoredTournament, state: str) -> StoredTournament:
    return replace(kept, told=state) if kept.state == state else kept
