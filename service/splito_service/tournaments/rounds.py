"""Planner of rounds: it decides when a round is over and plans the next one. A worker calls it if it can claim no
block.

A plan follows from stored values alone, so any process may plan, and plan again: the first plan is kept.
"""

import asyncio
from collections.abc import Mapping
from functools import partial

from msgspec.structs import replace

from splito_arena.experiments.blocks import difference
from splito_arena.experiments.sequential_test import Verdict, after
from splito_arena.formats import Elimination, Experiment, Ladder, Round, design_of, needs_deciding_block, next_round
from splito_service.bots.model import is_registered
from splito_service.ids import Milliseconds, new_id
from splito_service.storage.client import Link
from splito_service.storage.scripts import source
from splito_service.tournaments.announce import Announcer
from splito_service.tournaments.entrants import DELETED, Roster, absence, current, holder_of
from splito_service.tournaments.installed_versions import Workers, moved_on
from splito_service.tournaments.ledger_store import Ledger
from splito_service.tournaments.model import OVER, Over, StoredEntrant, StoredTournament
from splito_service.tournaments.official_placing import PlacingReader
from splito_service.tournaments.past_rounds import Results, entrants_of, latest_ratings, regular_blocks
from splito_service.tournaments.ratings.store import Ratings
from splito_service.tournaments.ratings.updates import RatingUpdates
from splito_service.tournaments.store import Tournaments
from splito_service.webhooks.store import Outbox

PLANNING: Milliseconds = 10_000
"""Lease of a planner in milliseconds, during which other processes do not plan."""
AT_ONCE = 64
"""Number of entries of an experiment that are read in one call."""


class Planner:
    """The planner of rounds. Used in one event loop."""

    def __init__(self, link: Link, roster: Roster) -> None:
        self._link, self._roster = link, roster
        self._tournaments, self._ledger, self._ratings = Tournaments(link), Ledger(link), Ratings(link)
        self._announcer, self._rater, self._results = (
            Announcer(Outbox(link)),
            RatingUpdates(link),
            Results(self._ledger),
        )
        self.placings = PlacingReader(self._tournaments, self._ledger, self._results)
        self._workers = Workers(link)
        self._done = link.script(source("tournaments/planner_release"))
        self._differences: dict[str, tuple[str | None, list[float]]] = {}
        """Last block that was read, and the differences of all blocks so far, by experiment."""

    async def advance(self, tournament_id: str) -> bool:
        """Plan the next round or end the tournament if its round is over. Return True if something changed."""
        kept = await self._tournaments.get(tournament_id)
        if kept.state != "running" or (await self._ledger.counts(kept.id)).open:
            return False
        key, token = f"tournament:{kept.id}:planner", new_id()
        if await self._link.call("SET", key, token, "NX", "PX", PLANNING) is None:
            return False
        try:
            return await self._step(kept)
        finally:
            await self._done([key], [token])

    async def _step(self, kept: StoredTournament) -> bool:
        if isinstance(kept.format, Ladder) and not await self._rested(kept, kept.format):
            return False
        rounds = await self._tournaments.rounds(kept.id)
        if await self._grown(kept, rounds):
            return True
        kept = await self._refreshed(kept)
        gone = next((one for one in kept.entrants if one.gone), None) if isinstance(kept.format, Experiment) else None
        if gone is not None:
            return await self.end(kept, "cancelled", f"{gone.name}: {gone.gone}")
        planned = await self._next(kept, rounds)
        if planned is None:
            return await self._decide(kept, rounds) or await self.end(kept, "finished")
        return bool(planned.tables) and await self._tournaments.plan_round(kept.id, kept.round, planned, kept.entrants)

    async def end(self, kept: StoredTournament, state: Over, reason: str | None = None) -> bool:
        """End a tournament, unless it has changed since it was read. Its ranked blocks are rated before."""
        if kept.ranked:
            await self._rater.rate_rest(kept)
        await self.tell_end(kept, state, reason)
        now = await self.now()
        self._differences.pop(kept.id, None)
        ended = partial(_ended, seen=kept, state=state, reason=reason, now=now)
        return (await self._tournaments.change(kept.id, ended)).state == state

    async def tell_end(self, kept: StoredTournament, state: Over, reason: str | None) -> None:
        """Announce the end of a tournament before it is stored, because a crash may then repeat the event but never
        lose it. A repeated event is delivered once.
        """
        if kept.state not in OVER:
            counts, ended = await self._ledger.counts(kept.id), replace(kept, state=state, reason=reason)
            await self._announcer.tournament_ended(
                ended, counts.done - counts.skipped, partial(self.placings.winners, ended)
            )

    async def now(self) -> Milliseconds:
        """Return the time of the Redis clock."""
        seconds, micros = await self._link.call("TIME")
        return 1000 * int(seconds) + int(micros) // 1000

    async def _rested(self, kept: StoredTournament, ladder: Ladder) -> bool:
        """Return True if the pause after the last round is over. It begins with the first look after the round."""
        if not kept.round:
            return True
        key, now = f"tournament:{kept.id}:rest", await self.now()
        number, _, due = (await self._link.call("GET", key) or b"").decode().partition(" ")
        if number != str(kept.round):
            await self._link.call("SET", key, f"{kept.round} {now + 1000 * ladder.pause_seconds}")
            return False
        return now >= int(due)

    async def _grown(self, kept: StoredTournament, rounds: Mapping[int, Round]) -> bool:
        """Open the blocks that the owner added, if the earlier request was cut off before it opened them."""
        last = rounds.get(kept.round - 1)
        if last is None or isinstance(kept.format, Experiment | Ladder):
            return False
        total = kept.format.blocks + kept.extra
        return last.blocks < total and await self._tournaments.open_blocks(kept.id, kept.round - 1, total)

    async def _refreshed(self, kept: StoredTournament) -> StoredTournament:
        """Return the tournament with its current entrants.

        A ladder gets new versions and, if it is for everybody, new bots.
        """
        if isinstance(kept.format, Ladder):
            kept = await self.move_on(kept.id)
        entrants = [*kept.entrants]
        if isinstance(kept.format, Ladder) and kept.format.everybody:
            known = {entrant.bot for entrant in entrants}
            found = await self._roster.everybody(kept.game, kept.ranked, holder_of(kept))
            entrants += [one for one in found if one.bot not in known]
        bots = await self._roster.registered([entrant.bot for entrant in entrants])
        ladder = isinstance(kept.format, Ladder)

        def seen(entrant: StoredEntrant) -> StoredEntrant:
            bot = bots.get(entrant.bot)
            version = current(entrant, bot) if ladder and is_registered(entrant.bot) else entrant.version
            return replace(entrant, gone=absence(kept, entrant, bot), version=version)

        fresh = tuple(one for one in map(seen, entrants) if not (ladder and one.gone == DELETED))
        if fresh == kept.entrants:
            return kept
        return await self._tournaments.change(kept.id, partial(_with_entrants, before=kept.entrants, after=fresh))

    async def move_on(self, tournament_id: str) -> StoredTournament:
        """Give the house bots of a ladder versions that workers have: see `moved_on`."""
        living = await self._workers.living()
        return await self._tournaments.change(tournament_id, partial(moved_on, living=living))

    async def _next(self, kept: StoredTournament, rounds: Mapping[int, Round]) -> Round | None:
        if isinstance(kept.format, Experiment) and await self._verdict(kept, kept.format) != "undecided":
            return None
        ladder = isinstance(kept.format, Ladder)
        ratings = latest_ratings(kept, await self._ratings.table(kept.game, kept.players)) if ladder else None
        past = await self._results.past(kept, rounds)
        entrants = entrants_of(kept, past, ratings)
        planned = await asyncio.to_thread(next_round, kept.format, kept.players, entrants, past, kept.secret)
        return planned and replace(planned, blocks=planned.blocks + kept.extra)

    async def _decide(self, kept: StoredTournament, rounds: Mapping[int, Round]) -> bool:
        """Open a deciding block if the final is tied. Return False if the tournament needs none."""
        last = rounds.get(kept.round - 1)
        if last is None or not isinstance(kept.format, Elimination):
            return False
        past, deciding = await self._results.past(kept, rounds), last.blocks - regular_blocks(kept)
        entrants = entrants_of(kept, past)
        if not needs_deciding_block(kept.format, kept.players, entrants, past, kept.secret, deciding=deciding):
            return False
        await self._tournaments.open_blocks(kept.id, kept.round - 1, last.blocks + 1)
        return True

    async def _verdict(self, kept: StoredTournament, experiment: Experiment) -> Verdict:
        last, found = self._differences.get(kept.id, (None, list[float]()))
        while entries := await self._ledger.entries(kept.id, last, AT_ONCE):
            last = entries[-1].block
            found = [*found, *(difference(entry, experiment.measure) for entry in entries if entry.games)]
        if found:
            self._differences[kept.id] = (last, found)
        return after(design_of(experiment), found).verdict


def _ended(
    kept: StoredTournament, seen: StoredTournament, state: Over, reason: str | None, now: Milliseconds
) -> StoredTournament:
    return replace(kept, state=state, reason=reason, ended_ms=now) if kept == seen else kept


def _with_entrants(
    kept: StoredTournament, before: tuple[StoredEntrant, ...], after: tuple[StoredEntrant, ...]
) -> StoredTournament:
    """Return the tournament with the new entrants; unchanged if entrants were changed in between, because the next
    look will do.
    """
    return replace(kept, entrants=after) if kept.entrants == before else kept
