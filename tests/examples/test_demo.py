"""`make demo` as a newcomer runs it: in any folder, from nothing to the report, and with nothing left behind."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from examples.demo import Bot, verdict

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")

DEMO = Path(__file__).parents[2] / "examples" / "demo.py"
NAMES = ("Ada", "Grace", "Hedy", "Joan")
FAMILY = 8
"""Processes at the least: the demo, its Redis, the service, the worker, four bots."""
ENDED = 128 + signal.SIGTERM
LIMIT = 10.0
"""Seconds."""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder; the processes that a test started for it are killed at the end."""
    yield tmp_path
    for process in family(tmp_path):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


@contextmanager
def demonstrated(folder: Path) -> Generator["subprocess.Popen[str]"]:
    """Run the demo with one block per table, in an empty folder, with temporary files in another."""
    scratch, here = folder / "scratch", folder / "here"
    scratch.mkdir()
    here.mkdir()
    command = [sys.executable, str(DEMO), "1"]
    env = {**os.environ, "TMPDIR": str(scratch), "PYTHONIOENCODING": "utf-8"}
    with subprocess.Popen(command, cwd=here, env=env, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        try:
            yield process
        finally:
            process.terminate()


def family(folder: Path) -> list[int]:
    """All processes that were started by the demo, or by what it started, and still run."""
    mark = f"TMPDIR={folder / 'scratch'}\0".encode()
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal() and mark in surroundings(path)]


def surroundings(process: Path) -> bytes:
    """Return the environment of a process; nothing if it has ended."""
    try:
        return (process / "environ").read_bytes()
    except OSError:
        return b""


def read_until(process: "subprocess.Popen[str]", words: str) -> None:
    assert process.stdout is not None
    assert any(words in line for line in process.stdout), process.wait()


def assert_nothing_left(folder: Path) -> None:
    until = time.monotonic() + LIMIT
    while left := family(folder):
        assert time.monotonic() < until, left
        time.sleep(0.02)
    assert [*(folder / "scratch").iterdir()] == []


def test_the_demo_goes_from_nothing_to_the_report(folder: Path) -> None:
    with demonstrated(folder) as process:
        read_until(process, "Checking the bots")
        assert len(family(folder)) >= FAMILY
        shown, _ = process.communicate()
    assert process.returncode == 0
    assert all(f"✓ {name} has passed" in shown for name in NAMES)
    table = shown[shown.index("Demo cup  ·  round 1 of 1  ·  24 games  ·  ✓ finished") :]
    assert sorted(re.findall(r"^[★ ] (\w+) +(?:\d+ \(|at (?:least|most) )", table, re.MULTILINE)) == [*NAMES]
    report = folder / "here" / "demo-report.html"
    assert [*report.parent.iterdir()] == [report]
    assert all(name in report.read_text("utf-8") for name in NAMES)
    assert_nothing_left(folder)


def test_ending_the_demo_ends_all_of_its_processes(folder: Path) -> None:
    with demonstrated(folder) as process:
        read_until(process, "Checking the bots")
        assert len(family(folder)) >= FAMILY
        process.send_signal(signal.SIGTERM)
        process.communicate()
    assert process.returncode == ENDED
    assert [*(folder / "here").iterdir()] == []
    assert_nothing_left(folder)


def told(**other: Any) -> dict[str, Any]:
    """Return a check as the service tells it."""
    return {"state": "done", "passed": False, "total": 40, "reason": None, "report": None} | other


def test_a_bot_that_fails_is_told_which_check_failed_and_what_to_do() -> None:
    finding = {
        "code": "time-out",
        "where": "splito, 2 players, turn 0, seat 0",
        "what": "no answer",
        "advice": "think less",
    }
    rows: list[dict[str, Any]] = [
        {"check": "info", "title": "says who it is", "outcome": "passed", "found": "", "findings": []},
        {"check": "ask", "title": "answers a plain ask", "outcome": "failed", "found": "", "findings": [finding]},
    ]
    said = verdict(Bot("1", "Hedy", print), told(report={"rows": rows}))
    assert said.splitlines() == [
        "✗ Hedy has not passed",
        "      ask (answers a plain ask): splito, 2 players, turn 0, seat 0: no answer; think less",
    ]


def test_a_bot_whose_check_was_lost_is_told_why() -> None:
    said = verdict(Bot("1", "Hedy", print), told(state="lost", passed=None, reason="the arena was too busy"))
    assert said == "✗ Hedy could not be checked: the arena was too busy"
