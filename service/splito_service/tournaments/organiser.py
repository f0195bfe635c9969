"""Organiser of tournaments: it creates, estimates and changes tournaments and reports their progress.

An experiment is a tournament with a format of its own. The planning of rounds is in
`splito_service.tournaments.rounds`.
"""

import asyncio
from collections.abc import Sequence
from functools import lru_cache, partial
from math import ceil

from msgspec.structs import replace

from splito_arena.formats import Entrant, Expected, Experiment, Format, Ladder, Placing, check, expected
from splito_arena.stats.standings import Line
from splito_engine.errors import BadBot, BadOption
from splito_service.bots.consent import Asker, Organisers
from splito_service.bots.store import Bots
from splito_service.errors import AlreadyOver, NoRoom, NotAllowed, TooManyGames, WrongOwner
from splito_service.ids import Milliseconds
from splito_service.owners.bans import Bans
from splito_service.owners.keys import Holder
from splito_service.settings import variable
from splito_service.storage.client import Link
from splito_service.storage.scripts import source
from splito_service.tournaments.entrants import OWNER_WITHDREW, STOPPED, WITHDRAWN, Roster
from splito_service.tournaments.from_request import Wish, kept_of, words_of
from splito_service.tournaments.installed_versions import NO_WORKER, Workers, lacking, waiting_text
from splito_service.tournaments.ledger_store import Counts, Ledger
from splito_service.tournaments.model import OVER, State, StoredEntrant, StoredTournament
from splito_service.tournaments.past_rounds import entrants_of, latest_ratings
from splito_service.tournaments.ratings.store import Ratings
from splito_service.tournaments.rounds import Planner
from splito_service.tournaments.schemas.tournaments import MOST_BOTS, Estimate, Progress
from splito_service.tournaments.store import Tournaments
from splito_service.tournaments.throughput import Throughput

ORGANISERS = variable("organisers")
MOST_GAMES = 250_000
"""Maximum number of games of a tournament; for a ladder, in one round and in its kept blocks.

The standings read all of them.
"""
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
        self._tournaments, self._ledger, self._ratings = Tournaments(link), Ledger(link), Ratings(link)
        self._roster, self._pace, self._workers = Roster(bots), Throughput(link), Workers(link)
        self._bans = Bans(link)
        self._planner = Planner(link, self._roster)
        self._unfound = link.script(source("tournaments/unfound_note"))

    async def create(self, holder: Holder, wish: Wish) -> StoredTournament:
        """Create a tournament, which begins at once. Raise the problem of an invalid request."""
        kept = await self._checked(holder.owner, wish)
        return await self.hold(kept)

    async def hold(self, kept: StoredTournament) -> StoredTournament:
        """Store and start a tournament that has been checked. It is cancelled if its owner was banned in between."""
        started = await self._planner.now()
        await self._tournaments.create(replace(kept, started_ms=started, private=self._allow_private))
        if kept.owner and await self._bans.of("owner", kept.owner) is not None:
            return await self.set_state(kept.id, "cancelled", STOPPED)
        await self._planner.advance(kept.id)
        return await self._tournaments.get(kept.id)

    async def dry_run(self, holder: Holder, wish: Wish) -> Estimate:
        """Return the estimate of a tournament without storing it. The time follows the last tournament of the kind."""
        kept = await self._checked(holder.owner, wish)
        whole = await asyncio.to_thread(_whole, kept.format, kept.players, (*entrants_of(kept),))
        pace = await self._pace.usual(kept.game, kept.players)
        return Estimate(
            rounds=whole.rounds,
            tables=whole.tables,
            blocks=whole.blocks,
            games=whole.games,
            seconds=whole.games / pace if pace else None,
        )

    async def set_state(self, tournament_id: str, state: State, reason: str | None = None) -> StoredTournament:
        """Run, pause or cancel a tournament. Blocks that have begun are played to their end, and count."""
        now = await self._planner.now()
        if state == "cancelled":
            await self._planner.tell_end(await self._tournaments.get(tournament_id), state, reason)
        if state == "running":
            await self._link.call("DEL", _voids(tournament_id))
        return await self._tournaments.change(tournament_id, partial(_in_state, state=state, reason=reason, now=now))

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
        await asyncio.to_thread(_whole, kept.format, kept.players, (*entrants_of(kept),))  # cached from now on
        kept = await self._tournaments.change(tournament_id, partial(_with_blocks, total=total))
        if kept.round:
            await self._tournaments.open_blocks(tournament_id, kept.round - 1, total)
        return kept

    async def withdraw(self, tournament_id: str, bot: str, why: str = WITHDRAWN) -> StoredTournament:
        """Withdraw a bot; its open blocks are skipped."""
        return await self._tournaments.change(tournament_id, partial(_without, bot=bot, why=why))

    async def withdraw_for(self, tournament_id: str, bot: str, owner: str) -> StoredTournament:
        """Withdraw the bot for its owner or for the holder.

        A bot that its owner withdrew can be entered by its owner only.
        """
        entrants = (await self._tournaments.get(tournament_id)).entrants
        own = any(one.bot == bot and one.owner == owner for one in entrants)
        return await self.withdraw(tournament_id, bot, OWNER_WITHDREW if own else WITHDRAWN)

    async def enter(self, tournament_id: str, bot: str, owner: str) -> StoredTournament:
        """Enter a bot in a ladder on behalf of this owner; other formats take no bots while they run."""
        kept = await self._tournaments.get(tournament_id)
        if not isinstance(kept.format, Ladder):
            raise BadOption("only a ladder takes bots while it runs", field="format")
        entrant = await self._roster.enter(bot, kept.game, kept.ranked, Asker(owner, owner in self._organisers))
        return await self._tournaments.change(tournament_id, partial(_with_entrant, entrant=entrant, owner=owner))

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
        whole = await asyncio.to_thread(_whole, kept.format, kept.players, (*everybody,))
        left = None if isinstance(kept.format, Ladder) else _games_left(kept, counts, whole)
        return Progress(
            state=kept.state,
            reason=kept.reason,
            round=kept.round,
            rounds=None if isinstance(kept.format, Ladder | Experiment) else whole.rounds,
            done=counts.done,
            skipped=counts.skipped,
            open=counts.open,
            playing=counts.claimed,
            games=counts.games,
            games_per_second=pace,
            seconds_left=left / pace if pace and left is not None else None,
            waiting=await self._waiting(kept) if kept.state == "running" and counts.open else None,
        )

    async def _waiting(self, kept: StoredTournament) -> str | None:
        """Return why open blocks are not played; None if a worker can play them."""
        living = await self._workers.living()
        if not living:
            return None if await self._workers.are_there() else NO_WORKER
        if not all(lacking(kept, have) for have in living):
            return None
        return waiting_text(kept, living, await self._ledger.open_bots(kept.id))

    async def _checked(self, owner: str, wish: Wish) -> StoredTournament:
        await self._bans.check_owner(owner)
        asker = Asker(owner, owner in self._organisers)
        kept = replace(kept_of(owner, wish), by_organiser=asker.organiser)
        if kept.ranked and not asker.organiser:
            raise WrongOwner(
                "only the organisers of this arena hold ranked tournaments;"
                f" ask its operator to add your owner id {owner} to {ORGANISERS}",
                field="ranked",
            )
        found = [await self._roster.enter(word, kept.game, kept.ranked, asker) for word in words_of(wish)]
        _check_owners(owner, kept, found)
        kept = await self._rated(replace(kept, entrants=tuple(found)))
        entrants = entrants_of(kept)
        check(kept.format, kept.players, entrants)
        await asyncio.to_thread(_check_size, kept, entrants)
        return kept

    async def _rated(self, kept: StoredTournament) -> StoredTournament:
        """Return the tournament with the current ratings of its entrants, by which a format seeds them.

        A tournament with a seed takes no ratings, because they change and it must be the same when it is held again.
        """
        if isinstance(kept.format, Ladder | Experiment) or kept.seed is not None:
            return kept
        known = latest_ratings(kept, await self._ratings.table(kept.game, kept.players))
        rated = [replace(one, rating=known[one.bot].mean if one.bot in known else None) for one in kept.entrants]
        return replace(kept, entrants=tuple(rated))


def _voids(tournament_id: str) -> str:
    return f"tournament:{tournament_id}:voids"


@lru_cache(maxsize=64)
def _whole(kind: Format, players: int, entrants: tuple[Entrant, ...]) -> Expected:
    """Return the expected size of a tournament, cached because a bracket of a thousand bots takes a second to count."""
    return expected(kind, players, entrants)


def _check_owners(owner: str, kept: StoredTournament, entrants: Sequence[StoredEntrant]) -> None:
    """Raise `WrongOwner` for an experiment with bots of others, `BadOption` for a ranked one with a single owner.

    An owner must not raise a bot by letting it win against other bots of the same owner.
    """
    compared = {one.owner for one in entrants[:2]}
    if isinstance(kept.format, Experiment) and owner not in compared and compared != {""}:
        raise WrongOwner("NEW or OLD must be a bot of yours, or both must be house bots", field="new")
    if kept.ranked and not isinstance(kept.format, Ladder) and len({one.owner for one in entrants}) < 2:
        raise BadOption(
            "a ranked tournament needs bots of at least two owners; the arena counts as the owner of house bots",
            field="bots",
        )


def _check_size(kept: StoredTournament, entrants: Sequence[Entrant]) -> None:
    whole = _whole(kept.format, kept.players, (*entrants,))
    games = whole.games * (1 + kept.extra / max(1, whole.blocks // max(1, whole.tables)))
    if isinstance(kept.format, Ladder):
        games = max(games, kept.format.keep * whole.games / max(1, whole.blocks))
    if games > MOST_GAMES:
        text = f"the tournament would have {ceil(games):,} games; at most {MOST_GAMES:,} are allowed"
        raise TooManyGames(text, field="format")


def _games_left(kept: StoredTournament, counts: Counts, whole: Expected) -> float:
    """Return the games that are left as far as they are known: of open blocks and of blocks not yet planned."""
    per_block = whole.games / max(1, whole.blocks)
    added = kept.extra * whole.tables
    return per_block * max(counts.open, whole.blocks + added - counts.done)


def _check_open(kept: StoredTournament) -> None:
    if kept.state in OVER:
        raise AlreadyOver(f"{kept.kind} {kept.id} is {kept.state}", field=kept.kind)


def _in_state(kept: StoredTournament, state: State, reason: str | None, now: Milliseconds) -> StoredTournament:
    if kept.state == state:
        return kept
    _check_open(kept)
    return replace(kept, state=state, reason=reason, ended_ms=now if state in OVER else None)


def _with_blocks(kept: StoredTournament, total: int) -> StoredTournament:
    _check_open(kept)
    if isinstance(kept.format, Experiment):
        raise BadOption("the number of blocks of an experiment cannot be changed", field="blocks")
    if total < kept.format.blocks + kept.extra:
        now = kept.format.blocks + kept.extra
        raise BadOption(f"a table has {now} blocks already, and the number cannot shrink", field="blocks")
    grown = replace(kept, extra=total - kept.format.blocks)
    _check_size(grown, entrants_of(grown))
    return grown


def _without(kept: StoredTournament, bot: str, why: str) -> StoredTournament:
    _check_open(kept)
    if bot not in {entrant.bot for entrant in kept.entrants}:
        raise BadBot(f"bot {bot!r} is not in this tournament", field="bot")
    entrants = (replace(one, gone=why) if one.bot == bot else one for one in kept.entrants)
    return replace(kept, entrants=tuple(entrants))


def _with_entrant(kept: StoredTournament, entrant: StoredEntrant, owner: str) -> StoredTournament:
    _check_open(kept)
    before = next((one for one in kept.entrants if one.bot == entrant.bot), None)
    if before is not None and before.gone == OWNER_WITHDREW and owner != entrant.owner:
        text = f"bot {entrant.bot} was withdrawn by its owner, and only its owner can enter it again"
        raise NotAllowed(text, field="bot")
    others = [one for one in kept.entrants if one.bot != entrant.bot]
    if len(others) >= MOST_BOTS:
        raise NoRoom(f"a ladder has at most {MOST_BOTS} bots", field="bot")
    return replace(kept, entrants=(*others, entrant))
