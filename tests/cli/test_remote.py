"""Commands against servers that behave badly in every way, over real sockets."""

import asyncio
from collections.abc import Generator
from contextlib import closing, contextmanager
from itertools import count, islice
from pathlib import Path

import msgspec
import pytest

from splito_arena.errors import Unreachable
from splito_bot import events, transport
from splito_bot.events import Frame
from splito_cli import remote as remote_module
from splito_cli.remote import Refused, Remote
from splito_engine.errors import BadOption
from tests.arena.net.servers import HOST, Serve, answer, closes_after, nobody, read_request, says
from tests.cli.serving import served

STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
NO_MORE = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"


def problem(status: int, code: str, detail: str) -> bytes:
    return msgspec.json.encode({"type": "about:blank", "title": "", "status": status, "code": code, "detail": detail})


NO_KEY = problem(401, "no-key", "no such key")


class Thing(msgspec.Struct):
    name: str


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pauses between connections, and short time limits."""
    monkeypatch.setattr(events, "PAUSE", 0.0)
    monkeypatch.setattr(events, "PATIENCE", 0.5)
    monkeypatch.setattr(remote_module, "CONNECT", 0.5)
    monkeypatch.setattr(remote_module, "WAIT", 0.5)


@contextmanager
def remote(serve: Serve) -> Generator[Remote]:
    with served(serve) as url, Remote(url, "key-1") as there:
        yield there


def in_turn(*answers: bytes, heads: list[list[bytes]] | None = None) -> Serve:
    """One for each connection; after the last one, that again."""
    left = list(answers)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head, _ = await read_request(reader)
        if heads is not None:
            heads.append(head)
        writer.write(left.pop(0) if len(left) > 1 else left[0])
        await writer.drain()

    return serve


def refusal(status: int, body: bytes) -> bytes:
    return b"HTTP/1.1 %d Said\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % (status, len(body)) + body


def watched(there: Remote) -> list[Frame]:
    return list(there.events("/events"))


def test_answers_are_decoded_and_files_saved(tmp_path: Path) -> None:
    heads = list[list[bytes]]()
    with remote(in_turn(refusal(200, b'{"name": "x", "more": 1}'), heads=heads)) as there:
        assert there.get("/thing", Thing) == Thing("x")
        assert there.send("PUT", "/thing", {"a": 1}, Thing) == Thing("x")
        there.save("/thing", tmp_path / "thing.json")
    assert (tmp_path / "thing.json").read_bytes() == b'{"name": "x", "more": 1}'
    assert [head[0] for head in heads] == [b"GET /thing HTTP/1.1", b"PUT /thing HTTP/1.1", b"GET /thing HTTP/1.1"]
    assert all(b"Authorization: Bearer key-1" in head for head in heads)
    assert b"Content-Type: application/json" in heads[1]


def test_a_service_url_may_have_a_path() -> None:
    heads = list[list[bytes]]()
    with served(in_turn(answer(b'{"name": "x"}'), heads=heads)) as url, Remote(f"{url}/arena/") as there:
        there.get("/v1/thing", Thing)
    assert heads[0][0] == b"GET /arena/v1/thing HTTP/1.1"
    assert not any(line.startswith(b"Authorization") for line in heads[0])


def test_a_refusal_is_printed_in_the_words_of_the_service_with_advice() -> None:
    with remote(in_turn(refusal(401, NO_KEY))) as there, pytest.raises(Refused) as caught:
        there.get("/thing", Thing)
    assert caught.value.message == "no-key: no such key"
    assert "--key" in caught.value.advice


def test_no_redirect_is_followed() -> None:
    heads = list[list[bytes]]()
    away = b"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"
    with remote(in_turn(away, heads=heads)) as there, pytest.raises(Unreachable, match="status 302"):
        there.get("/thing", Thing)
    assert len(heads) == 1


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (answer(b"<html>"), "malformed"),
        (answer(b'{"name": 1}'), "Expected `str`"),
        (answer(b'{"name": "\xff"}'), "utf-8"),
        (answer(b'{"x": ' + b"[" * 100_000), "recursion"),
        (answer(b'{"name": "x"}')[:-5], "complete message body"),
        (refusal(500, b"oops"), "status 500"),
        (refusal(403, b'{"code": 7}'), "status 403"),
        (b"SSH-2.0-\x1b[2J\r\n\r\n", "illegal status line"),
        (b"x" * 5000 + b"\r\n", "disconnected without sending a response"),
        (b"", "disconnected without sending a response"),
    ],
    ids=lambda said: repr(said)[:60],
)
def test_malformed_answers_are_reported_as_such(said: bytes, why: str) -> None:
    with remote(closes_after(said)) as there, pytest.raises(Unreachable, match=why) as caught:
        there.get("/thing", Thing)
    assert caught.value.message.isprintable()
    assert len(caught.value.message) < 600


def test_a_service_that_does_not_listen_is_unreachable() -> None:
    with pytest.raises(Unreachable, match=r"no service at .*refused"), Remote(f"http://{HOST}:{nobody()}") as there:
        there.get("/thing", Thing)


def test_a_service_that_does_not_answer_is_given_up() -> None:
    with remote(says()) as there, pytest.raises(Unreachable, match="timed out"):
        there.get("/thing", Thing)


def test_an_endless_slow_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "LONGEST", 0.0)

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(answer(b"")[:-5] + b"1000000\r\n\r\n")
        while not reader.at_eof():
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.01)

    with remote(drip) as there, pytest.raises(Unreachable, match="is too long or too slow"):
        there.get("/thing", Thing)


def test_an_answer_that_is_too_large_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "LARGEST", 10_000)
    with (
        remote(closes_after(answer(b" " * 10_001))) as there,
        pytest.raises(Unreachable, match="is too long or too slow"),
    ):
        there.get("/thing", Thing)


def test_half_a_file_is_not_written(tmp_path: Path) -> None:
    with (
        remote(closes_after(answer(b"x" * 1000)[:-1])) as there,
        pytest.raises(Unreachable, match="complete message body"),
    ):
        there.save("/dump", tmp_path / "dump")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_is_no_error_of_the_service(tmp_path: Path) -> None:
    with remote(closes_after(answer(b"x"))) as there, pytest.raises(OSError, match="No such file"):
        there.save("/dump", tmp_path / "nowhere" / "dump")


def test_events_go_on_where_the_connection_ended() -> None:
    heads = list[list[bytes]]()
    first = STREAM + b"retry: 1000\n\nid: 1\nevent: progress\ndata: one\n\nid: 2\ndata: half of"
    second = STREAM + b": still here\n\nid:2\r\ndata:two\r\n\r\ndata: a\ndata: b\nid: 3\x00\n\n"
    with remote(in_turn(first, b"", second, NO_MORE, heads=heads)) as there:
        assert watched(there) == [
            Frame("1", "progress", "one"),
            Frame("2", "message", "two"),
            Frame("2", "message", "a\nb"),
        ]
    came = [[line for line in head if line.startswith(b"Last-Event-ID")] for head in heads]
    assert came == [[], [b"Last-Event-ID: 1"], [b"Last-Event-ID: 1"], [b"Last-Event-ID: 2"]]


def test_events_are_requested_again_after_a_temporary_failure() -> None:
    busy, gone = refusal(503, problem(503, "unavailable", "Redis")), refusal(502, b"<html>")
    later = refusal(429, problem(429, "too-many-requests", "slowly"))
    with remote(in_turn(busy, gone, later, STREAM + b"data: x\n\n", NO_MORE)) as there:
        assert watched(there) == [Frame("", "message", "x")]


def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at the clock of the events is 0.4 seconds after the last, of 0.5 seconds of patience."""
    clock = count(step=0.4)
    monkeypatch.setattr(events, "monotonic", lambda: next(clock))


def test_the_patience_with_a_stream_starts_anew_after_each_event(monkeypatch: pytest.MonkeyPatch) -> None:
    good = STREAM + b"data: x\n\n"
    events_there = in_turn(good, b"", good, b"", good, NO_MORE)
    hurry(monkeypatch)
    with remote(events_there) as there:
        assert len(watched(there)) == 3


def test_a_permanent_refusal_is_not_tried_again() -> None:
    heads = list[list[bytes]]()
    with remote(in_turn(refusal(401, NO_KEY), heads=heads)) as there, pytest.raises(Refused):
        watched(there)
    assert len(heads) == 1


@pytest.mark.parametrize("said", [b"", STREAM, answer(b"{}"), refusal(502, b"")], ids=repr)
def test_a_broken_stream_is_given_up_after_a_while(said: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)
    heads = list[list[bytes]]()
    with remote(in_turn(said, heads=heads)) as there, pytest.raises(Unreachable):
        watched(there)
    assert len(heads) == 3


@pytest.mark.parametrize("said", [b"data: " + b"x" * 2000, b"data: x\n" * 300], ids=["line", "lines"])
def test_an_endless_event_is_given_up(said: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "LARGEST_EVENT", 1000)
    with remote(in_turn(STREAM + said)) as there, pytest.raises(Unreachable, match="is too long"):
        watched(there)


def test_events_that_come_byte_by_byte_are_read() -> None:
    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        for letter in STREAM + b"data: x\n\ndata: y\n\n":
            writer.write(bytes([letter]))
            await writer.drain()
        await reader.read()

    with remote(drip) as there, closing(there.events("/events")) as found:
        assert [event.data for event in islice(found, 2)] == ["x", "y"]


@pytest.mark.parametrize(
    "url",
    [
        "",
        "arena",
        "arena.example:8000",
        "ftp://arena.example",
        "http://",
        "http://[::1",
        "http://[::1]x:80",
        "http://x[::1]:80",
        "http://[v1.x]",
        "http://[1.2.3.4]",
        "http://arena.example:99999",
        "http://arena.example:port",
        "http://me:secret@arena.example",
        "http://arena.example/?x=1",
        "http://arena.example/#x",
        "http://arena..example",
        "http://arena.example/ä",
        "http://arena .example",
        "http://arena.example\r\nX: y",
    ],
)
def test_a_malformed_address_is_refused(url: str) -> None:
    with pytest.raises(BadOption, match="no address of a service"):
        Remote(url)


def test_every_valid_form_of_a_service_url_is_accepted() -> None:
    for url in ("http://[::1]", "https://arena.example", "HTTP://Arena.Example:8000/a/b/", "http://127.0.0.1:1"):
        assert Remote(url).url == url.rstrip("/")


@pytest.mark.parametrize("key", ["a b", "a\nb", "kéy", "\x00", " "])
def test_a_malformed_key_is_refused_and_not_printed(key: str) -> None:
    with pytest.raises(BadOption, match="this is no key") as caught:
        Remote("http://127.0.0.1", key)
    assert key not in caught.value.message.replace(" ", "")
