"""Addresses of Redis: TCP, sockets, TLS, passwords and sentinels."""

import asyncio
import ssl
from collections.abc import Awaitable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from splito_service.processes.embedded_redis import find_binary
from splito_service.storage.client import Link
from splito_service.storage.connect import connect
from tests.arena.net.servers import certificate
from tests.service.storage.client.servers import (
    HOST,
    PASSWORD,
    QUOTED,
    Started,
    ending,
    free_port,
    refused,
    relay,
    serving,
    started,
    until,
)

pytestmark = pytest.mark.anyio


async def test_an_address_over_tcp_may_have_user_password_and_database(tmp_path: Path) -> None:
    with started(tmp_path) as server:
        anns = server.url.replace("//:", "//ann:")
        async with Link(f"{server.url}/3") as link, Link(f"{anns}/3") as same, Link(server.url) as other:
            await serving(link)
            await link.call("ACL", "SETUSER", "ann", "on", f">{PASSWORD}", "allkeys", "allcommands")
            await link.call("SET", "here", "yes")
            assert await same.call("GET", "here") == b"yes"
            assert await same.call("ACL", "WHOAMI") == b"ann"
            assert await other.call("GET", "here") is None


async def test_an_address_of_a_socket_may_have_a_database(redis_url: str) -> None:
    async with Link(f"{redis_url}?db=1") as link, Link(redis_url) as other:
        await link.call("SET", "there", "yes")
        assert (await link.call("GET", "there"), await other.call("GET", "there")) == (b"yes", None)


async def test_a_tls_connection_requires_a_trusted_certificate(tmp_path: Path, redis_url: str) -> None:
    trusted, context = tls(tmp_path)
    async with relay(redis_url, context) as port:
        url = f"rediss://{HOST}:{port}"
        async with Link(f"{url}?ssl_ca_certs={trusted}") as link, Link(url) as strict:
            assert await asyncio.gather(*(link.call("ECHO", "x" * 100_000) for _ in range(10))) == [b"x" * 100_000] * 10
            assert await refused(strict, "certificate verify failed")


def tls(folder: Path) -> tuple[Path, ssl.SSLContext]:
    """A certificate of our own making, and a server's side with it."""
    both = folder / "both.pem"
    both.write_bytes(certificate(HOST))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(both)
    return both, context


@pytest.mark.parametrize(
    "url", ["http://localhost", "localhost:6379", "redis://localhost:port", "redis+sentinel://:0/x"]
)
def test_an_invalid_address_is_refused_at_once(url: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        Link(url)


async def test_a_wrong_or_missing_password_is_reported(tmp_path: Path) -> None:
    with started(tmp_path) as server:
        async with Link(server.url) as link, Link(server.url.replace(QUOTED, "wrong")) as wrong:
            await serving(link)
            assert await refused(wrong, "invalid username-password pair")
        async with Link(f"redis://{HOST}:{server.port}") as without:
            assert await refused(without, "Authentication required")


@contextmanager
def sentinel(folder: Path, master: int) -> Generator[Started]:
    port = free_port()
    lines = [
        f"port {port}",
        f"dir {folder}",
        f"requirepass {PASSWORD}x",
        f"sentinel monitor first {HOST} {master} 1",
        f"sentinel auth-pass first {PASSWORD}",
        "sentinel down-after-milliseconds first 300",
        "sentinel failover-timeout first 1000",
    ]
    conf = folder / "sentinel.conf"
    conf.write_text("\n".join(lines), "utf-8")
    with ending([find_binary(), str(conf), "--sentinel"]) as process:
        yield Started(process, port)


def behind(sentinels: Started) -> str:
    """The first one named is not there: the next is asked."""
    places = f"{HOST}:{free_port()},{HOST}:{sentinels.port}"
    return f"redis+sentinel://:{QUOTED}@{places}/first/2?sentinel_password={QUOTED}x"


@contextmanager
def replicated(folder: Path) -> Generator[tuple[Started, Started]]:
    """A primary server and its replica."""
    with started(folder) as primary, started(folder, "--replicaof", f"{HOST} {primary.port}") as replica:
        yield primary, replica


async def in_step(replica: Started) -> None:
    async with Link(replica.url) as link:
        await until(lambda: says(link.call("INFO", "replication"), b"master_link_status:up"))


async def says(call: Awaitable[bytes], words: bytes) -> bool:
    return words in await call


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_after_a_failover_the_client_follows_the_sentinels_to_the_new_primary(tmp_path: Path) -> None:
    with replicated(tmp_path) as (primary, replica):
        await in_step(replica)
        with sentinel(tmp_path, primary.port) as guard:
            url = behind(guard)
            async with Link(url) as link, connect(url) as client:
                await until(lambda: link.call("SET", "key", "before"))
                assert await client.get("key") == b"before"
                async with Link(f"redis://:{QUOTED}x@{HOST}:{guard.port}") as asked:
                    await until(lambda: asked.call("SENTINEL", "REPLICAS", "first"))
                primary.process.kill()
                await until(lambda: link.call("SET", "key", "after"))
                assert await link.call("CONFIG", "GET", "port") == [b"port", str(replica.port).encode()]
                assert await client.get("key") == b"after"


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_server_named_by_the_sentinels_must_be_the_primary(tmp_path: Path) -> None:
    with replicated(tmp_path) as (_, replica):
        await in_step(replica)
        with sentinel(tmp_path, replica.port) as guard:
            async with Link(behind(guard)) as link:
                await until(lambda: refused(link, "not the master"))
