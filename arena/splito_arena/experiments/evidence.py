"""Evidence of an experiment, block by block: the state of its test, and the variance that pairing has removed."""

from collections.abc import Iterable

from splito_arena.blocks.ledger import Entry
from splito_arena.experiments.blocks import Measure, before_a_gap, results
from splito_arena.experiments.sequential_test import Design, Reading, Verdict, begin, reading, update
from splito_arena.experiments.tally import Tally, add


class Evidence:
    """The evidence of the blocks so far. Blocks are added in the order of their numbers."""

    def __init__(self, design: Design, measure: Measure) -> None:
        self._experiment, self._sums = begin(design), Tally()
        self._measure: Measure = measure

    @property
    def verdict(self) -> Verdict:
        return self._experiment.verdict

    def add(self, entry: Entry) -> None:
        """Add a block; a block after the verdict and a skipped block change nothing."""
        if self.verdict == "undecided" and entry.games:
            new, old = results(entry, self._measure)
            self._experiment, self._sums = update(self._experiment, new - old), add(self._sums, new + old)

    def reading(self) -> Reading:
        return reading(self._experiment, self._sums)


def read_ledger(design: Design, measure: Measure, ledger: Iterable[Entry]) -> Reading:
    """Return the reading of the blocks in a ledger, up to the first unfinished block or the verdict."""
    evidence = Evidence(design, measure)
    for entry in before_a_gap(ledger):
        evidence.add(entry)
    return evidence.reading()
