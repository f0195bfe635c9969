"""Who plays whom: a format is a pure function from what has been played to the next round.

Nothing here waits for anybody. Who is not active when a round is planned is not in it, a table that cannot be filled is
not planned, and when there are no tables left to plan a tournament is over. The same seed, entrants and past give the
same round, on any machine and with any version of Python. docs/formats.md tells organisers which format is for what.
"""

from splito_arena.formats.experiment import design_of
from splito_arena.formats.next_round import expected, games_of_a_block, next_round, placing
from splito_arena.formats.past import waits
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
    "Format",
    "Gauntlet",
    "Ladder",
    "Past",
    "Round",
    "RoundRobin",
    "Swiss",
    "TableResult",
    "check",
    "design_of",
    "expected",
    "games_of_a_block",
    "next_round",
    "placing",
    "waits",
]
