"""Whatever happens on the one connection that all share, everybody gets their own answer or is told that none comes."""

import asyncio
import os
import signal
import socket
import ssl
import subprocess
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from redis.exceptions import NoScriptError, ReadOnlyError, ResponseError

from splito_service.errors import Unavailable
from splito_service.processes.embedded_redis import find_binary, open_server
from splito_service.storage.client import Link
from splito_service.storage.connect import connect
from tests.arena.net.servers import certificate
from tests.listening import Serve, listening

pytestmark = pytest.mark.anyio
LONG = 20.0
HOST = "127.0.0.1"
PASSWORD = "a/b@c:d"  # noqa: S105 (of servers that live for a test)
QUOTED = "a%2Fb%40c%3Ad"


@pytest.fixture(params=[False, True], ids=["asyncio", "uvloop"])
def anyio_backend(request: pytest.FixtureRequest) -> tuple[str, dict[str, bool]]:
    return "asyncio", {"use_uvloop": request.param}


@pytest.fixture
async def link(redis_url: str) -> AsyncGenerator[Link]:
    async with Link(redis_url) as link:
        yield link


class Started(NamedTuple):
    process: subprocess.Popen[bytes]
    port: int

    @property
    def url(self) -> str:
        return f"redis://:{QUOTED}@{HOST}:{self.port}"


@contextmanager
def started(folder: Path, *words: str) -> Generator[Started]:
    """A server of its own, on a free port, with a password."""
    port = free_port()
    common = ["--bind", HOST, "--port", str(port), "--dir", str(folder), "--save", "", "--requirepass", PASSWORD]
    replicating = ["--masterauth", PASSWORD, "--repl-diskless-sync-delay", "0"]
    with ending([find_binary(), *common, *replicating, *words]) as process:
        yield Started(process, port)


@contextmanager
def ending(command: list[str]) -> Generator[subprocess.Popen[bytes]]:
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


def free_port() -> int:
    with socket.create_server((HOST, 0)) as found:
        return found.getsockname()[1]


async def until(true: Callable[[], Awaitable[object]]) -> None:
    """Wait until it is so; what is out of reach is not so yet."""
    async with asyncio.timeout(LONG):
        while True:
            with suppress(Unavailable):
                if await true():
                    return
            await asyncio.sleep(0.02)


async def serving(link: Link) -> None:
    await until(lambda: link.call("PING"))


@asynccontextmanager
async def relay(url: str, context: ssl.SSLContext | None = None, piece: int = 65536) -> AsyncGenerator[int]:
    """A port in front of a server, behind TLS if wanted; answers come from it in pieces of so many bytes."""

    async def pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await source.read(65536):
                for start in range(0, len(data), piece):
                    target.write(data[start : start + piece])
                    await asyncio.sleep(0)
        target.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_unix_connection(url.removeprefix("unix://"))
        await asyncio.gather(pump(reader, back), pump(there, writer))

    async with listener(serve, context) as port:
        yield port


@asynccontextmanager
async def listener(serve: Serve, context: ssl.SSLContext | None = None) -> AsyncGenerator[int]:
    """It ends when its last client has gone."""
    async with listening(serve, cut=False, host=HOST, port=0, ssl=context) as server:
        yield server.sockets[0].getsockname()[1]


async def test_thousands_who_call_at_once_get_their_own_answers(link: Link) -> None:
    assert await asyncio.gather(*(link.call("ECHO", number) for number in range(5000))) == [
        str(number).encode() for number in range(5000)
    ]


async def test_all_share_one_connection(tmp_path: Path) -> None:
    with open_server(tmp_path) as server:
        async with Link(server.url) as link:
            found = await asyncio.gather(*(link.call("CLIENT", "LIST") for _ in range(100)))
    assert {len(clients.splitlines()) for clients in found} == {1}


async def test_a_word_may_be_text_bytes_or_a_number(link: Link) -> None:
    words = ["é", b"\x00\xff\r\n", 7, -2.5]
    assert await link.call("EVAL", "return ARGV", 0, *words) == ["é".encode(), b"\x00\xff\r\n", b"7", b"-2.5"]


async def test_what_is_no_word_is_refused_and_disturbs_nobody(link: Link) -> None:
    nothing: Any = None
    others = [asyncio.create_task(link.call("ECHO", number)) for number in range(3)]
    with pytest.raises(TypeError):
        await link.call("ECHO", nothing)
    assert await asyncio.gather(*others) == [b"0", b"1", b"2"]


@pytest.mark.parametrize(
    ("lua", "answer"),
    [
        ("return false", None),
        ("return 42", 42),
        ("return ''", b""),
        ("return {}", []),
        ("return {1, {2, {false, 'x'}}, {}}", [1, [2, [None, b"x"]], []]),
        ("return redis.status_reply('FINE')", b"FINE"),
    ],
)
async def test_answers_are_what_redis_said(link: Link, lua: str, answer: object) -> None:
    assert await link.call("EVAL", lua, 0) == answer


async def test_an_error_is_raised_to_who_made_it(link: Link) -> None:
    before, wrong, after = await asyncio.gather(
        link.call("ECHO", "before"), link.call("NOSUCH"), link.call("ECHO", "after"), return_exceptions=True
    )
    assert (before, after) == (b"before", b"after")
    assert isinstance(wrong, ResponseError)
    assert "unknown command" in str(wrong)


async def test_an_error_inside_a_list_stays_there(link: Link) -> None:
    first, second, third = await link.call("EVAL", "return {1, redis.error_reply('ODD one'), 3}", 0)
    assert (first, str(second), third) == (1, "ODD one", 3)


async def test_large_values_come_and_go_among_small_ones(link: Link) -> None:
    large = os.urandom(1_000_000)
    await link.call("SET", "large", large)
    found = await asyncio.gather(*(link.call(*words) for words in [("GET", "large"), ("ECHO", "small")] * 5))
    assert found == [large, b"small"] * 5


async def test_answers_may_come_in_pieces(redis_url: str) -> None:
    async with relay(redis_url, piece=7) as port, Link(f"redis://{HOST}:{port}") as link:
        found = await asyncio.gather(*(link.call("ECHO", f"{number} " * number) for number in range(100)))
    assert found == [(f"{number} " * number).encode() for number in range(100)]


async def test_who_goes_away_takes_nobody_elses_answer(link: Link) -> None:
    await serving(link)
    calls = [asyncio.create_task(link.call("ECHO", number)) for number in range(1000)]
    await asyncio.sleep(0)  # all have been sent, none is answered
    for call in calls[::3]:
        call.cancel()
    found = await asyncio.gather(*calls, return_exceptions=True)
    for number, answer in enumerate(found):
        assert isinstance(answer, asyncio.CancelledError) if number % 3 == 0 else answer == str(number).encode()


async def test_who_goes_away_while_it_connects_does_not_end_that(link: Link) -> None:
    first, second = [asyncio.create_task(link.call("ECHO", name)) for name in ("first", "second")]
    await asyncio.sleep(0)
    first.cancel()
    assert await second == b"second"


async def test_a_script_runs_whether_or_not_redis_knows_it(link: Link) -> None:
    script = link.script("return {KEYS[1], ARGV[1], ARGV[2]}")
    for _ in range(2):
        await link.call("SCRIPT", "FLUSH")
        for _ in range(2):
            assert await script(keys=["key"], args=[b"bytes", 5]) == [b"key", b"bytes", b"5"]


async def test_a_script_that_fails_is_not_run_twice(link: Link) -> None:
    await link.call("DEL", "runs")
    script = link.script("redis.call('INCR', KEYS[1]); return redis.error_reply('ODD one')")
    for runs in (1, 2):
        with pytest.raises(ResponseError, match="ODD one"):
            await script(keys=["runs"])
        assert await link.call("GET", "runs") == str(runs).encode()


async def test_redis_is_asked_for_the_script_first(link: Link) -> None:
    await link.call("SCRIPT", "FLUSH")
    with pytest.raises(NoScriptError):
        await link.call("EVALSHA", "0" * 40, 0)


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


async def test_over_tls_only_a_certificate_that_is_trusted_will_do(tmp_path: Path, redis_url: str) -> None:
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
def test_what_is_no_address_is_refused_at_once(url: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        Link(url)


async def test_a_wrong_password_or_none_is_told(tmp_path: Path) -> None:
    with started(tmp_path) as server:
        async with Link(server.url) as link, Link(server.url.replace(QUOTED, "wrong")) as wrong:
            await serving(link)
            assert await refused(wrong, "invalid username-password pair")
        async with Link(f"redis://{HOST}:{server.port}") as without:
            assert await refused(without, "Authentication required")


async def refused(link: Link, why: str) -> bool:
    with pytest.raises(Unavailable) as caught:
        await link.call("PING")
    return why in str(caught.value.__cause__)


async def test_when_the_server_is_killed_under_load_all_are_told_and_it_recovers(tmp_path: Path) -> None:
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


async def test_who_finds_no_server_is_told_why(tmp_path: Path) -> None:
    for url in (f"unix://{tmp_path}/none", f"redis://{HOST}:{free_port()}"):
        async with Link(url) as link:
            assert await refused(link, "connecting to")


async def test_few_connects_are_tried_however_many_call() -> None:
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


async def test_a_server_that_never_says_anything_is_given_up() -> None:
    async def ignore(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with listener(ignore) as port, Link(f"redis://{HOST}:{port}", connect_limit=0.1) as link:
        with pytest.raises(Unavailable) as caught:
            await link.call("PING")
    assert isinstance(caught.value.__cause__, TimeoutError)


async def test_a_server_that_stops_answering_is_given_up_and_found_again(tmp_path: Path) -> None:
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
async def test_a_server_that_answers_is_not_given_up_however_many_calls_there_are(redis_url: str) -> None:
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


async def test_a_server_that_was_demoted_is_unavailable_until_it_is_not(tmp_path: Path) -> None:
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


async def test_who_waits_when_it_is_closed_is_told_and_so_is_who_comes_later(redis_url: str) -> None:
    link = Link(redis_url)
    waiting = [asyncio.create_task(link.call("PING")) for _ in range(3)]
    await asyncio.sleep(0)
    await link.aclose()
    for call in [*waiting, link.call("PING")]:
        with pytest.raises(Unavailable):
            await call
    await link.aclose()


async def test_one_that_was_never_used_can_be_closed(redis_url: str) -> None:
    await Link(redis_url).aclose()


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
async def test_when_the_primary_dies_the_sentinels_lead_to_the_next(tmp_path: Path) -> None:
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
async def test_a_server_that_sentinels_name_must_be_the_master(tmp_path: Path) -> None:
    with replicated(tmp_path) as (_, replica):
        await in_step(replica)
        with sentinel(tmp_path, replica.port) as guard:
            async with Link(behind(guard)) as link:
                await until(lambda: refused(link, "not the master"))
