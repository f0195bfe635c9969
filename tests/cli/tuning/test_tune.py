"""`splito tune` with a bot whose strength is known: the planted optimum is found, also by a run that was killed."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from splito_cli.tuning.page import scale
from tests.cli.conftest import Splito
from tests.cli.matches.test_match import until

PEAK = 0.8
MINE = f"""
from random import Random
from splito_arena.bots.find import find_bot

GREEDY = find_bot("greedy")

def make(a, b=1):
    def choose(ask):
        chance = Random(ask.seed)
        print("thinking")
        return GREEDY(ask) if chance.random() < 1 - 2 * abs(a - {PEAK}) else chance.choice(ask.moves)
    return choose

def broken(a):
    raise ValueError("no weights")
"""
ALONE = ("--game", "splitter", "--field", "", "--measure", "points", "--seed", "7")
WORDS = ("tune", "mine:make", "--param", "a=0..1", "--start", "a=0.3", *ALONE, "--json")
QUICK = (*WORDS, "--races", "2", "--candidates", "8", "--blocks", "3")
LIMIT = 300
"""Seconds for a run, on a busy machine."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MINE)
    return tmp_path


def result_of(out: str) -> Any:
    report = json.loads(out)
    return {name: value for name, value in report.items() if name != "seconds"}


def run(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "splito_cli", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LIMIT, check=False)


def test_a_planted_optimum_is_found_and_a_killed_run_goes_on_to_the_same_result(folder: Path) -> None:
    whole = run(folder, *QUICK, "--check", "20", "--jobs", "2", "--plot", "search.html")
    assert whole.returncode == 0, whole.stderr
    report = result_of(whole.stdout)
    assert abs(report["best"]["a"] - PEAK) < 0.15
    found = report["check"]["advantage"]
    assert report["check"]["blocks"] == 20
    assert found["mean"] - found["margin"] > 0, "better than the start, on fresh deals"
    assert report["bot"] == f"mine:make(a={report['best']['a']!r})"
    assert "Search for mine:make" in (folder / "search.html").read_text()

    file = folder / "search.jsonl"
    words = (*QUICK, "--jobs", "1", "--save", file.name, "--check")
    with subprocess.Popen(
        [sys.executable, "-m", "splito_cli", *words, "20"], cwd=folder, stderr=subprocess.PIPE
    ) as killed:
        until(lambda: file.exists() and file.read_bytes().count(b"\n") > 9, seconds=200)
        os.kill(killed.pid, signal.SIGKILL)
        killed.communicate(timeout=60)
    assert 9 < file.read_bytes().count(b"\n") < 1 + report["blocks"]
    assert result_of(run(folder, *words, "20").stdout) == report
    assert file.read_bytes().count(b"\n") == 1 + report["blocks"]
    other = run(folder, *words, "21")
    assert (other.returncode, other.stdout) == (2, "")
    assert "is of a search with check 20, not 21" in other.stderr


def test_ctrl_c_shows_what_is_known(folder: Path) -> None:
    words = [word for word in (*WORDS, "--blocks", "5000", "--save", "long.jsonl", "--jobs", "1") if word != "--json"]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-m", "splito_cli", *words], cwd=folder, **pipes) as running:
        until(
            lambda: (folder / "long.jsonl").exists() and (folder / "long.jsonl").read_bytes().count(b"\n") > 2,
            seconds=200,
        )
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "So far no point leads: a = 0.3." in out
    assert "The same command with --save long.jsonl goes on from here." in out
    assert "Traceback" not in err
    assert "1 of " in err, "a line of progress in the pipe"


WRONG = {
    "no maker": (("greedy", "--param", "a=0..1"), "is no maker"),
    "no range": (("m:make", "--param", "a=1"), "is no range of a parameter"),
    "a URL in the field": (("m:make", "--param", "a=0..1", "--field", "http://127.0.0.1:1"), "no URLs"),
    "no field": (("m:make", "--param", "a=0..1", "--field", "", "--players", "3"), "name a field"),
    "candidates": (("m:make", "--param", "a=0..1", "--candidates", "6"), "one of 4, 8, 16, 32, 64"),
    "jobs": (("m:make", "--param", "a=0..1", "--jobs", "0"), "jobs must be at least 1"),
    "unknown start": (("m:make", "--param", "a=0..1", "--start", "c=1"), "'c' is no parameter"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_options_are_refused_before_any_bot_is_called(case: str, splito: Splito) -> None:
    words, said = WRONG[case]
    run = splito("tune", *words)
    assert (run.code, run.out) == (2, "")
    assert said in run.err


def test_a_maker_that_fails_is_reported_in_one_line(process: Splito, folder: Path) -> None:
    assert folder.exists()
    run = process("tune", "mine:broken", "--param", "a=0..1", *ALONE)
    assert (run.code, run.out) == (2, "")
    assert "cannot be imported: ValueError: no weights" in run.err


@pytest.mark.parametrize(
    ("box", "best", "drawn"), [((0, 1), 0.5, "[───●────]"), ((0.5, 1), 1.0, "────[────●"), ((0, 0.5), 0, "●───]─────")]
)
def test_a_scale_shows_the_last_box_and_the_best_value(box: tuple[float, float], best: float, drawn: str) -> None:
    assert scale(0, 1, box, best, width=10) == drawn
