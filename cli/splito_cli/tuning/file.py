"""File of `splito tune --save`: the settings of a search and its finished blocks, one line of JSON each."""

from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from splito_arena.experiments.blocks import Measure
from splito_arena.line_file import LineFile
from splito_arena.match.seat import Clock
from splito_arena.tuning.run import PairPlayed, Tuning
from splito_arena.tuning.search import Plan
from splito_arena.tuning.space import Parameter, Point
from splito_engine.registry import find_game

FORMAT = 1


class SavedSearch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line of the file: everything that the blocks follow from."""

    format: int = FORMAT
    maker: str
    parameters: tuple[Parameter, ...]
    start: Point
    plan: Plan
    check: int
    game: str
    rules: str
    """Version of the rules."""
    field: tuple[str, ...]
    players: int
    seed: str
    measure: Measure
    options: dict[str, Any]
    clock: Clock
    strikes: int


SearchFile: TypeAlias = LineFile[SavedSearch, PairPlayed]


def open_file(path: Path) -> SearchFile:
    return LineFile(path, SavedSearch, PairPlayed, what="a search", field="save")


def settings_of(tuning: Tuning) -> SavedSearch:
    table = tuning.table
    return SavedSearch(
        maker=tuning.maker,
        parameters=tuning.parameters,
        start=tuning.start,
        plan=tuning.plan,
        check=tuning.check,
        game=table.game,
        rules=find_game(table.game).INFO.version,
        field=table.field,
        players=table.players,
        seed=table.seed,
        measure=table.measure,
        options=table.options,
        clock=table.play.clock,
        strikes=table.play.strikes,
    )
