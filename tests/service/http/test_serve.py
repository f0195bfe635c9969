"""The service as people start it: real processes, real HTTP, really killed."""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from redis import Redis

from splito_service.processes.embedded_redis import open_server

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")

LIMIT = 60.0
"""Seconds that anything may take on a busy machine, unless a test is about how long it takes."""
PERSONS = {"seats": [{"kind": "person", "name": "Ada"}, {"kind": "person", "name": "Ben"}]}
BOTS = {"seats": [{"kind": "bot"}, {"kind": "bot", "bot": "greedy"}]}
MATCHES = "/v1/splito/matches"


def until(condition: Callable[[], object], seconds: float = LIMIT) -> None:
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "it did not come true in time"
        time.sleep(0.01)


def processes(folder: Path, word: str = "") -> list[int]:
    """All that were started for a service of that folder and still run, with that word in their command."""
    mark = f"SPLITO_DATA={folder}\0".encode()
    pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]
    return [pid for pid in pids if mark in look(pid, "environ") and word.encode() in look(pid, "cmdline")]


def look(pid: int, file: str) -> bytes:
    """Return the content of a file in /proc of a process; empty if the process has ended."""
    try:
        return Path(f"/proc/{pid}/{file}").read_bytes()
    except OSError:
        return b""


def workers(folder: Path) -> list[int]:
    return processes(folder, "splito_service.http.process")


def hears(pid: int, number: signal.Signals) -> bool:
    """Whether it has a handler for that signal, which would end it otherwise."""
    caught = [line.split()[1] for line in look(pid, "status").splitlines() if line.startswith(b"SigCgt:")]
    return any(int(mask, 16) >> (number - 1) & 1 for mask in caught)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Check after each test that no process of the data folder is left."""
    folder = tmp_path / "data"
    yield folder
    try:
        until(lambda: not processes(folder))
    finally:
        for pid in processes(folder):
            os.kill(pid, signal.SIGKILL)


@contextmanager
def splito(folder: Path, *words: str, **environ: str) -> Generator["subprocess.Popen[str]"]:
    """`splito serve --json`, with its data in that folder."""
    process = subprocess.Popen(
        [sys.executable, "-m", "splito_cli", "serve", "--json", *(words or ("--port", "0"))],
        env={**os.environ, "SPLITO_DATA": str(folder), "SPLITO_DURABILITY": "always", **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


class Served(NamedTuple):
    process: "subprocess.Popen[str]"
    client: httpx.Client
    redis: str

    def new_match(self, wanted: dict[str, Any] = PERSONS) -> str:
        """Its address."""
        return self.client.post(MATCHES, json=wanted).raise_for_status().headers["location"]

    def is_ready(self) -> bool:
        return self.client.get("/health/ready").status_code == 200

    def stop(self, number: int = signal.SIGTERM, seconds: float = 10) -> str:
        """Return what the process wrote to stderr."""
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=seconds)
        assert self.process.returncode == 0
        return errors


@contextmanager
def serving(folder: Path, *words: str, **environ: str) -> Generator[Served]:
    with splito(folder, *words, **environ) as process:
        line = read_line(process)
        with httpx.Client(base_url=line["url"], timeout=LIMIT) as client:
            yield Served(process, client, line["redis"])


def read_line(process: "subprocess.Popen[str]") -> dict[str, str]:
    assert has_output(process, LIMIT), "it is not ready in time"
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


def has_output(process: "subprocess.Popen[str]", seconds: float = 0) -> bool:
    assert process.stdout is not None
    return bool(select.select([process.stdout], [], [], seconds)[0])


def redis_process(url: str) -> int:
    client: Any = Redis.from_url(url)  # pyright: ignore[reportUnknownMemberType]
    with client:
        return client.info("server")["process_id"]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


def check_unavailable(answer: httpx.Response) -> None:
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert answer.headers["content-type"] == "application/problem+json"


def test_serve_creates_its_folder_and_announces_itself_when_ready(folder: Path) -> None:
    with serving(folder) as served:
        assert served.is_ready()
        assert served.client.get("/health/live").status_code == 200
        assert served.client.get("/v1/games").json()["games"]
        assert folder.is_dir()
        assert served.stop() == ""  # nor is there an access log


def test_house_bots_of_a_started_service_play_a_whole_match(folder: Path) -> None:
    with serving(folder) as served:
        address = served.new_match(BOTS)
        until(lambda: served.client.get(f"{address}?after=99&wait=30").json()["status"] == "over")
        assert served.client.get(f"{address}/record").status_code == 200


def test_a_killed_redis_comes_back_with_all_matches(folder: Path) -> None:
    answers: list[httpx.Response] = []

    def recovered() -> bool:
        answers.extend(served.client.get(path) for path in (address, "/health/ready"))
        return all(answer.status_code == 200 for answer in answers[-2:]) and redis_process(served.redis) != killed

    with serving(folder) as served:
        address = served.new_match()
        killed = redis_process(served.redis)
        os.kill(killed, signal.SIGKILL)
        until(recovered)
        for answer in answers:
            if answer.status_code != 200:
                check_unavailable(answer)
        assert served.client.get(served.new_match()).status_code == 200


def test_serve_starts_without_redis_and_is_ready_when_redis_is(folder: Path, tmp_path: Path) -> None:
    with open_server(tmp_path / "other") as server:
        url = server.url
    until(lambda: not server.address.exists())
    port = free_port()
    with splito(folder, "--port", str(port), SPLITO_REDIS_URL=url) as process:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=LIMIT) as client:
            until(lambda: answers(client, "/health/live") == 200)
            check_unavailable(client.get("/health/ready"))
            check_unavailable(client.get("/v1/games"))
            assert not has_output(process)
            with open_server(tmp_path / "other"):
                assert read_line(process)["redis"] == url
                address = Served(process, client, url).new_match()
                assert client.get(address).status_code == 200
        assert not folder.exists()


def answers(client: httpx.Client, path: str) -> int | None:
    try:
        return client.get(path).status_code
    except httpx.ConnectError:
        return None


def test_services_of_one_folder_see_the_same_matches(folder: Path) -> None:
    with serving(folder) as first, serving(folder) as second:
        assert (first.redis, first.client.base_url == second.client.base_url) == (second.redis, False)
        address = first.new_match()
        assert second.client.get(address).json() == first.client.get(address).json()
        first.stop()
        assert second.client.get(address).status_code == 200


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_serve_stops_while_clients_still_wait(number: signal.Signals, folder: Path) -> None:
    with serving(folder) as served:
        address = served.new_match()
        with served.client.stream("GET", f"{address}/events") as stream, closing(waiting(served, address)) as waits:
            lines = stream.iter_lines()
            assert next(lines) == "retry: 1000"
            assert served.stop(number) == ""
            assert "event: seats" in list(lines)  # and it ends as it should
            answer = waits.getresponse()
            assert (answer.status, json.loads(answer.read()).get("code")) == (503, "unavailable")
    until(lambda: not processes(folder), 10)


def waiting(served: Served, address: str) -> HTTPConnection:
    """A request that waits for a move, and that the service has read."""
    url = served.client.base_url
    connection = HTTPConnection(url.host, url.port, timeout=LIMIT)
    connection.request("GET", f"{address}?after=5&wait=30")
    until(lambda: has_been_read(connection.sock))
    return connection


def has_been_read(sent: socket.socket) -> bool:
    """All that was sent there, as the kernel's table of connections has it at the other end.

    Both ports say which one: connections of others, to other servers, may have the same port as ours.
    """
    ends = [sent.getpeername()[1], sent.getsockname()[1]]
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    unread = [row[4].partition(":")[2] for row in rows if [int(end.partition(":")[2], 16) for end in row[1:3]] == ends]
    return unread == ["00000000"]


def test_a_process_that_does_not_stop_is_killed(folder: Path) -> None:
    with serving(folder) as served:
        (frozen,) = workers(folder)
        os.kill(frozen, signal.SIGSTOP)
        assert f"process {frozen} did not stop and is killed" in served.stop(seconds=LIMIT)


def test_no_child_process_survives_a_killed_serve(folder: Path) -> None:
    with serving(folder, "--port", "0", "--workers", "2") as served:
        address = served.new_match(BOTS)
        until(lambda: served.client.get(f"{address}?after=0&wait=30").json()["turn"] > 0)
        assert processes(folder, "splito_arena.bots.subprocess_main")
        assert len(workers(folder)) == 2
        served.process.kill()
        until(lambda: not processes(folder), 15)


def test_a_killed_server_process_is_replaced_without_refused_requests(folder: Path) -> None:
    with serving(folder) as served:
        address = served.new_match()
        (killed,) = workers(folder)
        os.kill(killed, signal.SIGKILL)
        with httpx.Client(base_url=served.client.base_url, timeout=LIMIT) as other:
            assert other.get(address).status_code == 200
        assert workers(folder) != [killed]
        assert f"process {killed} ended with code -9 and is replaced" in served.stop()


def test_a_server_process_that_is_terminated_is_replaced(folder: Path) -> None:
    with serving(folder, "--port", "0", "--workers", "2") as served:
        first, _ = workers(folder)
        until(lambda: hears(first, signal.SIGTERM))  # the service is ready as soon as either of them is
        os.kill(first, signal.SIGTERM)
        until(lambda: first not in workers(folder) and len(workers(folder)) == 2)
        assert served.is_ready()
        assert f"process {first} ended with code 0 and is replaced" in served.stop()


def test_server_processes_do_not_receive_signals_of_the_terminal(folder: Path) -> None:
    with serving(folder) as served:
        (worker,) = workers(folder)
        assert os.getsid(worker) != os.getsid(served.process.pid)


def test_serve_listens_on_ipv6(folder: Path) -> None:
    if not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    with serving(folder, "--host", "::1", "--port", "0") as served:
        assert str(served.client.base_url).startswith("http://[::1]:")
        assert served.is_ready()


def test_serve_on_all_addresses_announces_the_local_address(folder: Path) -> None:
    with serving(folder, "--host", "0.0.0.0", "--port", "0") as served:  # noqa: S104 (that is the test)
        assert str(served.client.base_url).startswith("http://127.0.0.1:")
        assert served.is_ready()


def test_development_mode_is_logged_once_and_lets_every_owner_hold_ranked_tournaments(folder: Path) -> None:
    ranked = {"name": "Cup", "game": "splitter", "players": 2, "format": {"kind": "ladder"}, "ranked": True}
    with serving(folder, "--port", "0", "--workers", "2", "--dev") as served:
        made = served.client.post("/v1/owners", json={"name": "Ada"}).json()
        headers = {"Authorization": f"Bearer {made['key']}"}
        body = {**ranked, "bots": ["greedy", "random"]}
        answer = served.client.post("/v1/tournaments", json=body, headers=headers)
        assert answer.status_code == 201, answer.text
        said = served.stop().splitlines()
    assert len([line for line in said if "development mode: every owner is an organiser" in line]) == 1, said


@pytest.mark.parametrize(("organisers", "told"), [("*", 1), ("", 0)])
def test_serve_warns_once_if_every_owner_is_an_organiser(folder: Path, organisers: str, told: int) -> None:
    with serving(folder, SPLITO_ORGANISERS=organisers) as served:
        said = served.stop().splitlines()
    assert len([line for line in said if "every owner may hold ranked tournaments" in line]) == told, said
