"""The server under test: one process of the service on its own core, with Redis on the core of the load."""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from socket import create_connection, create_server
from tempfile import TemporaryDirectory

from msgspec import Struct

from benchmarks.cores import CORES, on
from splito_service.processes.embedded_redis import open_server

HOST = "127.0.0.1"
START_LIMIT = 60.0
STOP_LIMIT = 20.0
POLL = 0.05
"""Seconds."""
UNREACHED = "999999999"
"""Requests per minute: the code of the limits runs for every request, and refuses none."""
CONNECTIONS = 8192
"""Requests that granian serves at the same time; its default of 1,024 is too few, because a stream is one request."""


class Running(Struct, frozen=True):
    port: int
    redis_url: str


@contextmanager
def serving() -> Generator[Running]:
    """Run this process on the core of the load while the context is entered."""
    _allow_files(2 * CONNECTIONS)
    with TemporaryDirectory() as folder, on(CORES[-1:]), open_server(Path(folder)) as redis:
        with on(CORES[:1]):
            process, port = _start(redis.url)
        try:
            _wait(process, port)
            yield Running(port, redis.url)
        finally:
            _stop(process)


def cores_told() -> str:
    if len(CORES) < 2:
        return "Service, load and Redis shared what cores there were, so these ratios mean little."
    return f"One service process on core {CORES[0]}; the load and Redis share core {CORES[-1]}."


def _start(redis_url: str) -> tuple["subprocess.Popen[bytes]", int]:
    port = free_port()
    options = {
        "interface": "asgi",
        "loop": "uvloop",
        "host": HOST,
        "port": port,
        "log-level": "warning",
        "backlog": CONNECTIONS,
        "backpressure": CONNECTIONS,
    }
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SPLITO_")}
    environment |= {"SPLITO_REDIS_URL": redis_url, "SPLITO_RATE": UNREACHED, "SPLITO_CREATE_RATE": UNREACHED}
    environment |= {"SPLITO_CONNECTIONS": UNREACHED, "SPLITO_STREAMS": UNREACHED, "SPLITO_BOT_MATCHES": "0"}
    command = [sys.executable, "-m", "granian", *words, "--no-ws", "--factory", "benchmarks.serving.served:create"]
    root = Path(__file__).parents[2]
    return subprocess.Popen(command, env=environment, cwd=root), port


def _wait(process: "subprocess.Popen[bytes]", port: int) -> None:
    """Wait for the first answer, because granian listens before its worker does."""
    while process.poll() is None:
        with closing(HTTPConnection(HOST, port, timeout=START_LIMIT)) as connection:
            try:
                connection.request("GET", "/health/ready")
            except ConnectionRefusedError:
                time.sleep(POLL)
                continue
            if connection.getresponse().status == 200:
                return
    raise RuntimeError(f"the server under test ended with {process.returncode}")


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(STOP_LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def await_port(port: int) -> None:
    """Wait until a server listens at the port."""
    end = time.monotonic() + START_LIMIT
    while time.monotonic() < end:
        try:
            create_connection((HOST, port)).close()
        except ConnectionRefusedError:
            time.sleep(POLL)
        else:
            return
    raise RuntimeError(f"nobody listens on port {port}")


def free_port() -> int:
    with create_server((HOST, 0)) as found:
        return found.getsockname()[1]


def _allow_files(count: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < count:
        most = count if hard == resource.RLIM_INFINITY else min(count, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
