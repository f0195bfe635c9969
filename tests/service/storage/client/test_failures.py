"""When Redis dies, hangs or refuses writes, every caller gets `Unavailable`, and the client recovers by itself."""

import asyncio
import os
import signal
from pathlib import Path

import pytest
from redis.exceptions import ReadOnlyError

from splito_service.errors import Unavailable
from splito_service.processes.embedded_redis import open_server
from splito_service.storage.client import Link
from tests.service.storage.client.servers import HOST, LONG, free_port, listener, refused, serving, started, until

pytestmark = pytest.mark.anyio


async def test_after_a_kill_under_load_every_caller_gets_unavailable_and_the_client_reconnects(tmp_path: Path) -> None:
    with open_server(tmp_path) as server:
        async with Link(server.url) as link:
            counted = 0

            async def count(name: str) -> None:
                nonlocal counted
                for number in range(1, 1_000_000):
                    assert await link.call("INCR", name) == number
                    counted += 1

            async def busy() -> bool:
                return counted > 2000

            tasks = [asyncio.create_task(count(f"task {number}")) for number in range(100)]
            await until(busy)
            kill_server(await link.call("INFO", "server"))
            async with asyncio.timeout(LONG):
                ends = await asyncio.gather(*tasks, return_exceptions=True)
            assert {type(end) for end in ends} == {Unavailable}
            await asyncio.to_thread(server.ensure)
            await serving(link)
            assert await asyncio.gather(*(link.call("ECHO", number) for number in range(3))) == [b"0", b"1", b"2"]


def kill_server(info: bytes) -> None:
    [pid] = [line.partition(b":")[2] for line in info.splitlines() if line.startswith(b"process_id:")]
    os.kill(int(pid), signal.SIGKILL)


async def test_a_call_without_a_server_says_which_address_failed(tmp_path: Path) -> None:
    for url in (f"unix://{tmp_path}/none", f"redis://{HOST}:{free_port()}"):
        async with Link(url) as link:
            assert await refused(link, "connecting to")


async def test_many_calls_without_a_server_cause_few_connection_attempts() -> None:
    connects = 0

    async def refuse(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connects
        connects += 1
        writer.close()

    async with listener(refuse) as port, Link(f"redis://{HOST}:{port}") as link:
        found = await asyncio.gather(*(link.call("PING") for _ in range(1000)), return_exceptions=True)
        assert {type(error) for error in found} == {Unavailable}
        assert connects == 1
        calls = 0
        while connects < 3:
            with pytest.raises(Unavailable):
                await link.call("PING")
            calls += 1
            await asyncio.sleep(0)
        assert calls > 10


async def test_a_server_that_never_answers_while_connecting_is_given_up() -> None:
    async def ignore(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with listener(ignore) as port, Link(f"redis://{HOST}:{port}", connect_limit=0.1) as link:
        with pytest.raises(Unavailable) as caught:
            await link.call("PING")
    assert isinstance(caught.value.__cause__, TimeoutError)


async def test_a_server_that_hangs_is_given_up_and_used_again_when_it_answers(tmp_path: Path) -> None:
    with started(tmp_path) as server:
        async with Link(server.url, connect_limit=1, answer_limit=0.2) as link:
            await serving(link)
            server.process.send_signal(signal.SIGSTOP)
            found = await asyncio.gather(*(link.call("PING") for _ in range(100)), return_exceptions=True)
            assert {type(error) for error in found} == {Unavailable}
            assert {str(error.__cause__) for error in found if isinstance(error, Unavailable)} == {"no answer in 0.2 s"}
            server.process.send_signal(signal.SIGCONT)
            await serving(link)


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_busy_connection_that_answers_is_not_given_up(redis_url: str) -> None:
    loop = asyncio.get_running_loop()
    async with Link(redis_url, answer_limit=1) as link:
        number = await link.call("CLIENT", "ID")
        end = loop.time() + 1.2
        while loop.time() < end:
            await link.call("PING")
        assert await link.call("CLIENT", "ID") == number


async def test_a_peer_that_does_not_speak_redis_is_given_up() -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for answer in (b"+OK\r\n", b"+OK\r\n", b"HTTP/1.1 400 Bad Request\r\n"):
            await reader.readuntil(b"PING" if answer.startswith(b"HTTP") else b"LIB-")
            writer.write(answer)
        await reader.read()
        writer.close()

    async with listener(talk) as port, Link(f"redis://{HOST}:{port}") as link:
        assert await refused(link, "Protocol error")


async def test_a_server_that_became_a_replica_is_unavailable_until_it_is_primary_again(tmp_path: Path) -> None:
    with started(tmp_path, "--replica-serve-stale-data", "no") as server:
        async with Link(server.url) as link, Link(server.url) as other:
            await serving(link)
            script = link.script("return redis.call('SET', KEYS[1], 1)")
            await script(keys=["key"])
            await other.call("CONFIG", "SET", "replica-serve-stale-data", "yes")
            await other.call("REPLICAOF", HOST, free_port())
            with pytest.raises(Unavailable, match="is a replica") as caught:
                await script(keys=["key"])
            assert isinstance(caught.value.__cause__, ReadOnlyError)
            await other.call("CONFIG", "SET", "replica-serve-stale-data", "no")
            with pytest.raises(Unavailable, match="its master is down"):
                await link.call("GET", "key")
            await other.call("REPLICAOF", "NO", "ONE")
            await until(lambda: script(keys=["key"]))


async def test_a_server_that_is_still_loading_is_unavailable_until_it_has_loaded(tmp_path: Path) -> None:
    with started(tmp_path) as server:
        async with Link(server.url) as link:
            await serving(link)
            await asyncio.gather(*(link.call("SET", f"key {number}", os.urandom(1500)) for number in range(200)))
            await link.call("SAVE")
    slowly = ("--key-load-delay", "20000", "--loading-process-events-interval-bytes", "1024")
    with started(tmp_path, *slowly) as server:
        async with Link(server.url) as link:
            await until(lambda: link.call("CONFIG", "GET", "port"))
            with pytest.raises(Unavailable, match="still reading its data"):
                await link.call("GET", "key 1")
            await link.call("CONFIG", "SET", "key-load-delay", 0)
            await until(lambda: link.call("GET", "key 1"))


@pytest.mark.parametrize(
    ("setting", "why"),
    [("maxmemory", "out of memory"), ("min-replicas-to-write", "too few replicas")],
    ids=["no memory", "no replica"],
)
async def test_a_server_that_cannot_write_is_unavailable_until_it_can(tmp_path: Path, setting: str, why: str) -> None:
    with open_server(tmp_path) as server:
        async with Link(server.url) as link:
            await link.call("CONFIG", "SET", setting, "1")
            with pytest.raises(Unavailable, match=why):
                await link.call("SET", "key", "value")
            await link.call("CONFIG", "SET", setting, "0")
            assert await link.call("SET", "key", "value") == b"OK"


async def test_calls_during_and_after_close_get_unavailable(redis_url: str) -> None:
    link = Link(redis_url)
    waiting = [asyncio.create_task(link.call("PING")) for _ in range(3)]
    await asyncio.sleep(0)
    await link.aclose()
    for call in [*waiting, link.call("PING")]:
        with pytest.raises(Unavailable):
            await call
    await link.aclose()


async def test_an_unused_client_can_be_closed(redis_url: str) -> None:
    await Link(redis_url).aclose()
