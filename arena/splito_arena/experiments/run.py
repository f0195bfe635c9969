"""Local experiment, without a server: whether NEW is better than OLD, ended by its sequential test.

The blocks are those of `splito_arena.experiments.blocks`, played by the referee in this process or in several, and
judged one by one in the order of their numbers by `splito_arena.experiments.sequential_test`. The same seed gives the
same blocks, and with bots that repeat themselves the same verdict, in however many processes they are played.
"""

from collections import Counter
from collections.abc import AsyncGenerator, Iterable
from contextlib import AsyncExitStack, aclosing

import msgspec

from splito_arena.blocks.in_order import in_order
from splito_arena.blocks.ledger import Entry
from splito_arena.blocks.play import BlockPlayed
from splito_arena.bots.fault_log import OnFault
from splito_arena.bots.lineup import Company
from splito_arena.experiments.blocks import MEASURES
from splito_arena.experiments.evidence import Evidence
from splito_arena.experiments.processes import BlockProcesses
from splito_arena.experiments.sequential_test import Reading
from splito_arena.experiments.tables import Comparison, Tables
from splito_arena.latency import added, quantile

AHEAD = 2
"""Number of blocks for each process, so that none waits while the result of its last block is read."""


class Step(msgspec.Struct, frozen=True):
    """A finished block, and the state of the experiment after it."""

    played: BlockPlayed
    reading: Reading


class Fared(msgspec.Struct, frozen=True):
    """The results of a bot in all its games: means without intervals."""

    bot: str
    games: int
    place: float
    points: float
    wins: float
    faults: dict[str, int]
    """Number of faults by their codes."""
    replaced: int
    """Number of games in which a house bot played on for the bot."""
    ms_p50: float
    ms_p99: float


async def compare(
    comparison: Comparison,
    company: Company,
    *,
    jobs: int = 1,
    finished: Iterable[BlockPlayed] = (),
    on_fault: OnFault | None = None,
) -> AsyncGenerator[Step]:
    """Yield each block until the verdict, first the `finished` ones, which are not played again.

    Some blocks are played ahead, and cancelled with the generator. With several `jobs`, processes of their own play the
    blocks, and the company only names the bots; `on_fault` gets the faults from them. With one job, `comparison.play`
    has the log.
    """
    evidence, begun = Evidence(comparison.design, comparison.measure), 0
    for played in finished:
        evidence.add(played.entry)
        begun += 1
        yield Step(played, evidence.reading())
    if evidence.verdict != "undecided":
        return
    async with aclosing(_blocks(comparison, company, jobs, begun, on_fault)) as blocks:
        async for played in blocks:
            evidence.add(played.entry)
            yield Step(played, evidence.reading())
            if evidence.verdict != "undecided":
                return


async def _blocks(
    comparison: Comparison, company: Company, jobs: int, begun: int, on_fault: OnFault | None
) -> AsyncGenerator[BlockPlayed]:
    async with AsyncExitStack() as stack:
        if jobs == 1:
            tables = Tables(comparison, company)
            play, ahead = tables.block, tables.ahead
        else:
            comparison = msgspec.structs.replace(comparison, play=msgspec.structs.replace(comparison.play, log=None))
            play, ahead = (
                (await stack.enter_async_context(BlockProcesses(comparison, jobs, on_fault))).block,
                AHEAD * jobs,
            )
        blocks = in_order(play, range(begun, comparison.design.cap), ahead)
        async for played in await stack.enter_async_context(aclosing(blocks)):
            yield played


class Account:
    """The running results of one bot, block by block."""

    def __init__(self, bot: str, number: int) -> None:
        self.games = 0
        self._bot, self._number = bot, number
        self._replaced = 0
        self._sums: dict[str, float] = dict.fromkeys(MEASURES, 0.0)
        self._faults = Counter[str]()
        self._times: dict[int, int] = {}

    def add(self, played: BlockPlayed) -> None:
        self._times = added([self._times, played.times[self._bot]])
        self._add_games(played.entry)

    def _add_games(self, entry: Entry) -> None:
        for game in entry.games:
            for seat, number in enumerate(game.seating):
                if number == self._number:
                    self.games += 1
                    self._replaced += game.replaced[seat]
                    self._faults.update(game.faults[seat])
                    for name, measure in MEASURES.items():
                        self._sums[name] += measure(game, seat)

    def fared(self) -> Fared:
        """Return the means over all games of the bot, which must have played at least one."""
        means = {name: total / self.games for name, total in self._sums.items()}
        return Fared(
            bot=self._bot,
            games=self.games,
            place=-means["places"],
            points=means["points"],
            wins=means["wins"],
            faults=dict(self._faults),
            replaced=self._replaced,
            ms_p50=quantile(self._times, 0.5),
            ms_p99=quantile(self._times, 0.99),
        )
