"""Options that settle a search: parameters, table, measure, races, and how its games are played.

An interrupted search goes on from its file only with the same settings.
"""

from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from splito_arena.bots.functions.words import split_words
from splito_arena.experiments.blocks import Measure
from splito_arena.experiments.tables import Comparison
from splito_arena.tuning.run import Tuning
from splito_arena.tuning.search import Plan
from splito_arena.tuning.space import read_parameters, read_start
from splito_cli.arguments import GameOption, Pairs, read_pairs, seat_bots
from splito_cli.options import USUAL_PLAY, PlayOptions
from splito_engine.registry import find_game

USUAL = Plan()


@Parameter(name="*")
@dataclass(frozen=True)
class Races:
    """The options of the plan: how long points race, and how long the best one is checked."""

    races: Annotated[int, Parameter(help="The number of races.")] = USUAL.races
    candidates: Annotated[int, Parameter(help="The number of points in a race: 4, 8, 16, 32 or 64.")] = USUAL.candidates
    blocks: Annotated[int, Parameter(help="The number of blocks after which the first half of a race drops out.")] = (
        USUAL.blocks
    )
    check: Annotated[int, Parameter(help="The number of fresh blocks for the final comparison.")] = 200

    def plan(self) -> Plan:
        return Plan(races=self.races, candidates=self.candidates, blocks=self.blocks)


USUAL_RACES = Races()


@Parameter(name="*")
@dataclass(frozen=True)
class TuneSettings:
    """The options that settle a search."""

    param: Annotated[
        tuple[str, ...],
        Parameter(help="A parameter with its range, as in `--param a=0..1`; several are possible."),
    ]
    whole: Annotated[
        tuple[str, ...],
        Parameter(
            name="--int",
            help="The name of a parameter that takes whole numbers only; several are possible.",
            show_default=False,
        ),
    ] = ()
    start: Annotated[Pairs, Parameter(help="A value to start from, as in `--start a=0.2`.")] = ()
    field: Annotated[str, Parameter(help="The other bots at the table, separated by commas.")] = "greedy,planner"
    game: GameOption = "splito"
    players: Annotated[
        int | None, Parameter(help="Seats at the table; without it one for each of the field and one for the bot.")
    ] = None
    measure: Annotated[
        Measure, Parameter(help="The measure of a result: the mean place, points, or shares of a win.")
    ] = "places"
    races: Races = USUAL_RACES
    play: PlayOptions = USUAL_PLAY

    def seated(self, maker: str) -> tuple[str, ...]:
        """Return the maker and the field, ready to be imported from the working folder."""
        names = split_words(self.field) if self.field else []
        return seat_bots([maker, *names], 1 + len(names))

    def tuning(self, bots: tuple[str, ...], saved_seed: str | None) -> Tuning:
        """Return the search for the best parameters of the first bot. Raise `GameError` for a setting that is wrong."""
        parameters = read_parameters(self.param, self.whole)
        return Tuning(
            maker=bots[0],
            parameters=parameters,
            start=read_start(parameters, read_pairs(self.start)),
            plan=self.races.plan(),
            check=self.races.check,
            table=self._table(bots, saved_seed),
        )

    def _table(self, bots: tuple[str, ...], saved_seed: str | None) -> Comparison:
        maker, *others = bots
        return Comparison(
            game=self.game,
            new=maker,
            old=maker,
            field=tuple(others),
            players=self.players or max(find_game(self.game).INFO.min_players, 1 + len(others)),
            seed=self.play.seed_or(saved_seed),
            measure=self.measure,
            options=self.play.pairs(),
            play=self.play.terms(),
        )
