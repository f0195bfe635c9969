"""The public commands as real processes, and the public HTTP API: all that a journey may use."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from socket import create_server
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

BIN = Path(sys.executable).parent
LIMIT = 300.0
"""Seconds after which waiting for anything fails the test."""
T = TypeVar("T")


class Command:
    """A process that goes on until it is stopped; what it writes to stderr is in a file."""

    def __init__(self, popen: "subprocess.Popen[str]", log: Path) -> None:
        self.popen, self._log = popen, log

    def line(self) -> Any:
        """Return the next line of its output, which is JSON."""
        line = self.popen.stdout.readline() if self.popen.stdout else ""
        assert line, f"it ended with code {self.popen.wait(LIMIT)}:\n{self.log}"
        return json.loads(line)

    @property
    def log(self) -> str:
        return self._log.read_text("utf-8", errors="replace")


class Finished(NamedTuple):
    """The exit code and the output of a command that came to its end."""

    code: int
    out: str
    err: str


def finished(words: Sequence[str], environ: Mapping[str, str], folder: Path) -> Finished:
    """Run a command of the virtual environment in that folder to its end."""
    ran = subprocess.run(
        [str(BIN / words[0]), *words[1:]],
        env={**_clean(), "COLUMNS": "200", **environ},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    return Finished(ran.returncode, ran.stdout, ran.stderr)


def _clean() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("SPLITO_")}


@contextmanager
def started(words: Sequence[str], environ: Mapping[str, str], folder: Path) -> Generator[Command]:
    """Start a command of the virtual environment in that folder; stop it at the end."""
    log = folder / f"{Path(words[0]).name}-{time.monotonic_ns()}.log"
    with (
        log.open("w") as stderr,
        subprocess.Popen(
            [str(BIN / words[0]), *words[1:]],
            env={**_clean(), **environ},
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        ) as popen,
    ):
        try:
            yield Command(popen, log)
        finally:
            popen.terminate()
            try:
                popen.wait(LIMIT)
            except subprocess.TimeoutExpired:
                popen.kill()


def until(found: Callable[[], T], what: Callable[[], object] = lambda: "") -> T:
    """Return the first true value; fail with a description of what there was instead."""
    limit = time.monotonic() + LIMIT
    while not (value := found()):
        assert time.monotonic() < limit, what()
        time.sleep(0.05)
    return value


class Api:
    """The HTTP API with one owner's key."""

    def __init__(self, url: str, key: str | None = None) -> None:
        self._place = urlsplit(url)
        self._headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})

    def __call__(self, method: str, path: str, body: object = None) -> Any:
        """Return what was answered. Fail if the request was refused."""
        status, told = self.answer(method, path, body)
        assert status < 300, f"{method} {path}: {told}"
        return json.loads(told or b"null")

    def refusal(self, method: str, path: str, body: object = None) -> tuple[int, str]:
        """Return the status and the code of the problem. Fail if the request was not refused."""
        status, told = self.answer(method, path, body)
        assert status >= 400, f"{method} {path}: {told}"
        return status, json.loads(told)["code"]

    def answer(self, method: str, path: str, body: object = None) -> tuple[int, bytes]:
        """Return the status and the body of the answer, whatever they are."""
        connection = HTTPConnection(self._place.hostname or "", self._place.port, timeout=LIMIT)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), self._headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()


def answers(url: str, path: str) -> bool:
    """True if a server accepts connections there and answers, whatever it answers."""
    place = urlsplit(url)
    connection = HTTPConnection(place.hostname or "", place.port, timeout=LIMIT)
    try:
        connection.request("GET", path)
        connection.getresponse().read()
    except ConnectionError:
        return False
    finally:
        connection.close()
    return True


def free_port() -> int:
    with create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]
