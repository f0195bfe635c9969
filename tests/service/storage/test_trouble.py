"""Operators are told why: each kind of trouble with Redis has its own words in the log, in the readiness and at start.

The servers are real, except the one that is too old: there is no Redis 6 to be had, so a small server says it is one.
"""

import asyncio
import os
import re
import resource
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
import redis as redis_py
from redis.exceptions import RedisError

from splito_service.errors import Unavailable
from splito_service.http import container_health
from splito_service.processes.embedded_redis import find_binary
from splito_service.storage.client import Link
from splito_service.storage.health import RedisHealth
from splito_service.storage.trouble import (
    CERTIFICATE,
    DISK,
    EVICTING,
    OUT_OF_MEMORY,
    PASSWORD,
    TLS,
    TOO_OLD,
    TROUBLES,
    Trouble,
)
from tests.arena.net.servers import certificate
from tests.listening import listening

LIMIT = 60.0
HOST = "127.0.0.1"
SECRET = "hush-hush"  # noqa: S105 (of servers that live for a test)
FULL = 256 * 1024
"""Bytes after which the disk of a server is full."""


class Case(NamedTuple):
    url: str
    trouble: Trouble
    said: str
    """Return the text of the log beside the words of the table."""
    host: str


def free_port() -> int:
    with socket.create_server((HOST, 0)) as found:
        return found.getsockname()[1]


def client(port: int, **options: Any) -> Any:
    return redis_py.Redis(HOST, port, **options)


def until(true: Callable[[], object]) -> None:
    limit = time.monotonic() + LIMIT
    while not true():
        assert time.monotonic() < limit, "it did not come true in time"
        time.sleep(0.02)


@contextmanager
def server(folder: Path, *words: str, binary: str | None = None, port: int = 0, size: int = 0) -> Generator[int]:
    """A server of its own; none of its files may grow beyond `size` bytes. Yields its port."""

    def limit() -> None:
        if size:
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    port = port or free_port()
    place = [] if "--tls-port" in words else ["--port", str(port)]
    command = [binary or find_binary(), "--bind", HOST, *place, "--dir", str(folder), "--save", "", *words]
    # Python ignores SIGXFSZ, and so must the server: then it is told that a file is too large, as of a full disk.
    with subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        preexec_fn=limit,  # noqa: PLW1509 (it only sets a limit)
        restore_signals=False,
    ) as process:
        try:
            until(lambda: process.poll() is not None or _listens(port))
            yield port
        finally:
            process.kill()


def _listens(port: int) -> bool:
    try:
        socket.create_connection((HOST, port), 1).close()
    except OSError:
        return False
    return True


def fill(port: int) -> None:
    """Write until the server refuses more."""
    with client(port) as writing:
        try:
            for number in range(1000):
                writing.set(f"filled:{number}", "x" * 50_000)
                time.sleep(0 if number < 30 else 0.05)  # the file is written to by and by
        except RedisError:
            return
    pytest.fail("it was never full")


@contextmanager
def out_of_memory(folder: Path) -> Generator[Case]:
    with server(folder, "--appendonly", "yes", "--maxmemory", "3mb", "--maxmemory-policy", "noeviction") as port:
        fill(port)
        with client(port) as redis:
            redis.config_set("maxmemory", "2mb")  # the buffers of a client that has left must not make room again
        yield Case(f"redis://{HOST}:{port}", OUT_OF_MEMORY, "maxmemory", str(port))


@contextmanager
def full_disk(folder: Path) -> Generator[Case]:
    with server(folder, "--appendonly", "yes", "--appendfsync", "everysec", size=FULL) as port:
        fill(port)
        yield Case(f"redis://{HOST}:{port}", DISK, "AOF", str(port))


@contextmanager
def wrong_password(folder: Path) -> Generator[Case]:
    with server(folder, "--requirepass", "another") as port:
        yield Case(f"redis://:{SECRET}@{HOST}:{port}", PASSWORD, "password", str(port))


@contextmanager
def no_password(folder: Path) -> Generator[Case]:
    with server(folder, "--requirepass", "another") as port:
        yield Case(f"redis://{HOST}:{port}", PASSWORD, "Authentication required", str(port))


@contextmanager
def untrusted(folder: Path) -> Generator[Case]:
    binary = shutil.which("redis-server")
    if binary is None:
        pytest.skip("the embedded server has no TLS, and there is no redis-server on PATH")
    key = folder / "server.pem"
    key.write_bytes(certificate(HOST))
    port = free_port()
    words = ("--port", "0", "--tls-port", str(port), "--tls-auth-clients", "no", "--appendonly", "yes")
    files = ("--tls-cert-file", str(key), "--tls-key-file", str(key), "--tls-ca-cert-file", str(key))
    with server(folder, *words, *files, binary=binary, port=port):
        yield Case(f"rediss://:{SECRET}@{HOST}:{port}", CERTIFICATE, "self-signed certificate", str(port))


@contextmanager
def without_tls(folder: Path) -> Generator[Case]:  # noqa: ARG001 (as the others)
    """A peer that does not speak TLS and says so; a Redis without TLS says nothing and waits for more."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"-ERR plain text only\r\n")
        await reader.read()

    with in_thread(serve) as port:
        yield Case(f"rediss://{HOST}:{port}", TLS, "SSL", str(port))


@contextmanager
def evicting(folder: Path) -> Generator[Case]:
    with server(folder, "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru") as port:
        said = "its maxmemory-policy is allkeys-lru and it keeps no append-only file"
        yield Case(f"redis://{HOST}:{port}", EVICTING, said, str(port))


@contextmanager
def too_old(folder: Path) -> Generator[Case]:  # noqa: ARG001 (as the others)
    """A server that says it is Redis 6.2 and has nothing in it."""
    info = b"# Server\r\nredis_version:6.2.0\r\nmaxmemory_policy:noeviction\r\naof_enabled:1\r\n"

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            words = [await _word(reader) for _ in range(int(line[1:]))] if line.startswith(b"*") else line.split()
            answers = {b"INFO": b"$%d\r\n%b\r\n" % (len(info), info), b"CLIENT": b"+OK\r\n"}
            writer.write(answers.get(words[0].upper(), b"*0\r\n"))

    with in_thread(serve) as port:
        yield Case(f"redis://{HOST}:{port}", TOO_OLD, "it is version 6.2.0", str(port))


async def _word(reader: asyncio.StreamReader) -> bytes:
    size = int((await reader.readline())[1:])
    return (await reader.readexactly(size + 2))[:-2]


@contextmanager
def in_thread(serve: Any) -> Generator[int]:
    """A listener in an event loop of its own."""
    loop, over, ports = asyncio.new_event_loop(), asyncio.Event(), list[int]()

    async def run() -> None:
        async with listening(serve, cut=True, host=HOST, port=0) as found:
            ports.append(found.sockets[0].getsockname()[1])
            await over.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=[run()], daemon=True)
    thread.start()
    until(lambda: ports)
    try:
        yield ports[0]
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(LIMIT)
        loop.close()


CASES = {
    "out of memory": out_of_memory,
    "full disk": full_disk,
    "wrong password": wrong_password,
    "no password": no_password,
    "untrusted certificate": untrusted,
    "no TLS": without_tls,
    "allkeys-lru without AOF": evicting,
    "older than 7": too_old,
}


@pytest.fixture(params=[*CASES.values()], ids=[*CASES])
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Case]:
    with request.param(tmp_path) as case:
        yield case


@contextmanager
def program(*words: str, **environ: str) -> Generator["tuple[subprocess.Popen[bytes], Path]"]:
    """`splito ...` with what it writes to stderr in a file."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SPLITO_")}
    log = Path(environ.pop("LOG"))
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            [sys.executable, "-m", "splito_cli", *words],
            env={**clean, **environ},
            stdout=subprocess.DEVNULL,
            stderr=errors,
        ) as process,
    ):
        try:
            yield process, log
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(LIMIT)


def test_log_and_readiness_of_the_service_name_the_trouble_but_no_password(case: Case, tmp_path: Path) -> None:
    port = free_port()
    environ = {"SPLITO_REDIS_URL": case.url, "LOG": str(tmp_path / "log")}
    with program("serve", "--port", str(port), **environ) as (process, log):
        until(lambda: f"not ready yet: {case.trouble.summary}" in log.read_text())
        answers = [httpx.get(f"http://{HOST}:{port}/health/ready", timeout=LIMIT) for _ in range(20)]
        until(lambda: case.trouble.advice in log.read_text())
        assert container_health.main(f"http://{HOST}:{port}") == f"http://{HOST}:{port}: {case.trouble.summary}"
        assert process.poll() is None, "it waits until that is put right"
    for answer in answers:
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
        assert answer.json()["detail"] == case.trouble.summary
        assert not any(word in answer.text for word in (SECRET, HOST, case.host))
    lines = [line for line in log.read_text().splitlines() if case.trouble.advice in line]
    assert len(lines) == 1, "it is said once, not for each look"
    assert f"splito.redis: {case.trouble.summary}: {case.trouble.advice} (" in lines[0]
    assert case.said in lines[0]
    assert SECRET not in log.read_text()


def test_a_worker_logs_the_trouble_at_its_start(case: Case, tmp_path: Path) -> None:
    environ = {"SPLITO_REDIS_URL": case.url, "LOG": str(tmp_path / "log")}
    with program("worker", **environ) as (process, log):
        until(lambda: f"splito.redis: {case.trouble.summary}: {case.trouble.advice} (" in log.read_text())
        assert process.poll() is None
    assert SECRET not in log.read_text()
    assert "Traceback" not in log.read_text()


@asynccontextmanager
async def healthy(url: str) -> AsyncGenerator[RedisHealth]:
    async with Link(url) as link:
        yield RedisHealth(link)


@pytest.mark.anyio
async def test_the_service_is_ready_again_once_redis_has_memory(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("splito_service.storage.health.AGE", 0.0)
    caplog.set_level("INFO")
    with out_of_memory(tmp_path) as case:
        async with healthy(case.url) as health_of_redis:
            for _ in range(3):
                with pytest.raises(Unavailable, match=OUT_OF_MEMORY.summary):
                    await health_of_redis.check()
            with client(int(case.host)) as redis:
                redis.config_set("maxmemory", "0")
            await health_of_redis.check()
            await health_of_redis.check()
    assert [OUT_OF_MEMORY.summary in line for line in caplog.messages].count(True) == 1
    assert caplog.messages.count("Redis works again") == 1


@pytest.mark.anyio
async def test_troubles_that_alternate_are_logged_once_each(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("splito_service.storage.health.AGE", 0.0)
    with out_of_memory(tmp_path) as case, client(int(case.host)) as redis:
        async with healthy(case.url) as health_of_redis:
            for policy, trouble in (("noeviction", OUT_OF_MEMORY), ("volatile-lru", EVICTING)) * 3:
                redis.config_set("maxmemory-policy", policy)
                with pytest.raises(Unavailable, match=trouble.summary):
                    await health_of_redis.check()
    for trouble in (OUT_OF_MEMORY, EVICTING):
        assert [trouble.summary in line for line in caplog.messages].count(True) == 1


@pytest.mark.anyio
async def test_a_changed_eviction_policy_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("splito_service.storage.health.AGE", 0.0)
    with server(tmp_path, "--appendonly", "yes") as port, client(port) as redis:
        async with healthy(f"redis://{HOST}:{port}") as health_of_redis:
            await health_of_redis.check()
            for policy in ("volatile-lru", "allkeys-lfu", "volatile-ttl", "allkeys-random"):
                redis.config_set("maxmemory-policy", policy)
                with pytest.raises(Unavailable, match=EVICTING.summary):
                    await health_of_redis.check()
            redis.config_set("maxmemory-policy", "noeviction")
            await health_of_redis.check()


@pytest.mark.anyio
async def test_without_an_append_only_file_the_service_is_ready_and_warns_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("splito_service.storage.health.AGE", 0.0)
    with server(tmp_path) as port:
        async with healthy(f"redis://{HOST}:{port}") as health_of_redis:
            await health_of_redis.check()
            await health_of_redis.check()
    assert ["appendonly yes" in line for line in caplog.messages].count(True) == 1


@pytest.mark.anyio
async def test_readiness_checks_redis_at_most_once_a_second(redis_url: str) -> None:
    async with healthy(redis_url) as health_of_redis, Link(redis_url) as other:
        before = await _calls(other)
        for _ in range(50):
            await asyncio.gather(*(health_of_redis.check() for _ in range(10)))
        assert await _calls(other) - before <= 5


async def _calls(link: Link) -> int:
    found = re.search(rb"cmdstat_info:calls=(\d+)", await link.call("INFO", "commandstats"))
    return int(found[1]) if found else 0


@pytest.mark.anyio
async def test_a_redis_user_without_write_permission_is_reported(tmp_path: Path) -> None:
    with server(tmp_path, "--appendonly", "yes") as port, client(port) as redis:
        redis.execute_command("ACL", "SETUSER", "reader", "on", f">{SECRET}", "~*", "&*", "+@read", "+ping")
        redis.execute_command("ACL", "SETUSER", "writer", "on", f">{SECRET}", "~*", "&*", "+@all", "-info")
        async with healthy(f"redis://reader:{SECRET}@{HOST}:{port}") as health_of_redis:
            with pytest.raises(Unavailable, match="may not do what the arena needs"):
                await health_of_redis.check()
        async with healthy(f"redis://writer:{SECRET}@{HOST}:{port}") as health_of_redis:
            await health_of_redis.check()


def test_each_trouble_has_its_own_code_and_summary_without_addresses() -> None:
    assert len({trouble.code for trouble in TROUBLES}) == len(TROUBLES)
    assert len({trouble.summary for trouble in TROUBLES}) == len(TROUBLES)
    for trouble in TROUBLES:
        assert re.fullmatch(r"[a-z-]+", trouble.code)
        assert not re.search(r"://|\d\.\d|%s", trouble.summary)
    assert issubclass(ssl.SSLCertVerificationError, ssl.SSLError), "so the certificate stands before TLS"
    assert TROUBLES.index(CERTIFICATE) < TROUBLES.index(TLS)


def test_the_docs_list_every_trouble_with_its_summary() -> None:
    page = (Path(__file__).parents[3] / "docs" / "deploy.md").read_text("utf-8")
    table = page.partition("## When Redis is in trouble")[2].partition("|---|")[2].partition("\n\n")[0]
    assert re.findall(r"^\| (.*?) \|", table, re.MULTILINE) == [trouble.summary for trouble in TROUBLES]
