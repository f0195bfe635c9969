"""Every benchmark of `make bench` runs; its speed decides no test."""

import pytest

from benchmarks import startup
from benchmarks.harness import measure, ratio
from benchmarks.playing.playouts import playout, replay, views
from splito_engine.games import splitit, splito, splitter


def test_every_benchmark_of_our_own_code_runs_and_is_compared() -> None:
    contenders = {
        "splito": playout(splito, 4),
        "splitit": playout(splitit, 3),
        "splitter": playout(splitter, 1),
        "replay": replay(splito, 4),
        "views": views(splito, 4),
    }
    rates = measure(contenders, rounds=2, moment=0.001)
    assert {name: len(found) for name, found in rates.items()} == dict.fromkeys(contenders, 2)
    assert ratio(rates, "splito", "splito") == 1
    assert ratio({"fast": [4, 6], "slow": [2, 3]}, "fast", "slow") == 2


@pytest.mark.usefixtures("outside")
def test_the_start_up_of_commands_is_measured_beside_bare_python() -> None:
    report = startup.measured(rounds=1)
    assert [row[0] for row in report.rows] == [
        "seconds of CPU of `splito --help`",
        "seconds of CPU of `python`",
        "seconds of CPU of `splito games`",
        "seconds of CPU of `splito match --help`",
        "seconds of CPU of `splito serve --help`",
    ]
    assert all(float(row[1]) >= 0 for row in report.rows)
