"""Clean environments outside the repository: the built wheels, and only the distributions that they depend on.

The wheels are installed by pip. Their dependencies are linked from the environment of the tests, in the versions that
the requirements pin, so that no index is needed.
"""

import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from importlib.metadata import distribution, requires
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement

from tests.deploy.files import ROOT

LIMIT = 300
"""Seconds for a command."""


class Done(NamedTuple):
    code: int
    out: str
    err: str


class Environment:
    """A virtual environment with some wheels."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "bin"
        self.python = self.bin / "python"
        [self.packages] = folder.glob("lib/python3*/site-packages")

    def run(self, *words: str | Path, cwd: Path, typed: str = "") -> Done:
        """Run a program of the environment in a folder, without anything of the environment of the tests."""
        program, *rest = map(str, words)
        done = subprocess.run(
            [self.bin / program, *rest],
            input=typed,
            capture_output=True,
            text=True,
            encoding="utf-8",
            cwd=cwd,
            env=environ(cwd),
            check=False,
            timeout=LIMIT,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    @property
    def megabytes(self) -> float:
        """The size of everything that is installed, without compiled modules."""
        files = (Path(top) / name for top, _, names in os.walk(self.packages, followlinks=True) for name in names)
        return sum(file.stat().st_size for file in files if file.suffix != ".pyc") / 1e6


def environ(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not re.match(r"PYTHON|SPLITO|VIRTUAL_ENV|PIP", name)}
    return {**kept, "HOME": str(home), "COLUMNS": "200"}


def built(folder: Path) -> dict[str, Path]:
    """Return the wheels of both distributions, by name; they are built in a copy of the sources."""
    sources = folder / "sources"
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("engine", "bots", "arena", "service", "cli", "sdk"):
        shutil.copytree(ROOT / name, sources / name, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, sources)
    for project in (sources, sources / "sdk" / "python"):
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder / "wheels"]
        subprocess.run(command, cwd=project, check=True, capture_output=True, timeout=LIMIT)
    return {wheel.name.partition("-")[0]: wheel for wheel in (folder / "wheels").iterdir()}


def environment(folder: Path, wheels: Sequence[Path], dependencies: Sequence[str]) -> Environment:
    """Return a new environment with the wheels and these distributions, and nothing else."""
    venv.create(folder, with_pip=False, symlinks=True)
    made = Environment(folder)
    for name in dependencies:
        link(name, made.packages)
    pip = [sys.executable, "-m", "pip", "--python", made.python, "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "-q", "--no-deps", "--no-index", *wheels], check=True, timeout=LIMIT)
    subprocess.run([*pip, "check"], check=True, capture_output=True, timeout=LIMIT)
    return made


def link(name: str, packages: Path) -> None:
    """Link an installed distribution into another environment."""
    found = distribution(name)
    for top in {file.parts[0] for file in found.files or () if file.parts[0] not in {"..", "__pycache__"}}:
        target = packages / top
        if not target.exists():
            target.symlink_to(Path(str(found.locate_file(top))))


def pinned(name: str) -> list[str]:
    """Return the distributions in a file of requirements that this platform needs."""
    text = (ROOT / "requirements" / name).read_text("utf-8")
    return _here(re.findall(r"^([\w.-]+==.*?) \\$", text, re.MULTILINE))


def closure(names: Sequence[str]) -> list[str]:
    """Return these installed distributions and all that they require."""
    found: list[str] = []
    for name in names:
        found += [name, *closure(_here(requires(name) or []))]
    return sorted({*found})


def _here(lines: Sequence[str]) -> list[str]:
    """Return the distributions of the requirements that hold on this platform, without extras."""
    found = [Requirement(line) for line in lines]
    return [one.name for one in found if one.marker is None or one.marker.evaluate({"extra": ""})]
