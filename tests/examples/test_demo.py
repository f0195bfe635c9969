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

import pytest

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
    """Whatever a test does, it leaves no process behind."""
    yield tmp_path
    for process in family(tmp_path):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


@contextmanager
def demonstrated(folder: Path) -> Generator["subprocess.Popen[str]"]:
    """With one block at each table, in an empty folder, and with another one for all that is temporary."""
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
    """Nothing if it is gone, or only waits to be buried."""
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


def test_from_nothing_to_the_report(folder: Path) -> None:
    with demonstrated(folder) as process:
        read_until(process, "Each is checked")
        assert len(family(folder)) >= FAMILY
        shown, _ = process.communicate()
    assert process.returncode == 0
    assert all(f"✓ {name} has passed" in shown for name in NAMES)
    table = shown[shown.index("Demo cup  ·  round 1 of 1  ·  24 games  ·  ✓ finished") :]
    assert sorted(re.findall(r"^[★ ] (\w+) +\d+ ±", table, re.MULTILINE)) == [*NAMES]
    report = folder / "here" / "demo-report.html"
    assert [*report.parent.iterdir()] == [report]
    assert all(name in report.read_text("utf-8") for name in NAMES)
    assert_nothing_left(folder)


def test_whoever_ends_it_ends_all_of_it(folder: Path) -> None:
    with demonstrated(folder) as process:
        read_until(process, "Each is checked")
        assert len(family(folder)) >= FAMILY
        process.send_signal(signal.SIGTERM)
        process.communicate()
    assert process.returncode == ENDED
    assert [*(folder / "here").iterdir()] == []
    assert_nothing_left(folder)
