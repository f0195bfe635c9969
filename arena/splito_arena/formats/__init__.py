"""Tournament formats: pure functions from the rounds played so far to the next round.

A format never waits. A bot that is not active when a round is planned is left out, a table that cannot be filled is not
planned, and a tournament without further tables is over. The same seed, entrants and past give the same round, on any
machine and with any version of Python. docs/formats.md tells organisers which format suits which purpose.
"""

from splito_arena.formats.describe import describe
from splito_arena.formats.elimination import needs_deciding_block
from splito_arena.formats.experiment import design_of
from splito_arena.formats.next_round import expected, games_of_a_block, late_until, next_round
from splito_arena.formats.past import waits
from splito_arena.formats.placing import Figures, Placing, PlacingLine, named, placing
from splito_arena.formats.types import (
    Elimination,
    Entrant,
    Expected,
    Experiment,
    Format,
    Gauntlet,
    Ladder,
    Past,
    Round,
    RoundRobin,
    Swiss,
    TableResult,
)
from splito_arena.formats.validate import check

__all__ = [
    "Elimination",
    "Entrant",
    "Expected",
    "Experiment",
    "Figures",
    "Format",
    "Gauntlet",
    "Ladder",
    "Past",
    "Placing",
    "PlacingLine",
    "Round",
    "RoundRobin",
    "Swiss",
    "TableResult",
    "check",
    "describe",
    "design_of",
    "expected",
    "games_of_a_block",
    "late_until",
    "named",
    "needs_deciding_block",
    "next_round",
    "placing",
    "waits",
]
