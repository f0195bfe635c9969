"""The benchmarks of the service run, in small; how fast anything is decides no test."""

from pathlib import Path

from benchmarks.report import append, spread
from benchmarks.serving.service import GOALS, Scale, measured
from benchmarks.serving.streams import Audience

TINY = Scale(
    connections=4,
    rounds=1,
    moment=0.05,
    looked_at=6,
    finished=2,
    audience=Audience(open=12, watched=3, streams=12, seals=400),
)


def test_everything_is_measured_and_nothing_is_wrong(tmp_path: Path) -> None:
    report = measured(TINY)
    figures = {what: figure for what, figure, _, _ in report.rows}
    for name in GOALS:
        assert any(what.startswith(f"{name} / constant of") for what in figures), name
    assert figures["answers of another status than they should have"] == "0"
    assert "0 of 180" in figures.values()  # 12 streams: who sits there, 13 turns, and the end
    append([report], "a test", tmp_path / "results.md")
    text = (tmp_path / "results.md").read_text("utf-8")
    assert "`a test`" in text
    assert all(f"| {what} | {figure} |" in text for what, figure in figures.items())


def test_a_distribution_is_printed_in_milliseconds() -> None:
    times = [number / 1000 for number in range(1, 101)]
    assert spread(times) == "51.0 / 91.0 / 100.0 / 100.0 ms"
