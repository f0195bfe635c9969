"""The experiment format: one table plays a batch of blocks in each round until there is a verdict, or the cap.

There is no verdict before the first `least` blocks, so these are the first batch.
"""

from collections.abc import Sequence

from splito_arena.experiments.sequential_test import Design
from splito_arena.formats.past import active
from splito_arena.formats.types import Entrant, Experiment, Past, Round


def experiment(kind: Experiment, entrants: Sequence[Entrant], past: Past) -> Round | None:
    rounds = len(past.rounds)
    played = kind.least + (rounds - 1) * kind.batch if rounds else 0
    table = (kind.new, kind.old, *kind.field)
    if played >= kind.cap or not {*active(entrants)}.issuperset(table):
        return None
    return Round((table,), min(kind.batch if rounds else kind.least, kind.cap - played))


def design_of(kind: Experiment) -> Design:
    """Return the design for splito_arena.experiments.sequential_test."""
    return Design(low=kind.low, high=kind.high, alpha=kind.alpha, beta=kind.beta, least=kind.least, cap=kind.cap)
