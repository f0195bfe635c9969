"""Options that settle an experiment: its table, its measure, the design of its test, and how its games are played.

An interrupted experiment goes on from its file only with the same settings.
"""

from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from splito_arena.blocks.series import AT_ONCE
from splito_arena.bots.functions.words import split_words
from splito_arena.experiments.blocks import Measure
from splito_arena.experiments.sequential_test import Design
from splito_arena.experiments.tables import Comparison
from splito_cli.arguments import AtOnce, GameOption, seat_bots
from splito_cli.options import USUAL_PLAY, PlayOptions
from splito_engine.registry import find_game

USUAL = Design()


@Parameter(name="*")
@dataclass(frozen=True)
class DesignOptions:
    """The options of the sequential test."""

    low: Annotated[float, Parameter(help="An effect that is too small to matter.")] = USUAL.low
    high: Annotated[
        float,
        Parameter(help="An effect that the test must not miss. Half of it takes four times as many blocks."),
    ] = USUAL.high
    alpha: Annotated[float, Parameter(help="The share of experiments in which `better` may be wrong.")] = USUAL.alpha
    beta: Annotated[float, Parameter(help="The share of experiments in which `not better` may be wrong.")] = USUAL.beta
    least: Annotated[int, Parameter(help="The number of blocks before the first decision.")] = USUAL.least
    cap: Annotated[int, Parameter(help="The number of blocks after which the experiment ends without a decision.")] = (
        USUAL.cap
    )

    def design(self) -> Design:
        return Design(low=self.low, high=self.high, alpha=self.alpha, beta=self.beta, least=self.least, cap=self.cap)


USUAL_DESIGN = DesignOptions()


@Parameter(name="*")
@dataclass(frozen=True)
class ExperimentSettings:
    """The options that settle an experiment."""

    field: Annotated[
        str,
        Parameter(help='The other bots at the table, separated by commas; empty ("") lets NEW play against OLD alone.'),
    ] = "greedy,planner"
    game: GameOption = "splito"
    players: Annotated[
        int | None,
        Parameter(help="Seats at the table; without it one for each of the field and one for NEW or OLD."),
    ] = None
    measure: Annotated[
        Measure, Parameter(help="The measure of a difference: the mean place, points, or shares of a win.")
    ] = "places"
    test: DesignOptions = USUAL_DESIGN
    play: PlayOptions = USUAL_PLAY
    at_once: AtOnce = AT_ONCE

    def seated(self, new: str, old: str) -> tuple[str, ...]:
        """Return NEW, OLD and the field, ready to be imported from the working folder."""
        names = split_words(self.field) if self.field else []
        return seat_bots([new, old, *names], 2 + len(names))

    def comparison(self, bots: tuple[str, ...], saved_seed: str | None) -> Comparison:
        """Return the comparison of the first bot with the second. Raise `GameError` for a setting that is wrong."""
        new, old, *others = bots
        return Comparison(
            game=self.game,
            new=new,
            old=old,
            field=tuple(others),
            players=self.players or self._usual_players(len(others)),
            seed=self.play.seed_or(saved_seed),
            design=self.test.design(),
            measure=self.measure,
            options=self.play.pairs(),
            play=self.play.terms(),
            at_once=self.at_once,
        )

    def _usual_players(self, field: int) -> int:
        """NEW and OLD sit at one table if there is no field."""
        return max(find_game(self.game).INFO.min_players, field + 1 if field else 2)


USUAL_SETTINGS = ExperimentSettings()
