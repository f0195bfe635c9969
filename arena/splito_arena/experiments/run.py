"""Local experiment, without a server: whether NEW is better than OLD, ended by its sequential test.

The blocks are those of `splito_arena.experiments.blocks`, played by the referee as in `splito_arena.blocks.series`, and
judged one by one in the order of their numbers by `splito_arena.experiments.sequential_test`. The same seed gives the
same blocks, and with bots that repeat themselves the same verdict.
"""

import logging
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import msgspec

from splito_arena.blocks.in_order import in_order
from splito_arena.blocks.ledger import Entry
from splito_arena.blocks.play import BlockPlayed, BlockTerms, play_block
from splito_arena.blocks.series import AT_ONCE, REPLAYS, check_settings
from splito_arena.bots.lineup import Company
from splito_arena.errors import Unplayable
from splito_arena.experiments.blocks import MEASURES, Measure, duels
from splito_arena.experiments.evidence import Evidence
from splito_arena.experiments.sequential_test import Design, Reading, check_design
from splito_arena.faults import Void
from splito_arena.latency import added, quantile
from splito_arena.match.terms import PlayTerms
from splito_engine.errors import BadOption
from splito_engine.match import Match, start
from splito_engine.registry import find_game

log = logging.getLogger("splito.experiment")


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a comparison: game, bots, design and seed, and how its matches are played."""

    game: str
    new: str
    """The new bot, as a word of `splito_arena.bots.lineup`; the other bots are given in the same way."""
    old: str
    field: tuple[str, ...]
    players: int
    seed: str
    design: Design = Design()
    measure: Measure = "places"
    options: dict[str, Any] = {}
    play: PlayTerms = PlayTerms()
    at_once: int = AT_ONCE
    """Number of matches played at the same time."""

    @property
    def bots(self) -> tuple[str, ...]:
        return self.new, self.old, *self.field


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


def opening(comparison: Comparison) -> Match:
    """Return the first position of some match. Raise an error for bad settings here, before any bot is called."""
    match = start(find_game(comparison.game), comparison.players, comparison.seed, comparison.options)
    check_design(comparison.design)
    duels(comparison.players, len(comparison.field))
    if comparison.players == 1 and comparison.measure != "points":
        raise BadOption("a game of one player has no places or wins to compare: measure points", field="measure")
    check_settings(comparison.bots, comparison.play, {"at-once": comparison.at_once})
    return match


async def compare(comparison: Comparison, company: Company) -> AsyncGenerator[Step]:
    """Yield each block until the verdict. Some blocks are played ahead, and cancelled with the generator."""
    tables, evidence = _Tables(comparison, company), Evidence(comparison.design, comparison.measure)
    async with aclosing(in_order(tables.block, range(comparison.design.cap), tables.ahead)) as blocks:
        async for played in blocks:
            evidence.add(played.entry)
            yield Step(played, evidence.reading())
            if evidence.verdict != "undecided":
                return


class _Tables:
    """The blocks of a comparison in play."""

    def __init__(self, comparison: Comparison, company: Company) -> None:
        self._comparison, self._company = comparison, company
        self._game = find_game(comparison.game)
        self._seatings = duels(comparison.players, len(comparison.field))
        self.ahead = max(1, comparison.at_once // len(self._seatings))

    async def block(self, number: int) -> BlockPlayed:
        why: Void | None = None
        for _ in range(1 + REPLAYS):
            try:
                return await self._play(number)
            except Void as void:
                log.warning("block %d: %s; it is played again", number, void)
                why = void
        raise Unplayable(f"block {number} was given up, played {1 + REPLAYS} times: {why}") from why

    async def _play(self, number: int) -> BlockPlayed:
        comparison, company = self._comparison, self._company
        terms = BlockTerms(
            game=self._game,
            block=f"{number:05}",
            secret=comparison.seed,
            seatings=self._seatings,
            paired=True,
            options=comparison.options,
            play=comparison.play,
        )
        names = [player.name for player in company.players]
        return await play_block(terms, names, company.players, lambda _: company.stand_in, at_once=comparison.at_once)


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
