"""`python -m benchmarks memory` measures every kind; how much it is decides no test."""

from benchmarks.state import KINDS, SHAPES, Scale, measured


def test_every_kind_has_its_memory_and_every_large_tournament_its_longest_call() -> None:
    report = measured(Scale(stored=3, finished=1, blocks=1))
    figures = {what: figure for what, figure, _, _ in report.rows}
    assert figures.keys() >= KINDS.keys()
    assert sum("longest script call" in what for what in figures) == len(SHAPES)
    assert all(figure.endswith((" bytes", " ms")) for figure in figures.values())
