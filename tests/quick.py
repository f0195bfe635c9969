"""Plugin of `make quick`: a test fails at the moment in which it opens a socket or starts a process.

    pytest -p tests.quick -m "not outside"

`tests/conftest.py` marks the tests that need a server or a program, by their fixtures and imports. The interpreter
reports sockets and processes by its audit events (`sys.addaudithook`), so no test that needs them is quick by mistake.
"""

import sys
import threading
from collections.abc import Generator
from typing import Any

import pytest

REASONS = {
    "os.exec": "runs another program",
    "os.fork": "starts a process",
    "os.forkpty": "starts a process",
    "os.posix_spawn": "starts a process",
    "socket.bind": "opens a socket",
    "socket.connect": "opens a socket",
    "subprocess.Popen": "starts a process",
}
"""Reason for which a test is not quick, by the audit event that shows it."""


class _Guard:
    """Switch that is on while a test or one of its fixtures runs, because pytest itself may start processes."""

    is_on = False


def _audit(event: str, _arguments: tuple[Any, ...]) -> None:
    """Fail the test. Other threads go on: the test would wait for them, and soon opens a socket to them itself."""
    if _Guard is None:  # pyright: ignore[reportUnnecessaryComparison] (the interpreter clears modules when it ends)
        return
    if _Guard.is_on and event in REASONS and threading.current_thread() is threading.main_thread():
        pytest.fail(f"this test {REASONS[event]}: let it use the fixture `outside` (tests/conftest.py)")


sys.addaudithook(_audit)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None, Any, Any]:
    """Guard the fixtures of a test."""
    return (yield from _guarded())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, Any, Any]:
    """Guard a test."""
    return (yield from _guarded())


def _guarded() -> Generator[None, Any, Any]:
    _Guard.is_on = True
    try:
        return (yield)
    finally:
        _Guard.is_on = False
