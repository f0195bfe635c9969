"""Players of a block: the players of its bots, the number of concurrent games, and the reason if a bot is missing.

Registered bots are asked within their own limits, over any number of blocks. House bots play in this process if no
registered bot takes part in the tournament; otherwise they run in processes of their own.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

import msgspec

from splito_arena.blocks.ledger import VersionId, parts, version_id
from splito_arena.blocks.play import BlockTerms
from splito_arena.blocks.seatings import Seating, seatings
from splito_arena.bots.find import find_bot, installed_name
from splito_arena.bots.in_process import Plugin
from splito_arena.bots.lineup import MAX_NAME, Seated, labels
from splito_arena.bots.push import Push
from splito_arena.bots.subprocess import BotProcesses, Housed, Priority
from splito_arena.errors import LookupFailed
from splito_arena.experiments.blocks import duels
from splito_arena.faults import Fault, FaultNote
from splito_arena.formats import Experiment
from splito_arena.match.messages import BotInfo
from splito_arena.match.player import Player
from splito_arena.match.seat import Exchange
from splito_arena.match.terms import BotLog, PlayTerms
from splito_engine.game import Seat
from splito_engine.registry import find_game
from splito_service.bots.ask_log import Log
from splito_service.bots.model import STAND_IN, Registered, is_registered
from splito_service.bots.players import BotPlayers
from splito_service.tournaments.entrants import Roster, absence, current
from splito_service.tournaments.installed_versions import Installed, lacking
from splito_service.tournaments.model import StoredEntrant, StoredTournament

MOST_FAULTS = 1000
"""Number of bots whose last faults are remembered until their blocks are over."""
SLOTS_AGE = 10.0
"""Seconds for which the limits of a bot are cached."""


class Table(msgspec.Struct, frozen=True):
    """A block with the players and limits that are needed to play it."""

    bots: tuple[VersionId, ...]
    players: tuple[Player, ...]
    stand_in: Callable[[Seat], Player]
    at_once: int
    """Number of games that are played at once."""
    here: bool
    """True if all players play in this process; such a block cannot be interrupted."""


class Absent(Exception):
    """An entrant cannot play; the text names it and the reason, and is stable."""

    def __init__(self, entrant: StoredEntrant, why: str) -> None:
        super().__init__(f"{entrant.name}: {why}")
        self.entrant, self.why = entrant, why


class NotInstalled(Exception):
    """This worker lacks a version or setting that the block needs, so another worker must play it."""


class Unfound(Exception):
    """The host of an entrant could not be looked up, which is no fault of the bot. `theirs` is as in `LookupFailed`."""

    def __init__(self, entrant: StoredEntrant, error: LookupFailed) -> None:
        super().__init__(f"{entrant.name}: {error}")
        self.entrant, self.theirs = entrant, error.theirs


class BlockPlayers:
    """The players of one process. Used in one event loop."""

    def __init__(self, roster: Roster, players: BotPlayers, house: BotProcesses, log: Log, have: Installed) -> None:
        self._roster, self._players, self._house, self._log = roster, players, house, log
        self.have = have
        self._last_faults: dict[VersionId, FaultNote] = {}

    async def slots(self, kept: StoredTournament) -> dict[str, int] | None:
        """Return in how many blocks at a time each bot may be.

        That is limited for registered bots, and 0 for a bot with which this worker cannot play: a house bot whose
        version is not installed here, or a bot that it may not call. Return None if it can play no block at all,
        because it lacks the rules or the bot that plays on after faults.
        """
        lacks = lacking(kept, self.have)
        if any(lack.bot is None for lack in lacks):
            return None
        games, bots = len(seatings_of(kept)), [entrant.bot for entrant in kept.entrants]
        found = await self._roster.registered(bots, SLOTS_AGE)
        registered = {name: slots_of(bot.info, games) for name, bot in found.items() if bot and bot.info}
        return registered | {lack.bot: 0 for lack in lacks if lack.bot is not None}

    async def versions(self, kept: StoredTournament, bots: tuple[str, ...]) -> tuple[VersionId, ...]:
        """Return the current versions of the bots."""
        found = await self._roster.registered(bots, age=0)
        entrants = {entrant.bot: entrant for entrant in kept.entrants}
        return tuple(version_id(bot, current(entrants[bot], found.get(bot))) for bot in bots)

    async def table(self, kept: StoredTournament, bots: tuple[str, ...]) -> Table:
        """Return a table with all its players, whose addresses are known.

        Raise `Absent`, `NotInstalled` or `Unfound`.
        """
        _check_installed(kept, bots, self.have)
        entrants = {entrant.bot: entrant for entrant in kept.entrants}
        found = await self._roster.registered(bots)
        at_table = [(entrants[name], found.get(name)) for name in bots]
        here = is_here(kept)
        names = labels([entrant.name[:MAX_NAME] for entrant, _ in at_table])
        players = [
            Seated(name, await self._player(kept, entrant, bot, here), log=False)
            for name, (entrant, bot) in zip(names, at_table, strict=True)
        ]
        games = len(seatings_of(kept))
        return Table(
            bots=tuple(version_id(entrant.bot, current(entrant, bot)) for entrant, bot in at_table),
            players=tuple(players),
            stand_in=partial(self._stand_in, kept, here),
            at_once=min((at_once(bot.info, games) for bot in found.values() if bot and bot.info), default=games),
            here=here,
        )

    def log_of(self, kept: StoredTournament) -> BotLog:
        """Return the log for the owners of the bots: faults only, or all asks."""

        def write(version: VersionId, exchange: Exchange) -> None:
            bot, _ = parts(version)
            if exchange.fault is not None:
                self._last_faults[version] = exchange.fault
                if len(self._last_faults) > MOST_FAULTS:
                    self._last_faults.clear()
            if is_registered(bot) and (kept.log == "all" or exchange.fault is not None):
                self._log.writer(bot, kept.game)(exchange)

        return write

    def last_fault(self, version: VersionId) -> FaultNote | None:
        """Return the last fault of the bot in any block of this shift; None if it is not known."""
        return self._last_faults.get(version)

    async def _player(
        self, kept: StoredTournament, entrant: StoredEntrant, bot: Registered | None, here: bool
    ) -> Player:
        why = absence(kept, entrant, bot)
        if why is not None:
            raise Absent(entrant, why)
        if bot is None:
            return self._of_house(kept, entrant.bot, here)
        player = await self._players.player(bot)
        if player is None:
            raise Absent(entrant, "cannot be called")
        if isinstance(player, Push):
            try:
                with suppress(Fault):  # a fault of the bot counts when the bot is asked
                    await player.client.find()
            except LookupFailed as error:
                raise Unfound(entrant, error) from error
        return player

    def _of_house(self, kept: StoredTournament, name: str, here: bool) -> Player:
        if here:
            return Plugin(name, find_bot(name))
        return Housed(self._house, installed_name(name), name, Priority(kept.owner))

    def _stand_in(self, kept: StoredTournament, here: bool, _: Seat) -> Player:
        return self._of_house(kept, STAND_IN, here)


def _check_installed(kept: StoredTournament, bots: tuple[str, ...], have: Installed) -> None:
    for lack in lacking(kept, have):
        if lack.bot is None or lack.bot in bots:
            raise NotInstalled(f"this worker lacks {lack.what} {lack.wanted}")


def is_here(kept: StoredTournament) -> bool:
    """True if every entrant is a built-in bot."""
    return not any(is_registered(entrant.bot) for entrant in kept.entrants)


def seatings_of(kept: StoredTournament) -> tuple[Seating, ...]:
    if isinstance(kept.format, Experiment):
        return duels(kept.players, len(kept.format.field))
    return seatings(kept.players)


def terms_of(kept: StoredTournament, block: str, log: BotLog | None) -> BlockTerms:
    """Return the terms of a block of the tournament; `log` gets the exchanges with its bots."""
    return BlockTerms(
        game=find_game(kept.game),
        block=block,
        secret=kept.secret,
        tournament=None if kept.seed is None else kept.id,
        seatings=seatings_of(kept),
        paired=isinstance(kept.format, Experiment),
        options=kept.options,
        play=PlayTerms(clock=kept.clock, strikes=kept.strikes, log=log),
    )


def capacity(info: BotInfo) -> int:
    """Return the number of asks at a time that the bot takes."""
    return info.concurrency * max(1, info.batch)


def slots_of(info: BotInfo, games: int) -> int:
    """Return the number of blocks at a time for the bot: one more than fills it, because the end of a block must
    not be a pause. Together the blocks never ask more of the bot than it takes: see `at_once`.
    """
    return min(capacity(info), -(-capacity(info) // games) + 1)


def at_once(info: BotInfo, games: int) -> int:
    """Return the number of games of one block that are played at a time."""
    return min(games, capacity(info) // slots_of(info, games))
