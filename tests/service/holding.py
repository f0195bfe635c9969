"""Tournaments over HTTP: a service, a worker that plays them, and an organiser."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import msgspec
from redis import Redis

from splito_service.storage.rq_keys import WORKERS

LIMIT = 60.0
CONNECTIONS = 10
"""Connections of a minute each in which a tournament or experiment must come to its end, on however busy a machine."""
SMALL: dict[str, Any] = {
    "name": "Small",
    "game": "splitter",
    "players": 2,
    "format": {"kind": "round-robin", "blocks": 3},
    "bots": ["greedy", "random", "planner"],
}
"""Three tables, nine blocks, eighteen games."""

SHORT: dict[str, Any] = {
    "game": "splitter",
    "players": 2,
    "new": "planner",
    "old": "random",
    "field": ["greedy"],
    "question": {"least": 10, "cap": 60, "batch": 10, "measure": "points"},
}
"""An experiment that is soon decided."""


@contextmanager
def working(redis_url: str) -> Generator[None]:
    """Run `splito worker` with one process, from when it is registered as a worker to the end of the block."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SPLITO_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "splito_cli", "worker", "--json"],
        env={**clean, "SPLITO_REDIS_URL": redis_url, "SPLITO_ALLOW_PRIVATE_BOTS": "1"},
        stdout=subprocess.DEVNULL,
    )
    try:
        _wait_for_worker(redis_url)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(LIMIT)


def _wait_for_worker(redis_url: str) -> None:
    """Return when a worker is registered: until then an organiser is told that no worker is running."""
    limit = time.monotonic() + LIMIT
    with Redis.from_url(redis_url) as redis:  # pyright: ignore[reportUnknownMemberType] (redis-py's own annotations)
        while not redis.scard(WORKERS):
            assert time.monotonic() < limit, "no worker is registered"
            time.sleep(0.05)


class Organiser:
    """An owner, with a key of all scopes."""

    def __init__(self, api: httpx.Client, name: str = "Ada") -> None:
        self.api = api
        made = api.post("/v1/owners", json={"name": name}).json()
        self.id, self.key = made["id"], made["key"]
        self.headers = {"Authorization": f"Bearer {self.key}"}

    def ask(self, method: str, path: str, body: Any = None) -> httpx.Response:
        return self.api.request(method, path, headers=self.headers, json=body)

    def hold(self, **changes: Any) -> str:
        """The path of a tournament."""
        made = self.ask("POST", "/v1/tournaments", SMALL | changes)
        assert made.status_code == 201, made.text
        assert made.headers["Location"] == f"/v1/tournaments/{made.json()['id']}"
        return made.headers["Location"]

    def experiment(self, **wanted: Any) -> str:
        made = self.ask("POST", "/v1/experiments", wanted)
        assert made.status_code == 201, made.text
        return made.headers["Location"]

    def wait(self, path: str) -> list[tuple[str, Any]]:
        """Return all events to the end, over as many connections as a busy machine needs."""
        events: list[dict[str, str]] = []
        for _ in range(CONNECTIONS):
            events += watch(self.api, path, events[-1]["id"] if events else None)
            if events[-1]["event"] == "over":
                return [(event["event"], msgspec.json.decode(event["data"])) for event in events]
        raise AssertionError(f"{path} is not over after {len(events)} events: {events[-1]}")


def watch(api: httpx.Client, path: str, last: str | None = None, seconds: int = 60) -> Iterator[dict[str, str]]:
    """The events of one connection."""
    headers = {} if last is None else {"Last-Event-ID": last}
    with api.stream("GET", f"{path}/events", params={"seconds": seconds}, headers=headers) as response:
        assert response.status_code == 200, response.read()
        event: dict[str, str] = {}
        for line in response.iter_lines():
            name, _, value = line.partition(": ")
            if name and value:
                event[name] = value
            elif "data" in event:
                yield event
                event = {}
            else:
                event = {}
