"""`python -m benchmarks memory` measures every kind; how much it is decides no test."""

from benchmarks.serving.state import KINDS, SHAPES, Scale, measured


def test_memory_per_kind_and_the_longest_call_of_large_tournaments_are_measured() -> None:
    report = measured(Scale(stored=3, finished=1, blocks=1))
    figures = {what: figure for what, figure, _, _ in report.rows}
    assert figures.keys() >= KINDS.keys()
    assert sum("longest script call" in what for what in figures) == len(SHAPES)
    assert all(figure.endswith((" bytes", " ms")) for figure in figures.values())
