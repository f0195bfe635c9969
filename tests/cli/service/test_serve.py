"""`splito serve`: what a person is told, and how it is said that it cannot be."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.cli.conftest import Splito

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the service is for POSIX systems")

LIMIT = 60.0
"""Seconds."""


@contextmanager
def serving(folder: Path, *words: str, **environ: str) -> Generator["subprocess.Popen[str]"]:
    """Killed if it is not stopped in time."""
    with subprocess.Popen(
        [sys.executable, "-m", "splito_cli", "serve", "--port", "0", *words],
        env={**os.environ, "SPLITO_DATA": str(folder), "COLUMNS": "300", **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        alarm = threading.Timer(LIMIT, process.kill)
        alarm.start()
        try:
            yield process
        finally:
            alarm.cancel()
            process.kill()


def test_serve_prints_the_address_when_it_is_ready(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as process:
        assert process.stdout is not None
        told = [process.stdout.readline() for _ in range(5)]
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate()
    head, docs, redis, stop, ready = (" ".join(line.split()) for line in told)
    url = head.removeprefix("Splito Arena · ")
    assert url.startswith("http://127.0.0.1:")
    assert docs == f"docs {url}/docs"
    assert redis == f"Redis its own, data in {tmp_path / 'data'}, durability everysec"
    assert (stop, ready) == ("stop Ctrl-C", "Ready.")
    assert (process.returncode, rest, errors) == (0, "Stopped.\n", "")


def test_serve_with_a_worker_plays_the_ladder_of_the_house(tmp_path: Path) -> None:
    with serving(tmp_path / "data", "--play", "1", "--json", SPLITO_HOUSE_LADDER="1") as process:
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["url"]
        until = time.monotonic() + LIMIT
        boards: list[Any] = []
        while not boards and time.monotonic() < until:
            boards = httpx.get(f"{url}/v1/splito/leaderboard").json()["boards"]
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert [board["players"] for board in boards] == [3]
    assert {line["name"] for line in boards[0]["lines"]} == {"planner", "greedy", "random"}
    assert process.returncode == 0


def test_the_password_of_redis_is_not_printed(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as found:
        place = f"127.0.0.1:{found.getsockname()[1]}"
    with serving(tmp_path / "data", SPLITO_REDIS_URL=f"redis://me:secret@{place}/0") as process:
        assert process.stderr is not None
        line = next(line for line in process.stderr if "splito.serve" in line)
        process.terminate()
        out, errors = process.communicate()
    assert "splito.serve: not ready yet: Redis cannot be reached" in line
    assert process.returncode == 0
    assert f"Redis redis://me:***@{place}/0" in " ".join(out.split())
    assert "Ready" not in out
    assert "secret" not in out + line + errors


def test_a_port_in_use_is_reported_in_one_line(process: Splito, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0), reuse_port=True) as other:
        port = other.getsockname()[1]
        run = process("serve", "--port", str(port), SPLITO_DATA=str(tmp_path / "data"))
    assert (run.code, run.out) == (2, "")
    assert run.err == (
        f"splito: no-port: cannot listen at 127.0.0.1, port {port}: Address already in use."
        " Next: choose another port with --port, or --port 0 for any free one.\n"
    )
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("words", "environ", "code"),
    [
        ("--port 70000", {}, "no-port"),
        ("--host nowhere.invalid", {}, "no-port"),
        ("--workers 0", {}, "bad-option"),
        ("--port many", {}, "usage"),
        ("", {"SPLITO_COLOUR": "red"}, "bad-setting"),
        ("--port 0", {"SPLITO_DATA": "/dev/null/data"}, "no-server"),
    ],
)
def test_an_error_is_printed_in_one_line(words: str, environ: dict[str, str], code: str, process: Splito) -> None:
    run = process("serve", *words.split(), **environ)
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
    assert run.err.startswith(f"splito: {code}: ")


def test_the_command_ends_if_one_of_its_processes_cannot_start(process: Splito, tmp_path: Path) -> None:
    (tmp_path / "uvloop.py").write_text("raise ImportError('not today')\n")
    environ = {"SPLITO_DATA": str(tmp_path / "data"), "PYTHONPATH": str(tmp_path)}
    run = process("serve", "--json", "--port", "0", **environ)
    assert (run.code, run.out) == (2, "")
    *why, last = run.err.splitlines()
    assert "ImportError: not today" in why
    assert last.startswith("splito: no-worker: a process of the service ended with code 1 before it could answer.")


def test_help_has_examples(splito: Splito) -> None:
    assert "splito serve" in splito("serve", "--help").out.partition("Examples:")[2]
