"""Run of a league: waves are planned and played until every version has enough blocks.

The same seed, folder and ledger give the same blocks, however many bots think at once, if the bots repeat themselves.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

import msgspec

from splito_arena.blocks.in_order import in_order
from splito_arena.blocks.ledger import Entry, VersionId
from splito_arena.blocks.play import BlockTerms, play_block
from splito_arena.blocks.seatings import seatings
from splito_arena.blocks.series import REPLAYS
from splito_arena.errors import Unplayable
from splito_arena.faults import Void
from splito_arena.leagues.ledger import LeagueSettings, Ledger
from splito_arena.leagues.plan import Aim, Table, history_of, next_wave
from splito_arena.leagues.squad import Member, Squad, fault_text
from splito_arena.match.seat import Exchange
from splito_arena.match.terms import PlayTerms
from splito_engine.registry import find_game

AT_ONCE = 3
"""Number of games of a block that are played at the same time."""


class FirstFault(msgspec.Struct, frozen=True):
    """The first fault of a version in this run."""

    fault: str
    traceback: str


class League:
    """A league in play: its ledger, its squad, and the first fault of each version in this run."""

    def __init__(self, ledger: Ledger, settings: LeagueSettings, squad: Squad, enough: int) -> None:
        self.ledger, self.squad = ledger, squad
        self.faults: dict[VersionId, FirstFault] = {}
        self._settings, self._enough = settings, enough
        self._members = {member.version: member for member in squad.members}

    def missing(self) -> int:
        """Return about how many blocks are still to be played."""
        blocks = history_of(self.ledger.entries).blocks
        short = sum(max(0, self._enough - blocks[version]) for version in self._members)
        return -(-short // self._settings.players)

    async def play(self, jobs: int) -> AsyncGenerator[Entry]:
        """Yield each block once it is in the ledger, until every version has enough."""
        for member in self.squad.members:
            if member.code:
                self.ledger.enter(member.version, member.code)
        while tables := self._due():
            numbers = range(len(tables))
            async with aclosing(in_order(lambda number: self._block(*tables[number]), numbers, jobs + 1)) as blocks:
                async for entry in blocks:
                    self.ledger.add(entry)
                    yield entry

    def _due(self) -> list[tuple[str, Table]]:
        """Return the tables of the last wave that are still to be played; those of a new wave if there are none.

        A table of a killed run is left out if one of its versions is gone.
        """
        left = [one for one in self.ledger.open_tables() if self._members.keys() >= {*one[1]}]
        if left:
            return left
        ledger, settings = self.ledger, self._settings
        history = history_of(ledger.entries)
        aim = Aim(settings.seed, settings.players, self._enough)
        tables = next_wave(aim, ledger.waves, sorted(self._members), history)
        if tables:
            ledger.plan(tables)
        return ledger.open_tables() if tables else []

    async def _block(self, block: str, table: Table) -> Entry:
        """Play a block, again after an error of the arena. Raise `Unplayable` if that does not help."""
        why: Void | None = None
        for _ in range(1 + REPLAYS):
            try:
                return await self._play(block, [self._members[version] for version in table])
            except Void as void:
                why = void
        raise Unplayable(f"block {block} was given up, played {1 + REPLAYS} times: {why}") from why

    async def _play(self, block: str, table: Sequence[Member]) -> Entry:
        settings = self._settings
        terms = BlockTerms(
            game=find_game(settings.game),
            block=block,
            secret=settings.seed,
            seatings=seatings(settings.players),
            options=settings.options,
            play=PlayTerms(clock=settings.clock, strikes=settings.strikes, log=self._log),
        )
        versions, players = [one.version for one in table], [one.player for one in table]
        return (await play_block(terms, versions, players, lambda _: self.squad.stand_in, at_once=AT_ONCE)).entry

    def _log(self, version: str, exchange: Exchange) -> None:
        if exchange.fault is not None and version not in self.faults:
            self.faults[version] = FirstFault(fault_text(exchange), exchange.traceback)
