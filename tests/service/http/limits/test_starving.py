"""A client that stalls, hoards connections or does not read cannot block the requests of other clients.

The service may open 256 files here. Attackers connect from other addresses of the loopback network than the others.
"""

import asyncio
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from litestar import Litestar

from splito_engine.errors import BadSetting
from splito_service.http.limits.admission import Admission
from splito_service.http.limits.connections import Connection, Peer, capacity_for, connections, drop, peer_of
from splito_service.processes.embedded_redis import open_server
from splito_service.settings import Settings
from tests.service.matches.test_api import Table, persons, problem
from tests.service.matches.test_events import read_events, turns_of, watch
from tests.service.process import NO_LIMITS, Process, running

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="all of 127.0.0.0/8 is here on Linux only")

FILES = 256
LIMIT = 60.0
STREAMS = 5
HEAD = "POST /v1/owners HTTP/1.1\r\nHost: arena\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"
ATTACKER, OTHER = "127.0.0.66", "127.0.0.7"


def until(condition: Callable[[], object]) -> None:
    limit = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < limit, "it did not come true in time"
        time.sleep(0.01)


@pytest.fixture(scope="module")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with open_server(tmp_path_factory.mktemp("starving"), "everysec") as server:
        yield server.url


@pytest.fixture(scope="module")
def patient(redis_url: str) -> Iterator[Process]:
    """A service with time limits of an hour, so that only its limits of numbers protect it."""
    hours = {f"SPLITO_{name}_SECONDS": "3600" for name in ("BODY", "IDLE", "STALL")}
    with running(redis_url, NO_LIMITS | hours | {"SPLITO_STREAMS": str(STREAMS)}, FILES) as process:
        yield process


@pytest.fixture(scope="module")
def strict(redis_url: str) -> Iterator[Process]:
    """A service that waits for a second."""
    short = {"SPLITO_BODY_SECONDS": "1", "SPLITO_IDLE_SECONDS": "1"}
    with running(redis_url, NO_LIMITS | short, FILES) as process:
        yield process


@pytest.fixture(scope="module")
def hasty(redis_url: str) -> Iterator[Process]:
    """A service that waits for a second for clients to read, and for an hour for anything else."""
    limits = {"SPLITO_BODY_SECONDS": "3600", "SPLITO_IDLE_SECONDS": "3600", "SPLITO_STALL_SECONDS": "1"}
    with running(redis_url, NO_LIMITS | limits, FILES) as process:
        yield process


@pytest.fixture
def crowd() -> Iterator[ExitStack]:
    """Closes all sockets of a test."""
    with ExitStack() as stack:
        yield stack


def connect(crowd: ExitStack, process: Process, source: str, sent: str = "") -> socket.socket:
    opened = crowd.enter_context(socket.create_connection(("127.0.0.1", process.port), LIMIT, (source, 0)))
    opened.sendall(sent.encode())
    return opened


def other(process: Process) -> httpx.Client:
    """A client at an address of its own."""
    return httpx.Client(base_url=process.url, timeout=LIMIT, transport=httpx.HTTPTransport(local_address=OTHER))


def check_others_go_on(process: Process) -> None:
    for _ in range(3):
        assert httpx.get(f"{process.url}/health/ready", timeout=3).status_code == 200
    with other(process) as api:
        assert Table(api, "splito", persons(2)).play_out()["status"] == "over"


def accepted(process: Process) -> int:
    """Connections that the process holds, as the kernel counts them."""
    path = Path(f"/proc/{process.popen.pid}/fd")
    inodes = {found.readlink().name for found in path.iterdir() if found.exists() or found.is_symlink()}
    rows = [line.split() for line in Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]]
    return sum(f"socket:[{row[9]}]" in inodes and int(row[1].partition(":")[2], 16) == process.port for row in rows) - 1


def read_all(opened: socket.socket) -> bytes:
    """All that comes until the connection is closed."""
    parts: list[bytes] = []
    try:
        while part := opened.recv(65_536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def status_of(answer: bytes) -> int:
    return int(answer.split()[1])


def test_three_hundred_stalled_bodies_of_one_client_do_not_block_other_clients(
    patient: Process, crowd: ExitStack
) -> None:
    stalled = [connect(crowd, patient, ATTACKER, HEAD + '{"name": ') for _ in range(300)]
    check_others_go_on(patient)
    refused = read_all(stalled[-1])
    assert status_of(refused) == 429
    assert b'"too-many-connections"' in refused


def test_stalled_bodies_of_many_clients_do_not_block_health_checks(patient: Process, crowd: ExitStack) -> None:
    stalled = [connect(crowd, patient, f"127.0.1.{number}", HEAD) for number in range(1, 251)]
    for _ in range(3):
        assert httpx.get(f"{patient.url}/health/ready", timeout=3).status_code == 200
    refused = read_all(stalled[-1])
    assert status_of(refused) == 503
    assert b'"busy"' in refused


@pytest.mark.parametrize("sent", ["", "GET /v1/games HTTP/1.1\r\nHost: ar"])
def test_silent_connections_are_closed_when_there_are_too_many(patient: Process, crowd: ExitStack, sent: str) -> None:
    silent = [connect(crowd, patient, ATTACKER, sent) for _ in range(300)]
    check_others_go_on(patient)
    read_all(silent[0])
    until(lambda: accepted(patient) <= (FILES - FILES // 4) // 2 + 1)


def test_silent_connections_of_many_clients_are_closed_for_new_ones(patient: Process, crowd: ExitStack) -> None:
    for number in range(1, 251):
        connect(crowd, patient, f"127.0.2.{number}")
    check_others_go_on(patient)


def test_a_body_that_does_not_arrive_is_refused_with_408(strict: Process, crowd: ExitStack) -> None:
    answer = read_all(connect(crowd, strict, ATTACKER, HEAD + '{"name": '))
    assert status_of(answer) == 408
    assert b'"too-slow"' in answer


@pytest.mark.parametrize(
    "sent", ["", "GET /v1/games HTTP/1.1\r\nHost: ar", "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n"]
)
def test_a_connection_without_a_request_is_closed(strict: Process, crowd: ExitStack, sent: str) -> None:
    answer = read_all(connect(crowd, strict, ATTACKER, sent))
    assert bool(answer) == sent.endswith("\r\n\r\n")


@pytest.mark.parametrize(
    "call", ["POST /nowhere", "DELETE /v1/keys/x", "GET /v1/games", "POST /health/live", "GET /docs"]
)
def test_an_unread_request_body_does_not_keep_the_connection_open(
    patient: Process, crowd: ExitStack, call: str
) -> None:
    assert read_all(connect(crowd, patient, ATTACKER, HEAD.replace("POST /v1/owners", call))).startswith(b"HTTP/1.1 ")


def open_streams(crowd: ExitStack, api: httpx.Client, path: str) -> list[Iterator[str]]:
    """Open as many streams as a client may have; each stays open until its iterator is dropped."""
    streams = [crowd.enter_context(api.stream("GET", f"{path}/events")).iter_lines() for _ in range(STREAMS)]
    assert {next(lines) for lines in streams} == {"retry: 1000"}
    return streams


def test_streams_and_long_polls_per_client_are_limited(patient: Process) -> None:
    with other(patient) as api, httpx.Client(base_url=patient.url, timeout=LIMIT) as neighbour:
        table = Table(api, "splito", persons(2))
        with ExitStack() as watching:
            streams = open_streams(watching, api, table.path)
            for path in ("/events", "?after=0&wait=25"):
                with api.stream("GET", table.path + path) as refused:
                    assert refused.status_code == 429, "and no stream that would be read without end"
                    refused.read()
                problem(refused, 429, "too-many-streams")
                assert int(refused.headers["retry-after"]) > 0
            assert table.get()["status"] == "running"
            assert neighbour.get(f"{table.path}?after=-1&wait=25").status_code == 200
            with neighbour.stream("GET", f"{table.path}/events") as answer:
                assert answer.status_code == 200
            assert len(streams) == STREAMS
        until(lambda: api.get(f"{table.path}?after=0&wait=1").status_code == 200)


def test_a_client_that_does_not_read_is_dropped_and_can_resume_its_stream(hasty: Process) -> None:
    with other(hasty) as api:
        table = Table(api, "splito", persons(8), options={"deals": 3})
        table.play_out()
        whole = watch(api, table.path)
        with socket.socket() as lazy:
            lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            lazy.bind((ATTACKER, 0))
            lazy.settimeout(LIMIT)
            lazy.connect(("127.0.0.1", hasty.port))
            mine = lazy.getsockname()[1]
            lazy.sendall(f"GET {table.path}/events HTTP/1.1\r\nHost: arena\r\n\r\n".encode())
            until(lambda: not held(hasty, mine))
            heard = read_all(lazy)
        first = [*read_events(iter(events_in(heard)))]
        assert 0 < len(first) < len(whole), "it was dropped in the middle"
        rest = watch(api, table.path, first[-1].id)
        assert first + rest == whole
        assert turns_of(first + rest) == [*range(len(turns_of(whole)))]


def held(process: Process, port: int) -> bool:
    """Whether the service still has the connection from this port."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]]
    ends = [[int(end.partition(":")[2], 16) for end in row[1:3]] for row in rows if row[3] == "01"]
    return [process.port, port] in ends


def events_in(answer: bytes) -> list[str]:
    """The lines of complete events in an answer that may have been cut off."""
    body = answer.partition(b"\r\n\r\n")[2]
    text = b"".join(chunk for chunk in body.split(b"\r\n") if chunk[:1] in b"rie:")
    return [*text.rpartition(b"\n\n")[0].decode().split("\n"), ""]


async def stream_for_ever(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    while True:
        await send({"type": "http.response.body", "body": b"x", "more_body": True})


@pytest.mark.anyio
async def test_a_client_that_reads_too_slowly_is_dropped() -> None:
    """One that reads a little now and then looks alive to the kernel."""

    async def send(message: Any) -> None:
        if message.get("more_body"):
            await asyncio.Event().wait()

    dropped: list[Peer] = []
    settings, capacity = Settings(stall_seconds=1), capacity_for(FILES, 0)
    admission = Admission(Litestar(), stream_for_ever, settings, capacity, dropped.append)
    scope: Any = {"type": "http", "path": "/health/x", "client": (ATTACKER, "4000"), "headers": []}
    async with asyncio.timeout(LIMIT):
        await admission(scope, asyncio.Event().wait, send)  # pyright: ignore[reportArgumentType] (nothing comes)
    assert dropped == [(ATTACKER, 4000)]


def test_dropping_a_connection_closes_both_ends() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port), LIMIT) as made, listener.accept()[0] as taken:
            drop(port, peer_of(made.getsockname()))
            assert (made.recv(1), taken.recv(1)) == (b"", b"")


def test_the_list_of_connections_names_accepted_connections_only() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as made:
            taken, (host, number) = listener.accept()
            with taken:
                assert [*connections(port)] == [Connection(taken.fileno(), (host, number))]
                assert made.getsockname() == (host, number)


def test_too_low_a_limit_of_open_files_is_refused_at_start() -> None:
    with pytest.raises(BadSetting, match="ulimit -n"):
        capacity_for(100, 256)


@pytest.mark.parametrize("files", [128, 256, 1024, 20_000, 10**9])
@pytest.mark.parametrize("wanted", [0, 10, 10**6])
def test_capacity_leaves_room_beside_one_client_and_beside_all_clients(files: int, wanted: int) -> None:
    found = capacity_for(files, wanted)
    assert 0 < found.per_client < found.crowded < found.slots < files
