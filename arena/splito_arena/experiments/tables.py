"""Settings of a local experiment, and the play of its blocks in one process.

The same seed gives the same blocks.
"""

import logging
from typing import Any

import msgspec

from splito_arena.blocks.play import BlockPlayed, BlockTerms, play_block
from splito_arena.blocks.series import AT_ONCE, REPLAYS, check_settings
from splito_arena.bots.lineup import Company
from splito_arena.errors import Unplayable
from splito_arena.experiments.blocks import Measure, duels
from splito_arena.experiments.sequential_test import Design, check_design
from splito_arena.faults import Void
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


def opening(comparison: Comparison) -> Match:
    """Return the first position of some match. Raise an error for bad settings here, before any bot is called."""
    match = start(find_game(comparison.game), comparison.players, comparison.seed, comparison.options)
    check_design(comparison.design)
    duels(comparison.players, len(comparison.field))
    if comparison.players == 1 and comparison.measure != "points":
        raise BadOption("a game of one player has no places or wins to compare: measure points", field="measure")
    check_settings(comparison.bots, comparison.play, {"at-once": comparison.at_once})
    return match


class Tables:
    """The blocks of a comparison, played in this process."""

    def __init__(self, comparison: Comparison, company: Company) -> None:
        self._comparison, self._company = comparison, company
        self._game = find_game(comparison.game)
        self._seatings = duels(comparison.players, len(comparison.field))
        self.ahead = max(1, comparison.at_once // len(self._seatings))

    async def block(self, number: int) -> BlockPlayed:
        """Return the block, played again after an error of the arena. Raise `Unplayable` if that does not help."""
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
