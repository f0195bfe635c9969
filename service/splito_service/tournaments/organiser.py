"""Organiser of tournaments: it creates, estimates and changes tournaments and reports their progress.

An experiment is a tournament with a format of its own. The planning of rounds is in
`splito_service.tournaments.rounds`.
"""

import asyncio
from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from splito_arena.formats import Experiment, Ladder, Placing
from splito_arena.stats.standings import Line
from splito_engine.errors import BadOption, GameError
from splito_service.bots.consent import Asker, Organisers
from splito_service.bots.store import Bots
from splito_service.errors import NotBegun, WrongOwner
from splito_service.ids import Milliseconds, moment
from splito_service.owners.bans import Bans
from splito_service.owners.keys import Holder
from splito_service.settings import variable
from splito_service.storage.client import Link
from splito_service.storage.scripts import source
from splito_service.tournaments.entrants import OWNER_WITHDREW, STOPPED, WITHDRAWN, Roster
from splito_service.tournaments.from_request import Wish, kept_of, times_of_wish, words_of
from splito_service.tournaments.installed_versions import NO_WORKER, Workers, lacking, waiting_text
from splito_service.tournaments.ledger_store import Ledger
from splito_service.tournaments.model import BEFORE, OVER, State, StoredTournament
from splito_service.tournaments.past_rounds import entrants_of
from splito_service.tournaments.rounds import Planner
from splito_service.tournaments.schedule.conditions import check_conditions, check_size, games_left, whole
from splito_service.tournaments.schedule.entering import check_open, check_takes_bots, with_entrant, without
from splito_service.tournaments.schedule.starter import Starter
from splito_service.tournaments.schedule.times import check_before, with_times
from splito_service.tournaments.schemas.tournaments import Estimate, Progress
from splito_service.tournaments.store import Tournaments
from splito_service.tournaments.throughput import Throughput

ORGANISERS = variable("organisers")
UNFOUND_PAUSE = 60  # seconds without a failed look-up of a bot's host after which earlier failures are forgotten


class Organiser:
    """The organiser of the tournaments in one Redis, shared by all processes. Used in one event loop."""

    def __init__(
        self, link: Link, bots: Bots, organisers: Organisers | None = None, *, allow_private: bool = False
    ) -> None:
        """Make an organiser. Without named `organisers`, only the house holds ranked tournaments.

        With `allow_private`, bots may have private addresses, and only workers that may call those play with them.
        """
        self._link, self._organisers, self._allow_private = link, organisers or Organisers(), allow_private
        self._tournaments, self._ledger = Tournaments(link), Ledger(link)
        self._roster, self._pace, self._workers = Roster(bots), Throughput(link), Workers(link)
        self._bans = Bans(link)
        self._planner = Planner(link, self._roster)
        self.starter = Starter(link, self._roster, self._planner)
        self._unfound = link.script(source("tournaments/unfound_note"))

    async def create(self, holder: Holder, wish: Wish) -> StoredTournament:
        """Create a tournament, which begins at its time, or at once. Raise the problem of an invalid request."""
        return await self.hold(await self.checked(holder.owner, wish))

    async def hold(self, kept: StoredTournament) -> StoredTournament:
        """Store a tournament that has been checked, and start it unless it waits for its time.

        It is cancelled if its owner was banned in between.
        """
        started = 0 if kept.state in BEFORE else await self._planner.now()
        await self._tournaments.create(replace(kept, started_ms=started, private=self._allow_private))
        if not await self.stop_if_banned(kept):
            await self._planner.advance(kept.id)
        return await self._tournaments.get(kept.id)

    async def stop_if_banned(self, kept: StoredTournament) -> bool:
        """Cancel a tournament that was stored while its owner was banned. Return True if it was."""
        banned = bool(kept.owner) and await self._bans.of("owner", kept.owner) is not None
        if banned:
            await self.set_state(kept.id, "cancelled", STOPPED)
        return banned

    async def dry_run(self, holder: Holder, wish: Wish) -> Estimate:
        """Return the estimate of a tournament without storing it. The time follows the last tournament of the kind."""
        kept = await self.checked(holder.owner, wish)
        size = await asyncio.to_thread(whole, kept.format, kept.players, (*entrants_of(kept),))
        pace = await self._pace.usual(kept.game, kept.players)
        return Estimate(
            rounds=size.rounds,
            tables=size.tables,
            blocks=size.blocks,
            games=size.games,
            seconds=size.games / pace if pace else None,
            opens=None if kept.opens_ms is None else moment(kept.opens_ms),
            starts=None if kept.starts_ms is None else moment(kept.starts_ms),
            lacks=await asyncio.to_thread(_lacking_to_start, kept),
        )

    async def set_state(self, tournament_id: str, state: State, reason: str | None = None) -> StoredTournament:
        """Run, pause or cancel a tournament. Blocks that have begun are played to their end, and count.

        A tournament that waits for its time starts at once with `running`.
        """
        kept, now = await self._tournaments.get(tournament_id), await self._planner.now()
        if state == "running" and kept.state in BEFORE:
            return await self.starter.start(tournament_id)
        if state == "cancelled":
            await self._planner.tell_end(kept, state, reason)
        if state == "running":
            await self._link.call("DEL", _voids(tournament_id))
        return await self._tournaments.change(tournament_id, partial(_in_state, state=state, reason=reason, now=now))

    async def set_times(self, tournament_id: str, opens: Milliseconds | None, starts: Milliseconds) -> StoredTournament:
        """Change the times of a tournament that waits for its start; see `with_times`."""
        now = await self._planner.now()
        return await self._tournaments.change(
            tournament_id, lambda kept: with_times(_with_sign_up(kept), opens, starts, now)
        )

    async def void(self, tournament_id: str, block: str) -> int:
        """Count a failure of a block that the arena caused. Return the failures since the tournament was last started.

        Raise `UnknownTournament` if it was deleted.
        """
        await self._tournaments.get(tournament_id)  # a deleted tournament must not get new keys
        return await self._link.call("HINCRBY", _voids(tournament_id), block, 1)

    async def unfound(self, tournament_id: str, bot: str) -> Milliseconds:
        """Count a failed look-up of a bot's host. Return the milliseconds since the first of a series of failures."""
        return await self._unfound([f"tournament:{tournament_id}:unfound:{bot}"], [UNFOUND_PAUSE])

    async def add_blocks(self, tournament_id: str, total: int) -> StoredTournament:
        """Set the number of blocks per table in the current and the later rounds.

        The same number again changes nothing.
        """
        kept = await self._tournaments.get(tournament_id)
        await asyncio.to_thread(whole, kept.format, kept.players, (*entrants_of(kept),))  # cached from now on
        kept = await self._tournaments.change(tournament_id, partial(_with_blocks, total=total))
        if kept.round:
            await self._tournaments.open_blocks(tournament_id, kept.round - 1, total)
        return kept

    async def withdraw(self, tournament_id: str, bot: str, why: str = WITHDRAWN) -> StoredTournament:
        """Withdraw a bot; its open blocks are skipped."""
        return await self._tournaments.change(tournament_id, partial(without, bot=bot, why=why))

    async def withdraw_for(self, tournament_id: str, bot: str, owner: str) -> StoredTournament:
        """Withdraw the bot for its owner or for the holder.

        A bot that its owner withdrew can be entered by its owner only.
        """
        entrants = (await self._tournaments.get(tournament_id)).entrants
        own = any(one.bot == bot and one.owner == owner for one in entrants)
        return await self.withdraw(tournament_id, bot, OWNER_WITHDREW if own else WITHDRAWN)

    async def enter(self, tournament_id: str, bot: str, owner: str) -> StoredTournament:
        """Enter a bot on behalf of this owner. Raise `NotOpen` if the tournament takes no bots now."""
        kept, now = await self._tournaments.get(tournament_id), await self._planner.now()
        check_takes_bots(kept, now)
        entrant = await self._roster.enter(bot, kept.game, kept.ranked, Asker(owner, owner in self._organisers))
        if kept.state not in BEFORE:
            entrant = (await self.starter.rated(replace(kept, entrants=(entrant,)))).entrants[0]
        enters = partial(with_entrant, entrant=entrant, owner=owner, now=now)
        if not isinstance(kept.format, Ladder):
            await asyncio.to_thread(check_conditions, enters(kept), filled=False)
        return await self._tournaments.change(tournament_id, enters)

    async def advance(self, tournament_id: str) -> bool:
        """Plan the next round or end the tournament if its round is over. Return True if something changed."""
        return await self._planner.advance(tournament_id)

    async def move_on(self, tournament_id: str) -> StoredTournament:
        """See `Planner.move_on`."""
        return await self._planner.move_on(tournament_id)

    async def placing(self, kept: StoredTournament, lines: Sequence[Line]) -> Placing:
        """Return the official placing, provisional before the end. `lines` are those of the standings."""
        return await self._planner.placings.of(kept, lines)

    async def progress(self, tournament_id: str) -> Progress:
        kept = await self._tournaments.get(tournament_id)
        counts, pace = await self._ledger.counts(tournament_id), await self._pace.of(tournament_id)
        pace = pace if kept.state == "running" else None
        everybody = (replace(one, active=True) for one in entrants_of(kept))
        size = await asyncio.to_thread(whole, kept.format, kept.players, (*everybody,))
        left = None if isinstance(kept.format, Ladder) else games_left(kept, counts, size)
        return Progress(
            state=kept.state,
            reason=kept.reason,
            round=kept.round,
            rounds=None if isinstance(kept.format, Ladder | Experiment) else size.rounds or None,
            done=counts.done,
            skipped=counts.skipped,
            open=counts.open,
            playing=counts.claimed,
            games=counts.games,
            games_per_second=pace,
            seconds_left=left / pace if pace and left is not None else None,
            waiting=await self._waiting(kept) if kept.state == "running" and counts.open else None,
            opens=None if kept.opens_ms is None else moment(kept.opens_ms),
            starts=None if kept.starts_ms is None else moment(kept.starts_ms),
            bots=sum(one.gone is None for one in kept.entrants),
        )

    async def _waiting(self, kept: StoredTournament) -> str | None:
        """Return why open blocks are not played; None if a worker can play them."""
        living = await self._workers.living()
        if not living:
            return None if await self._workers.are_there() else NO_WORKER
        if not all(lacking(kept, have) for have in living):
            return None
        return waiting_text(kept, living, await self._ledger.open_bots(kept.id))

    async def checked(self, owner: str, wish: Wish) -> StoredTournament:
        """Return the tournament of a request, with its entrants. Raise the problem of an invalid request."""
        await self._bans.check_owner(owner)
        asker = Asker(owner, owner in self._organisers)
        kept = replace(kept_of(owner, wish), by_organiser=asker.organiser, private=self._allow_private)
        if kept.ranked and not asker.organiser:
            raise WrongOwner(
                "only the organisers of this arena hold ranked tournaments;"
                f" ask its operator to add your owner id {owner} to {ORGANISERS}",
                field="ranked",
            )
        kept = self._timed(kept, wish, await self._planner.now())
        found = [await self._roster.enter(word, kept.game, kept.ranked, asker) for word in words_of(wish)]
        kept = await self.starter.rated(replace(kept, entrants=tuple(found)))
        await asyncio.to_thread(check_conditions, kept, filled=kept.state not in BEFORE)
        return kept

    def _timed(self, kept: StoredTournament, wish: Wish, now: Milliseconds) -> StoredTournament:
        """Return the tournament with the times of the request; it waits for its start if there are any."""
        opens, starts = times_of_wish(wish)
        if starts is None:
            return kept
        return with_times(replace(kept, state="open"), now if opens is None else opens, starts, now)


def _voids(tournament_id: str) -> str:
    return f"tournament:{tournament_id}:voids"


def _with_sign_up(kept: StoredTournament) -> StoredTournament:
    """Return the tournament. Raise `AlreadyBegun` or `AlreadyOver` if it never had sign-up."""
    if kept.starts_ms is None:
        check_before(kept)
    return kept


def _lacking_to_start(kept: StoredTournament) -> str | None:
    """Return the reason why a tournament could not start with the bots that it has now; None if it could."""
    try:
        check_conditions(kept)
    except GameError as error:
        return error.message
    return None


def _in_state(kept: StoredTournament, state: State, reason: str | None, now: Milliseconds) -> StoredTournament:
    if kept.state == state:
        return kept
    check_open(kept)
    if kept.state in BEFORE and state not in OVER:
        text = f"{kept.kind} {kept.id} has not begun: start it with `running`, cancel it, or change its times"
        raise NotBegun(text, field="state")
    return replace(kept, state=state, reason=reason, ended_ms=now if state in OVER else None)


def _with_blocks(kept: StoredTournament, total: int) -> StoredTournament:
    check_open(kept)
    if isinstance(kept.format, Experiment):
        raise BadOption("the number of blocks of an experiment cannot be changed", field="blocks")
    if total < kept.format.blocks + kept.extra:
        now = kept.format.blocks + kept.extra
        raise BadOption(f"a table has {now} blocks already, and the number cannot shrink", field="blocks")
    grown = replace(kept, extra=total - kept.format.blocks)
    if grown.state not in BEFORE:
        check_size(grown, entrants_of(grown))
    return grown


def open_starter(link: Link) -> Starter:
    """Return a starter with a roster and a planner of its own, for a process without an organiser."""
    roster = Roster(Bots(link))
    return Starter(link, roster, Planner(link, roster))
