"""Fixtures of the tests of bot processes: both event loops, and a folder with installed bots of the test."""

import os
from pathlib import Path

import pytest

from tests.arena.bots.subprocess.bot_processes import BOTS


@pytest.fixture(params=["asyncio", "uvloop"])
def anyio_backend(request: pytest.FixtureRequest) -> tuple[str, dict[str, bool]]:
    """Return each event loop that the service may run on."""
    return "asyncio", {"use_uvloop": request.param == "uvloop"}


@pytest.fixture(autouse=True)
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install the bots of the test for every process that starts from now on; return their folder."""
    names = [line[4:].partition("(")[0] for line in BOTS.splitlines() if line.startswith("def ")]
    entries = [f"{name} = bots_of_the_test:{name}\n" for name in names]
    installed = tmp_path / "bots_of_the_test-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: bots-of-the-test\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text(
        f"[splito.bots]\n{''.join(entries)}broken = bots_of_the_test:no_such_function\n"
    )
    (tmp_path / "bots_of_the_test.py").write_text(BOTS)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    return tmp_path
