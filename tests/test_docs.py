"""Every example of README and docs is run, line by line."""

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = ["README.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))]


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_python_examples_run(page: str) -> None:
    for block in blocks(page, "python"):
        exec(compile(block, page, "exec"), {"__name__": "example"})  # noqa: S102 (our own pages)


@pytest.mark.parametrize("page", PAGES)
def test_python_sessions_print_the_shown_output(page: str) -> None:
    for block in blocks(page, "pycon"):
        session = doctest.DocTestParser().get_doctest(block, {}, page, page, 0)
        assert doctest.DocTestRunner().run(session).failed == 0


@pytest.mark.parametrize("page", PAGES)
def test_shell_examples_run(page: str, tmp_path: Path) -> None:
    scripts = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
    bash = shutil.which("bash") or "/bin/sh"
    for block in blocks(page, "sh"):
        command = [bash, "-e", "-c", block]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES)
def test_links_between_pages_lead_to_existing_files(page: str) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / page).read_text("utf-8")):
        assert ((ROOT / page).parent / target).exists(), target


def test_the_readme_has_examples_in_shell_python_and_sessions() -> None:
    assert all(blocks("README.md", language) for language in ("sh", "python", "pycon"))
