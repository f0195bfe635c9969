"""A service process of its own, that can be killed."""

import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx
import redis

from splito_service.processes.embedded_redis import Server

LIMIT = 60.0
NO_LIMITS = {"SPLITO_RATE": "0", "SPLITO_CREATE_RATE": "0", "SPLITO_BOT_MATCHES": "0"}


class Process:
    """A server process as `splito serve` starts it, on a socket that outlives it."""

    def __init__(self, listener: socket.socket, environ: Mapping[str, str], files: int | None = None) -> None:
        self._listener, self._environ, self._files = listener, environ, files
        self.port: int = listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.popen = self._start()

    def _start(self) -> "subprocess.Popen[bytes]":
        number = self._listener.fileno()
        command = [sys.executable, "-m", "splito_service.http.process", str(number)]
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            pass_fds=[number],
            env=self._environ,
            preexec_fn=self._limit_files if self._files else None,  # noqa: PLW1509 (it only sets a limit)
        )

    def _limit_files(self) -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (self._files or 0, self._files or 0))

    def kill(self) -> None:
        """At once, without a word to it."""
        self.popen.kill()
        self._bury()

    def stop(self) -> None:
        self.popen.terminate()
        self._bury()

    def _bury(self) -> None:
        self.popen.wait(LIMIT)
        if self.popen.stdin:
            self.popen.stdin.close()

    def restart(self) -> None:
        self.popen = self._start()
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + LIMIT
        while not _answers(f"{self.url}/health/ready"):
            assert self.popen.poll() is None, "the service has ended"
            assert time.monotonic() < deadline, "the service is not ready"
            time.sleep(0.02)


@contextmanager
def running(redis_url: str, settings: Mapping[str, str] = NO_LIMITS, files: int | None = None) -> Generator[Process]:
    """Yield a process that is ready and may open `files` files, or as many as this process."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SPLITO_")}
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        process = Process(listener, {**clean, "SPLITO_REDIS_URL": redis_url, **settings}, files)
        try:
            process.wait_until_ready()
            yield process
        finally:
            process.stop()


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=LIMIT).is_success
    except httpx.TransportError:
        return False


def kill_redis(server: Server) -> None:
    """And have it started again."""
    connection: Any = redis.Redis.from_url(server.url)  # pyright: ignore[reportUnknownMemberType]
    process_id = connection.info("server")["process_id"]
    connection.close()
    os.kill(process_id, signal.SIGKILL)
    server.ensure()
