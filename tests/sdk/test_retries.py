"""When to ask again, and when not: against a server that answers by script, since a real one seldom does on cue."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import httpx
import msgspec
import pytest

import splito_bot.events
import splito_bot.transport
from splito_bot import SPLITO, Client, NewPerson, Over, Refused, Seats, Turn
from splito_bot.games.splito import SplitoMove
from splito_bot.messages import Problem

MATCH = "0" * 24
BOTS = b'{"bots":["planner"]}'
NOTHING = 0
"""Status of an answer that never begins: the server closes the connection instead."""
AWAY = msgspec.json.encode(
    Problem(type="/v1/problems#unavailable", title="", status=503, detail="Redis does not answer", code="unavailable")
)


class Answer(NamedTuple):
    status: int
    body: bytes = b""
    retry_after: str | None = None
    broken: bool = False
    """True if the headers announce more than is sent."""
    kind: str = "text/event-stream"


class Asked(NamedTuple):
    call: str
    last_event_id: str | None


class Script(msgspec.Struct):
    url: str
    answers: list[Answer]
    asked: list[Asked]


def handler_of(answers: list[Answer], asked: list[Asked]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(Asked(f"{self.command} {self.path}", self.headers["last-event-id"]))
            self.rfile.read(int(self.headers["content-length"] or 0))
            answer = answers.pop(0)
            if answer.status == NOTHING:
                self.close_connection = True
                return
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.kind)
            self.send_header("Content-Length", str(len(answer.body) + answer.broken))
            if answer.retry_after is not None:
                self.send_header("Retry-After", answer.retry_after)
            self.end_headers()
            self.wfile.write(answer.body)

        do_POST = do_PUT = do_DELETE = do_GET  # noqa: N815 (the names they have)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the name it has)
            pass

    return Handler


@pytest.fixture
def script() -> Iterator[Script]:
    """Fill in what shall be answered; look at what was asked."""
    answers: list[Answer] = []
    asked: list[Asked] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler_of(answers, asked))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield Script(f"http://127.0.0.1:{server.server_port}", answers, asked)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def client(script: Script, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    monkeypatch.setattr(splito_bot.events, "PAUSE", 0.0)
    with Client(script.url, retries=3) as client:
        yield client


def create(client: Client) -> None:
    client.create(SPLITO, [NewPerson("Ada")])


def join(client: Client) -> None:
    client.join(SPLITO, MATCH, "Ada")


def leave(client: Client) -> None:
    client.leave(SPLITO, MATCH, 0, "token")


@pytest.mark.parametrize("status", [429, 503])
def test_a_temporary_refusal_is_waited_for(client: Client, script: Script, status: int) -> None:
    script.answers += [Answer(status, AWAY, "0"), Answer(status, AWAY, "0"), Answer(200, BOTS)]
    assert client.house() == ["planner"]
    assert [asked.call for asked in script.asked] == ["GET /v1/house"] * 3


def test_a_temporary_refusal_that_stays_is_raised(client: Client, script: Script) -> None:
    script.answers += [Answer(503, AWAY, "0")] * 5
    with pytest.raises(Refused) as refused:
        leave(client)
    assert (refused.value.code, refused.value.status, refused.value.retry_after) == ("unavailable", 503, 0)
    assert len(script.asked) == 4


def test_a_request_is_sent_once_more_if_its_connection_is_closed_before_an_answer(
    client: Client, script: Script
) -> None:
    script.answers += [Answer(NOTHING), Answer(200, BOTS)]
    assert client.house() == ["planner"]
    assert len(script.asked) == 2


def test_a_connection_that_is_closed_twice_before_an_answer_is_an_error(client: Client, script: Script) -> None:
    script.answers += [Answer(NOTHING)] * 3
    with pytest.raises(httpx.RemoteProtocolError):
        client.house()
    assert len(script.asked) == 2


@pytest.mark.parametrize("request_once", [create, join, leave])
def test_a_request_that_would_get_another_answer_is_not_sent_again_on_a_new_connection(
    client: Client, script: Script, request_once: Callable[[Client], object]
) -> None:
    script.answers += [Answer(NOTHING)] * 2
    with pytest.raises(httpx.RemoteProtocolError):
        request_once(client)
    assert len(script.asked) == 1


@pytest.mark.parametrize(
    ("request_once", "answer"),
    [
        pytest.param(create, Answer(503, AWAY, "0"), id="make a match"),
        pytest.param(join, Answer(503, AWAY, "0"), id="join"),
        pytest.param(leave, Answer(503, AWAY), id="no time is named"),
        pytest.param(leave, Answer(429, AWAY, "3600"), id="the time is too long"),
        pytest.param(leave, Answer(429, AWAY, "Wed, 21 Oct 2026 07:28:00 GMT"), id="the time is a date"),
        pytest.param(leave, Answer(500, AWAY, "0"), id="it does not pass"),
    ],
)
def test_requests_that_create_or_join_a_match_are_not_repeated(
    client: Client, script: Script, request_once: Callable[[Client], object], answer: Answer
) -> None:
    script.answers.append(answer)
    with pytest.raises(Refused):
        request_once(client)
    assert len(script.asked) == 1


def test_a_refusal_by_a_proxy_has_a_code_too(client: Client, script: Script) -> None:
    script.answers.append(Answer(502, b"<h1>Bad gateway</h1>"))
    with pytest.raises(Refused, match=r"/v1/house answered 502 Bad Gateway, .* \(unreadable\)") as refused:
        client.house()
    assert (refused.value.status, refused.value.code, refused.value.legal_moves) == (502, "unreadable", [])


SEATS = b'id: 0-1\nevent: seats\ndata: {"status":"running","seats":[]}\n\n'
TURN = b'id: 1-1\nevent: turn\ndata: {"turn":0,\ndata: "moves":[]}\n\n'
OVER = b'id: 1-1-over\nevent: over\ndata: {"scores":[[6,-28]]}\n\n'
NEWS: list[Seats | Turn[SplitoMove] | Over] = [Seats("running", []), Turn(0, []), Over([[6, -28]])]


@pytest.mark.parametrize(
    "answers",
    [
        pytest.param([Answer(200, SEATS + TURN + OVER)], id="unbroken"),
        pytest.param([Answer(200, SEATS, broken=True), Answer(200, TURN + OVER)], id="between two events"),
        pytest.param([Answer(200, SEATS + TURN[:30], broken=True), Answer(200, TURN + OVER)], id="in an event"),
        pytest.param([Answer(200, SEATS + TURN[:-1], broken=True), Answer(200, TURN + OVER)], id="at its very end"),
        pytest.param([Answer(200, SEATS), Answer(200, TURN + OVER)], id="in good order"),
        pytest.param([Answer(200, SEATS), Answer(503, AWAY, "0"), Answer(200, TURN + OVER)], id="and Redis is away"),
        pytest.param([Answer(200, b"retry: 1000\n\n: still here\n\n" + SEATS + TURN + OVER)], id="comments"),
        pytest.param([Answer(200, b"id: 0-0\nevent: new\ndata: {}\n\n" + SEATS + TURN + OVER)], id="unknown kinds"),
    ],
)
def test_events_come_once_each_wherever_the_connection_breaks(
    client: Client, script: Script, answers: list[Answer]
) -> None:
    script.answers += answers
    assert [event.news for event in client.events(SPLITO, MATCH)] == NEWS
    assert script.answers == []
    assert [asked.last_event_id for asked in script.asked] == [None, *["0-1"] * (len(answers) - 1)]


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_events_go_on_after_an_answer_of_a_proxy_or_a_busy_service(client: Client, script: Script, status: int) -> None:
    script.answers += [Answer(200, SEATS), Answer(status, b"<h1>Wait</h1>"), Answer(200, TURN + OVER)]
    assert [event.news for event in client.events(SPLITO, MATCH)] == NEWS


def test_a_page_instead_of_events_is_an_error(client: Client, script: Script) -> None:
    script.answers += [Answer(200, b"<h1>Welcome</h1>", kind="text/html")]
    with pytest.raises(httpx.RemoteProtocolError, match="without any events"):
        next(client.events(SPLITO, MATCH))


def test_an_endless_event_is_an_error(client: Client, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splito_bot.events, "LARGEST_EVENT", 1000)
    script.answers += [Answer(200, b"data: x\n" * 300)]
    with pytest.raises(httpx.ReadError, match="is too long"):
        next(client.events(SPLITO, MATCH))
    assert len(script.asked) == 1


def test_an_endless_answer_is_an_error(client: Client, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splito_bot.transport, "LARGEST", 1000)
    script.answers += [Answer(200, b" " * 1001 + BOTS)]
    with pytest.raises(httpx.ReadError, match="is too long or too slow"):
        client.house()


def test_events_go_on_from_the_one_that_was_kept(client: Client, script: Script) -> None:
    script.answers.append(Answer(200, OVER))
    assert [event.id for event in client.events(SPLITO, MATCH, "1-1")] == ["1-1-over"]
    assert script.asked[0].last_event_id == "1-1"


def test_a_stream_ends_after_the_last_event(client: Client, script: Script) -> None:
    script.answers.append(Answer(204))
    assert list(client.events(SPLITO, MATCH, "1-1-over")) == []


def test_events_of_a_service_that_was_never_reached_raise_an_error() -> None:
    with Client("http://127.0.0.1:9", timeout=1) as client, pytest.raises(httpx.ConnectError):
        next(client.events(SPLITO, MATCH))


def test_events_of_a_service_that_does_not_come_back_raise_an_error(
    client: Client, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(splito_bot.events, "PATIENCE", 0.0)
    script.answers += [Answer(200, SEATS, broken=True)]
    events = client.events(SPLITO, MATCH)
    assert next(events).news == NEWS[0]
    with pytest.raises(httpx.RemoteProtocolError):
        next(events)
