"""The load generator hears what was said, however it was cut on the way."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from benchmarks.serving.events import Event, Events
from benchmarks.serving.load import Answer, Answers, Talk, Talker, connected, repeat
from tests.listening import listening

HOST = "127.0.0.1"
FOUND = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\netag: x\r\n\r\n"
REFUSED = b"HTTP/1.1 409 Conflict\r\ncontent-length: 2\r\n\r\n"
UNCHANGED = b"HTTP/1.1 304 Not Modified\r\netag: x\r\n\r\n"
RAW = FOUND + b"\r\n\r\n" + UNCHANGED + REFUSED + b"no" + FOUND + b"last"
ANSWERS = [
    Answer(200, FOUND, b"\r\n\r\n"),
    Answer(304, UNCHANGED, b""),
    Answer(409, REFUSED, b"no"),
    Answer(200, FOUND, b"last"),
]

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
CHUNKS = [
    b"retry: 1000\n\n",
    b"id: 0-a\nevent: seats\ndata: {",
    b"}\n\n: still here\n\nid: 1-a\nevent: turn\ndata: ",
    b'{"x":1}\n\n',
    b"",
]
STREAM = HEAD + b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in CHUNKS)
EVENTS = [Event("0-a", "seats", b"{}"), Event("1-a", "turn", b'{"x":1}')]


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 50, 1000])
def test_http_answers_are_complete_however_their_bytes_arrive(piece: int) -> None:
    answers = Answers()
    pieces = [RAW[begin : begin + piece] for begin in range(0, len(RAW), piece)]
    assert [answer for data in pieces for answer in answers.feed(data)] == ANSWERS


def test_an_http_answer_is_incomplete_before_its_last_byte() -> None:
    answers = Answers()
    assert answers.feed(FOUND + b"las") == []
    assert answers.feed(b"t" + FOUND) == ANSWERS[-1:]


def test_an_http_answer_without_a_length_is_refused() -> None:
    with pytest.raises(ValueError, match="without a length"):
        Answers().feed(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 50, 1000])
def test_events_are_complete_however_their_bytes_arrive(piece: int) -> None:
    events = Events()
    pieces = [STREAM[begin : begin + piece] for begin in range(0, len(STREAM), piece)]
    assert [event for data in pieces for event in events.feed(data)] == EVENTS
    assert events.ended


def test_an_answer_that_is_no_event_stream_is_refused() -> None:
    with pytest.raises(ValueError, match="no event stream"):
        Events().feed(REFUSED)


@asynccontextmanager
async def echo() -> AsyncGenerator[int]:
    """A server that answers each line with itself, in two pieces."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-le")
            await asyncio.sleep(0)
            writer.write(b"ngth: %d\r\n\r\n%b" % (len(line), line))

    async with listening(serve, cut=False, host=HOST, port=0) as server:
        yield server.sockets[0].getsockname()[1]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def counting(name: str, heard: list[bytes]) -> Talk:
    for number in range(3):
        answer = yield f"{name}{number}\n".encode()
        heard.append(answer.body)


@pytest.mark.anyio
async def test_a_conversation_receives_each_answer_before_its_next_request() -> None:
    heard: list[bytes] = []
    async with echo() as port, connected(HOST, port, 2) as load:
        run = await load.run([Talker(counting("a", heard)), Talker(counting("b", heard))])
    assert sorted(heard) == [b"a0\n", b"a1\n", b"a2\n", b"b0\n", b"b1\n", b"b2\n"]
    assert (run.finished, len(run.latencies), run.statuses) == (2, 6, {200: 6})


@pytest.mark.anyio
async def test_a_conversation_continues_in_the_next_run() -> None:
    heard: list[bytes] = []
    talker = Talker(counting("a", heard))
    async with echo() as port, connected(HOST, port, 1) as load:
        for _ in range(4):
            await load.run([talker], seconds=1e-9)
            assert await load.ask(b"between\n") == Answer(
                200, b"HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n", b"between\n"
            )
        await load.run([talker])
    assert heard == [b"a0\n", b"a1\n", b"a2\n"]


@pytest.mark.anyio
async def test_a_rate_is_not_exceeded() -> None:
    async with echo() as port, connected(HOST, port, 2) as load:
        run = await load.run([Talker(repeat([b"x\n"])) for _ in range(2)], seconds=0.1, rate=100)
    assert 0 < len(run.latencies) <= 12


@pytest.mark.anyio
async def test_a_server_that_hangs_up_is_an_error() -> None:
    async def serve(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.readline()

    async with (
        listening(serve, cut=False, host=HOST, port=0) as server,
        connected(HOST, server.sockets[0].getsockname()[1], 1) as load,
    ):
        with pytest.raises(ConnectionError):
            await load.run([Talker(repeat([b"x\n"]))])
