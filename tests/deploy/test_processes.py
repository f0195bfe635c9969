"""Each container's command as a plain process, with the same words and the same environment.

Redis is the server that the tests have anyway, in place of that of its image. Ports and folders are others here: there
is no network between containers.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
import redis as redis_py

from splito_service.processes.embedded_redis import find_binary
from tests.deploy.files import entrypoint, services, stages, words_of

LIMIT = 60.0
BIN = Path(sys.executable).parent
CLIENT = "import redis, sys; redis.Redis(port=int(sys.argv[1])).ping()"
"""Do what `valkey-cli ping` does, because `valkey-cli` is only in the image."""


class Container(NamedTuple):
    command: list[str]
    environ: Mapping[str, str]
    health: list[str]
    grace: float
    """Seconds after which Docker would kill it."""
    process: "subprocess.Popen[bytes]"
    port: int | None
    """Port on this machine; None for a worker."""

    def become_well(self) -> None:
        """Wait for the port, then for the health command: it is a new process each time, which takes half a second."""
        until(self._is_open)
        until(self.is_well)

    def _is_open(self) -> bool:
        time.sleep(0.02)
        with socket.socket() as client:
            return self.port is None or client.connect_ex(("127.0.0.1", self.port)) == 0

    def is_well(self) -> bool:
        done = subprocess.run(self.health, env=self.environ, capture_output=True, check=False, timeout=LIMIT)
        return done.returncode == 0

    def stop(self) -> int:
        """Stop the process as Docker does, and return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(self.grace)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


def until(condition: Callable[[], bool]) -> None:
    limit = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < limit, "it did not come true in time"


def image_environ() -> dict[str, str]:
    """Variables that the Dockerfile sets; only the folder of the program differs here."""
    [words] = words_of(stages()[-1], "ENV")
    found = dict(word.split("=", 1) for word in words.split())
    found["PATH"] = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    return found


@contextmanager
def running(name: str, folder: Path, ports: Mapping[str, int]) -> Generator[Container]:
    """A service of the compose file; `ports` says which stand for those of the containers."""

    def here(text: str) -> str:
        for place, port in ports.items():
            text = text.replace(place, f"127.0.0.1:{port}" if ":" in place else str(port))
        return text

    service = services()[name]
    environ = {key: here(value) for key, value in {**image_environ(), **service.get("environment", {})}.items()}
    environ["SPLITO_DATA"] = str(folder / "data")
    words = [here(word) for word in service["command"]]
    if name == "redis":
        words = [word.replace("/data", str(folder)) for word in words]
        command = [find_binary(), *words, "--port", str(ports["redis:6379"]), "--bind", "127.0.0.1"]
        health = [sys.executable, "-c", CLIENT, str(ports["redis:6379"])]
        environ.pop("SPLITO_DATA")
    else:
        command = [str(BIN / entrypoint()[0]), *words]
        health = [str(BIN / service["healthcheck"]["test"][1]), *map(here, service["healthcheck"]["test"][2:])]
    with subprocess.Popen(command, env=environ, cwd=folder, stdout=subprocess.DEVNULL) as process:
        try:
            port = ports.get({"redis": "redis:6379", "service": "8000"}.get(name, ""))
            grace = _seconds(service.get("stop_grace_period", "10s"))
            yield Container(command, environ, health, grace, process, port)
        finally:
            process.kill()


def _seconds(text: str) -> float:
    found = re.fullmatch(r"(\d+)s", text)
    assert found
    return float(found[1])


def arena_ports() -> dict[str, int]:
    service = free_port()
    return {"redis:6379": free_port(), "127.0.0.1:8000": service, "8000": service}


def test_all_containers_run_are_healthy_and_stop_on_request(tmp_path: Path) -> None:
    ports = arena_ports()
    with ExitStack() as stack:
        redis = stack.enter_context(running("redis", tmp_path, ports))
        redis.become_well()
        service = stack.enter_context(running("service", tmp_path, ports))
        service.become_well()
        worker = stack.enter_context(running("worker", tmp_path, ports))
        worker.become_well()
        url = f"http://127.0.0.1:{ports['8000']}"
        made = httpx.post(f"{url}/v1/splitter/matches", json={"seats": [{"kind": "bot", "bot": "random"}]})
        assert made.status_code == 201, made.text
        assert [worker.stop(), service.stop()] == [0, 0]
        assert [worker.is_well(), service.is_well()] == [False, False]
        assert redis.stop() == 0
    assert (tmp_path / "appendonlydir").is_dir()
    assert not (tmp_path / "data").exists()  # nobody has started a server of its own


@pytest.mark.parametrize("name", ["service", "worker"])
def test_a_container_that_cannot_work_is_unhealthy(name: str, tmp_path: Path) -> None:
    """Without Redis the process goes on, and waits for it."""
    ports = arena_ports()
    with running(name, tmp_path, ports) as container:
        assert not container.is_well()
        assert container.process.poll() is None


def test_restarting_all_containers_loses_nothing(tmp_path: Path) -> None:
    ports = arena_ports()
    url, codes = f"http://127.0.0.1:{ports['8000']}/v1/splitter/matches", list[int]()
    place = ""
    for _ in range(2):
        with running("redis", tmp_path, ports) as redis, running("service", tmp_path, ports) as service:
            service.become_well()
            if not place:
                place = httpx.post(url, json={"seats": [{"kind": "open"}, {"kind": "open"}]}).headers["Location"]
            codes.append(httpx.get(f"http://127.0.0.1:{ports['8000']}{place}").status_code)
            codes += [service.stop(), redis.stop()]
    assert codes == [200, 0, 0, 200, 0, 0]


def test_a_backup_of_a_running_service_can_be_restored(tmp_path: Path) -> None:
    """The steps are those of docs/deploy.md."""
    ports, folders = arena_ports(), [tmp_path / "one", tmp_path / "other"]
    for folder in folders:
        folder.mkdir()
    with running("redis", folders[0], ports) as redis, client(ports["redis:6379"]) as connection:
        redis.become_well()
        connection.mset({f"before:{number}": number for number in range(1000)})
        connection.config_set("auto-aof-rewrite-percentage", 0)
        assert connection.info("persistence")["aof_rewrite_in_progress"] == 0
        shutil.copytree(folders[0] / "appendonlydir", folders[1] / "appendonlydir")
        connection.set("after", 1)
    with running("redis", folders[1], ports) as restored, client(ports["redis:6379"]) as connection:
        restored.become_well()
        assert connection.dbsize() == 1000
        assert connection.get("before:999") == b"999"


@contextmanager
def client(port: int) -> Generator[Any]:
    connection: Any = redis_py.Redis(port=port)
    try:
        yield connection
    finally:
        connection.close()
