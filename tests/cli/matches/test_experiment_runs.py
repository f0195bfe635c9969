"""Runs of `splito experiment`: in several processes, in a pipe, and interrupted and continued."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Splito
from tests.cli.matches.test_match import until

WORDS = ("experiment", "random", "mine:choose", "--game", "splitter", "--field", "random", "--seed", "7")
LONG = (*WORDS, "--least", "40", "--cap", "40", "--json")
MINE = """
import os
import time
from pathlib import Path

def choose(ask):
    Path(f"pid-{os.getpid()}").touch()
    while Path("hold").exists():
        time.sleep(0.01)
    return ask.moves[int(ask.seed, 16) % len(ask.moves)]

def ends(ask):
    os._exit(1)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Working folder of the command, with the module of a bot that plays by its dice and waits while `hold` exists."""
    (tmp_path / "mine.py").write_text(MINE)
    return tmp_path


def result_of(out: str) -> Any:
    """Return the report without everything that is measured in seconds."""
    report = json.loads(out)
    bots = [{name: value for name, value in bot.items() if not name.startswith("ms_")} for bot in report.pop("bots")]
    return {name: value for name, value in report.items() if name != "seconds"}, bots


def start(folder: Path, *words: str) -> "subprocess.Popen[str]":
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-m", "splito_cli", *words], cwd=folder, **pipes)


def test_the_result_is_the_same_for_any_number_of_jobs(process: Splito, folder: Path) -> None:
    one, several = [process(*WORDS, "--least", "6", "--cap", "6", "--json", "--jobs", jobs) for jobs in ("1", "3")]
    assert (one.code, several.code) == (0, 0), several.err
    assert result_of(one.out) == result_of(several.out)
    assert len([*folder.glob("pid-*")]) > 1


def test_without_jobs_other_processes_play_functions(folder: Path) -> None:
    with start(folder, *WORDS, "--least", "4", "--cap", "4") as running:
        out, err = running.communicate(timeout=60)
    assert (running.returncode, "after 4 blocks" in out) == (0, True), err
    assert f"pid-{running.pid}" not in [file.name for file in folder.glob("pid-*")]


@pytest.mark.usefixtures("folder")
def test_a_bot_that_ends_its_process_gets_a_fault_and_the_experiment_goes_on(process: Splito) -> None:
    words = ("experiment", "random", "mine:ends", "--game", "splitter", "--field", "random", "--jobs", "2", "--json")
    run = process(*words, "--least", "2", "--cap", "2", "--strikes", "1")
    report = json.loads(run.out)
    assert (run.code, report["bots"][1]["bot"]) == (0, "mine:ends")
    assert {*report["bots"][1]["faults"]} == {"crashed"}


@pytest.mark.parametrize(("jobs", "stop", "code"), [("1", signal.SIGTERM, 143), ("2", signal.SIGINT, 130)])
def test_an_interrupted_run_is_continued_to_the_same_result(
    process: Splito, folder: Path, jobs: str, stop: signal.Signals, code: int
) -> None:
    whole = process(*LONG, "--jobs", "1")
    file, hold = folder / "experiment.jsonl", folder / "hold"
    words = (*LONG, "--jobs", jobs, "--save", file.name)
    with start(folder, *words) as running:
        until(lambda: file.exists() and file.read_bytes().count(b"\n") > 4)
        hold.touch()
        os.kill(running.pid, stop)
        if jobs == "1":  # the signal waits for the bot, which is in the same process
            hold.unlink()
        out, err = running.communicate(timeout=60)
    hold.unlink(missing_ok=True)
    assert running.returncode == code, err
    stopped = json.loads(out)
    assert (stopped["stopped"], stopped["reading"]["verdict"]) == (True, "undecided")
    assert 4 <= stopped["reading"]["blocks"] == file.read_bytes().count(b"\n") - 1 < 40
    with file.open("ab") as half:
        half.write(b'{"entry":')
    again = process(*words)
    assert result_of(again.out) == result_of(whole.out)
    assert file.read_bytes().count(b"\n") == 1 + 40
    assert result_of(process(*words).out) == result_of(whole.out), "a finished experiment is shown again"


def test_a_continued_run_takes_its_seed_from_the_file(process: Splito, folder: Path) -> None:
    words = ("experiment", "random", "greedy", "--game", "splitter", "--field", "random", "--least", "2", "--cap", "2")
    one, again = (process(*words, "--save", "mine.jsonl", "--json", "--jobs", "1") for _ in range(2))
    assert json.loads(one.out)["seed"] == json.loads(again.out)["seed"]
    assert (folder / "mine.jsonl").read_bytes().count(b"\n") == 3


def test_a_file_of_another_experiment_is_refused_and_left_as_it_is(splito: Splito, folder: Path) -> None:
    file = folder / "saved.jsonl"
    words = ("experiment", "random", "greedy", "--game", "splitter", "--field", "random", "--jobs", "1", "--save")
    assert splito(*words, str(file), "--least", "2", "--cap", "2").code == 0
    before = file.read_bytes()
    run = splito(*words, str(file), "--least", "2", "--cap", "2", "--measure", "points")
    assert (run.code, file.read_bytes()) == (2, before)
    assert "is of an experiment with measure places, not points" in run.err
    file.write_text("shopping list\n")
    run = splito(*words, str(file))
    assert (run.code, file.read_text()) == (2, "shopping list\n")
    assert "is no saved experiment" in run.err


def test_a_pipe_gets_lines_of_progress(splito: Splito) -> None:
    words = ("experiment", "greedy", "random", "--game", "splitter", "--field", "random", "--seed", "7", "--jobs", "1")
    lines = splito(*words, "--least", "12", "--cap", "12").err.splitlines()
    assert [line.split("  ·  ")[0] for line in lines] == ["1 block", "2 blocks", "5 blocks", "10 blocks"]
    assert "variance ratio" in lines[-1]
    run = splito(*words, "--least", "12", "--cap", "12", "--json")
    told = [json.loads(line) for line in run.err.splitlines()]
    assert [line["reading"]["blocks"] for line in told] == [1, 2, 5, 10]
    assert told[-1]["reading"]["variance_ratio"] > 0
    assert json.loads(run.out)["reading"]["blocks"] == 12
