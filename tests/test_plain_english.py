"""The check of docstrings finds docstrings without thing or actor, and no others."""

import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[1] / "tools" / "plain_english.py"


def checked(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """Run the check over a folder with one module of this text."""
    (folder / "module.py").write_text(text, "utf-8")
    command = [sys.executable, str(TOOL), str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "text",
    [
        '"""What travels about hooks."""',
        'def f() -> None:\n    """Whoever asks."""',
        'class C:\n    """A class."""\n\n    x: int\n    """That somebody may have."""',
        'LIMIT = 3\n"""Seconds after which somebody is asked."""',
    ],
)
def test_a_docstring_without_its_thing_or_actor_is_found(tmp_path: Path, text: str) -> None:
    run = checked(tmp_path, text)
    assert run.returncode == 1
    assert "module.py:" in run.stdout
    assert "1 docstrings do not name" in run.stdout


def test_plain_docstrings_and_other_strings_are_left_alone(tmp_path: Path) -> None:
    run = checked(tmp_path, '"""Request schemas of webhooks."""\n\nTEXT = "What somebody wants"\n')
    assert (run.returncode, run.stdout) == (0, "")
