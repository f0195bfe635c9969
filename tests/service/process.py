"""A service process of its own, that can be killed."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import msgspec
import redis

from service.embedded import Server

LIMIT = 60.0
NO_LIMITS = {"SPLITO_RATE": "0", "SPLITO_CREATE_RATE": "0"}


class Process(msgspec.Struct):
    redis_url: str
    port: int
    settings: Mapping[str, str]
    popen: "subprocess.Popen[bytes]"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def kill(self) -> None:
        """At once, without a word to it, and its children with it."""
        os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.wait()

    def restart(self) -> None:
        self.popen = _start(self.redis_url, self.port, self.settings)
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + LIMIT
        while not _answers(f"{self.url}/health/ready"):
            assert self.popen.poll() is None, "the service has ended"
            assert time.monotonic() < deadline, "the service is not ready"
            time.sleep(0.02)


@contextmanager
def running(redis_url: str, settings: Mapping[str, str] = NO_LIMITS) -> Generator[Process]:
    port = free_port()
    process = Process(redis_url, port, settings, _start(redis_url, port, settings))
    try:
        process.wait_until_ready()
        yield process
    finally:
        process.popen.terminate()
        try:
            process.popen.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _start(redis_url: str, port: int, settings: Mapping[str, str]) -> "subprocess.Popen[bytes]":
    command = [str(Path(sys.executable).with_name("granian")), "--interface", "asgi", "--loop", "uvloop", "--factory"]
    command += ["--port", str(port), "--no-ws", "--log-level", "error", "service.app:from_environment"]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SPLITO_")}
    environment = {**clean, "SPLITO_REDIS_URL": redis_url, **settings}
    return subprocess.Popen(command, env=environment, start_new_session=True)  # noqa: S603 (our own)


def _answers(url: str) -> bool:
    try:
        return httpx.get(url).is_success
    except httpx.TransportError:
        return False


def kill_redis(server: Server) -> None:
    """And have it started again."""
    connection: Any = redis.Redis.from_url(server.url)  # pyright: ignore[reportUnknownMemberType]
    process_id = connection.info("server")["process_id"]
    connection.close()
    os.kill(process_id, signal.SIGKILL)
    server.ensure()
