"""A service with a worker on this machine, as processes that a journey may start, kill and start again."""

import os
import signal
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from socket import AF_UNIX, socket
from typing import Any
from urllib.parse import urlsplit

from tests.journeys.commands import Api, Command, Finished, finished, started, until

LONG = os.environ.get("SPLITO_JOURNEYS") == "long"
PULL_INFO = {"name": "Pull", "author": "Ada", "version": "1", "games": ["splito", "splitit", "splitter"]}
PATIENT = {"turn_ms": 60_000, "bank_ms": 600_000}
"""The clock of every bot, because a busy machine must not decide a journey."""
DEVELOPMENT = {"SPLITO_DEV": "1", "SPLITO_RATE": "0", "SPLITO_CREATE_RATE": "0"}


class Arena:
    """A service with a worker on this machine, and the bots that play there."""

    def __init__(self, stack: ExitStack, folder: Path, settings: Mapping[str, str] = DEVELOPMENT) -> None:
        self._stack, self.folder = stack, folder
        self._environ = {"SPLITO_DATA": str(folder / "redis"), **settings}
        self.service = self.start("splito", "serve", "--port", "0", "--json")
        told = self.service.line()
        self.url, self.redis = str(told["url"]), str(told["redis"])
        self.worker = self.start_worker()

    def start_worker(self, **environ: str) -> Command:
        worker = self.start("splito", "worker", "--json", **environ)
        worker.line()
        return worker

    def kill_service(self) -> None:
        """Kill the service with all its processes but Redis, and start it again at the same address."""
        self.service.popen.kill()
        self.service.popen.wait()
        self.service = self.start("splito", "serve", "--port", self.url.rpartition(":")[2], "--json")
        assert self.service.line()["url"] == self.url

    def kill_worker(self) -> None:
        """Kill the worker, and with it the shift that it works on, and start it again."""
        self.worker.popen.kill()
        self.worker.popen.wait()
        self.worker = self.start_worker()

    def kill_redis(self) -> None:
        """Kill the Redis of the service; its supervisor starts it again."""
        with socket(AF_UNIX) as redis:
            redis.connect(urlsplit(self.redis).path)
            redis.sendall(b"INFO server\r\n")
            told = redis.recv(65_536).decode()
        os.kill(int(told.partition("process_id:")[2].split()[0]), signal.SIGKILL)

    def kill_shift(self) -> None:
        """Kill the process that plays blocks, while its worker lives."""
        until(lambda: len(self.shifts("begins")) > len(self.shifts("ends")), lambda: self.worker.log)
        with suppress(ProcessLookupError):  # it may just have ended
            os.kill(self.shifts("begins")[-1], signal.SIGKILL)

    def run(self, *words: str) -> Finished:
        """Run a command to its end."""
        return finished(words, self._environ, self.folder)

    def start(self, *words: str, **environ: str) -> Command:
        return self._stack.enter_context(started(words, {**self._environ, **environ}, self.folder))

    def owner(self, name: str) -> str:
        return Api(self.url)("POST", "/v1/owners", {"name": name})["key"]

    def register(self, key: str, name: str, address: str | None) -> Mapping[str, Any]:
        kind = {"kind": "push", "url": address} if address else {"kind": "pull"}
        return Api(self.url, key)("POST", "/v1/bots", {"name": name, **kind})

    def make_ready(self, key: str, bot: str) -> None:
        """Prove a push bot, tell what a pull bot plays, and have it checked if the cup is ranked."""
        api = Api(self.url, key)
        if api("GET", f"/v1/bots/{bot}")["kind"] == "push":
            api("POST", f"/v1/bots/{bot}/proof")
        else:
            api("PUT", f"/v1/bots/{bot}/info", PULL_INFO)
        if LONG:
            until(lambda: self._passes(api, f"/v1/bots/{bot}/checks"))

    def _passes(self, api: Api, path: str) -> bool:
        """True if a whole check passes: on a busy machine one may fail for being slow, and is made again."""
        check = api("POST", path, {})
        return until(lambda: (told := api("GET", f"{path}/{check['id']}"))["state"] != "running" and told)["passed"]

    def shifts(self, what: str) -> list[int]:
        """The processes of the shifts that have begun or ended, as the worker's log tells."""
        return [int(line.split()[-1]) for line in self.worker.log.splitlines() if f" {what} in process " in line]
