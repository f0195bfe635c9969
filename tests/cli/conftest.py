"""The program is run as a person would: words in, text and exit code out."""

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pytest

from splito_cli.main import main


class Run(NamedTuple):
    code: int
    out: str
    err: str


Splito: TypeAlias = Callable[..., Run]


@pytest.fixture
def splito(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Splito:
    """`splito("play", "splitter", typed="quit")`, in this process, without colour."""
    for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)

    def run(*words: str, typed: str = "") -> Run:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        code = main(words)
        printed = capsys.readouterr()
        return Run(code, printed.out, printed.err)

    return run


@pytest.fixture
def process(tmp_path: Path) -> Splito:
    """The same in a process of its own, in an empty folder."""

    def run(*words: str, typed: str = "", **environment: str) -> Run:
        plain = {name: value for name, value in os.environ.items() if name not in {"FORCE_COLOR", "NO_COLOR"}}
        done = subprocess.run(
            [sys.executable, "-m", "splito_cli", *words],
            input=typed,
            capture_output=True,
            text=True,
            encoding="utf-8",
            cwd=tmp_path,
            env={**plain, "PYTHONIOENCODING": "utf-8", **environment},
            check=False,
            timeout=60,
        )
        return Run(done.returncode, done.stdout, done.stderr)

    return run


PLAYED: list[str] = []
"""The record of one short match, once a test of this process has played it."""


@pytest.fixture
def record(splito: Splito, tmp_path: Path) -> Path:
    """A good record of a short match."""
    path = tmp_path / "match.json"
    if PLAYED:
        path.write_text(PLAYED[0], "utf-8")
        return path
    assert splito("play", "splitter", "--seed", "7", "--record", str(path), typed="1\n" * 22).code == 0
    PLAYED.append(path.read_text("utf-8"))
    return path
