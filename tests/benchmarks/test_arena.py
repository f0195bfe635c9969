"""The benchmarks of the arena run, in small; how fast anything is decides no test."""

from benchmarks.playing.arena import BARE, LOOP, PLAIN, PLUGIN, TOGETHER, Scale, measured


def test_everything_is_measured_and_compared() -> None:
    report = measured(Scale(connections=8, rounds=1, moment=0.05, at_once=10))
    rows = {what: (figure, goal) for what, figure, goal, _ in report.rows}
    for compared in (f"{PLAIN} / {BARE}", f"{TOGETHER} / {PLAIN}", f"{PLUGIN} / {LOOP}"):
        figure, goal = rows[compared]
        assert float(figure) > 0
        assert goal.startswith(">=")
    assert "10 matches at once: 520 asks without a fault, CPU of the arena" in rows
