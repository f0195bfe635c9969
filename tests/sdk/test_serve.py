"""A bot that is served, asked by the arena's own client and by people who get it wrong."""

import asyncio
import base64
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import splito_bot.running.connection
from splito_arena.bots.push import Push
from splito_arena.bots.push_client import BotClient
from splito_arena.faults import FaultNote
from splito_arena.match import player as players
from splito_arena.match.question import judge
from splito_arena.match.referee import referee
from splito_arena.match.terms import Terms
from splito_arena.net.http_client import Caller
from splito_arena.net.signing import Key, new_secret
from splito_bot import AnyAsk, AnyMove, Bot, BotInfo, Ended, Started
from splito_bot.running.routes import Gate
from splito_bot.serve import serving
from splito_bot.signing import BadSecret
from splito_engine.registry import find_game
from tests.sdk.asks import JSON, KEY, NOW, question_of, signed

GAMES = ("splito", "splitit", "splitter")
INFO = BotInfo(name="Owl", author="Ada", version="1", games=[*GAMES], batch=64, concurrency=4)
PRIVATE = Ed25519PrivateKey.generate()
PUBLIC = "whpk_" + base64.b64encode(PRIVATE.public_key().public_bytes_raw()).decode()


def first(ask: AnyAsk) -> AnyMove:
    return ask.moves[0]


@pytest.fixture
def http() -> Iterator[httpx.Client]:
    """To a bot that knows the secret, at a moment that stands still."""
    gate = Gate(KEY.secrets, clock=lambda: NOW)
    with serving(Bot(first, INFO), gate) as url, httpx.Client(base_url=url) as http:
        yield http


@pytest.fixture
def anybody() -> Iterator[httpx.Client]:
    """To a bot that answers anybody."""
    with serving(Bot(first, INFO)) as url, httpx.Client(base_url=url) as http:
        yield http


def problem(response: httpx.Response) -> tuple[int, str]:
    assert response.headers["content-type"] == "application/problem+json"
    said = response.json()
    assert said["status"] == response.status_code
    assert said["detail"]
    return said["status"], said["code"]


async def ask_by_arena(url: str, key: Key | None, games: tuple[str, ...]) -> list[Any]:
    """All at once, so that batches are made."""
    async with Caller() as caller:
        client = BotClient(caller, url, key, allow_private=True)
        info = await client.info()
        if key is not None:
            await client.prove()
        player = Push(client, info)
        match = secrets.token_hex(4)
        questions = [question_of(game, turn, f"{match}-{game}-{turn}") for game in games for turn in range(5)]
        heard = await asyncio.gather(*(players.asked(player, question) for question in questions))
        for question, one in zip(questions, heard, strict=True):
            judge(question, one.answer)  # pyright: ignore[reportArgumentType] (a fault is no answer, and fails)
        return heard


@pytest.mark.parametrize("batch", [0, 64])
def test_a_served_bot_answers_signed_asks_and_passes_the_proof(batch: int) -> None:
    key = Key(new_secret())
    bot = Bot(first, msgspec.structs.replace(INFO, batch=batch))
    with serving(bot, Gate(key.secrets)) as url:
        heard = asyncio.run(ask_by_arena(url, key, GAMES))
    assert len(heard) == 15
    assert any(b"answers" in one.response for one in heard) == (batch > 0)


def test_requests_are_accepted_at_every_moment_of_a_change_of_the_secret() -> None:
    old, new = new_secret(), new_secret()
    with serving(Bot(first, INFO), Gate([new, old])) as url:
        for key in (Key(old), Key(new, old), Key(new)):
            asyncio.run(ask_by_arena(url, key, ("splitter",)))


def test_a_bot_with_the_public_key_alone_accepts_requests_of_the_arena() -> None:
    key = Key(new_secret(), ed25519=(PRIVATE.sign,), recipient="owl")
    with serving(Bot(first, INFO), Gate(key.secrets, PUBLIC, bot_id="owl")) as url:
        asyncio.run(ask_by_arena(url, key, ("splitter",)))
        with httpx.Client(base_url=url) as http:
            hmac_only = signed(key=Key(key.current), now=int(time.time()))
            assert problem(http.get("/info", headers=hmac_only)) == (401, "wrong-signature")
            for_fox = signed(key=msgspec.structs.replace(key, recipient="fox"), now=int(time.time()))
            assert problem(http.get("/info", headers=for_fox)) == (401, "wrong-recipient")
    with pytest.raises(BadSecret, match="needs the id of the bot"):
        Gate(key.secrets, PUBLIC)


def test_a_whole_match_is_played_over_http() -> None:
    started: list[Started[Any]] = []
    ended: list[Ended] = []
    told = threading.Event()

    def on_end(notice: Ended) -> None:
        ended.append(notice)
        told.set()

    async def play(url: str) -> Any:
        async with Caller() as caller:
            client = BotClient(caller, url, None, allow_private=True)
            seats = [Push(client, await client.info()) for _ in range(3)]
            terms = Terms(game=find_game("splito"), match="m1", seed="7", salt="0" * 64)
            played = await referee(terms, seats, lambda seat: seats[seat])
            await asyncio.to_thread(told.wait, 10)
            return played

    with serving(Bot(first, INFO, started.append, on_end)) as url:
        played = asyncio.run(play(url))
    assert [seat.faults for seat in played.seats] == [()] * 3
    assert {notice.options.deck for notice in started} == {"standard"}
    assert ended[0].scores == [list(points) for points in played.record.scores]


def test_notices_have_the_types_of_the_contract(anybody: httpx.Client) -> None:
    note = FaultNote(3, "time-out", "too late")
    body = {"game": "splito", "match": "m1", "seat": 0, "scores": [[1, 2]], "places": [1.0], "replaced": False}
    ended = msgspec.json.encode({**body, "faults": [note]})
    assert anybody.post("/end", content=ended, headers=JSON).json() == {}
    assert problem(anybody.post("/end", content=b"{}", headers=JSON)) == (400, "bad-request")
    assert problem(anybody.post("/start", content=b'{"game":"splito"}', headers=JSON)) == (400, "bad-request")


BODY = question_of("splito").encoded()


def test_requests_with_wrong_signatures_are_refused(http: httpx.Client) -> None:
    def ask(headers: dict[str, str]) -> tuple[int, str]:
        return problem(http.post("/ask", content=BODY, headers=headers))

    assert ask(JSON) == (401, "missing-header")
    assert ask(signed(BODY + b" ")) == (401, "wrong-signature")
    assert ask(signed(BODY, Key(new_secret()))) == (401, "wrong-signature")
    assert ask(signed(BODY, now=NOW - 301)) == (401, "stale-message")
    assert problem(http.get("/info")) == (401, "missing-header")
    assert problem(http.post("/challenge", json={"challenge": "x"})) == (401, "missing-header")


def test_a_repeated_request_is_refused_and_a_repeated_ask_answered(http: httpx.Client) -> None:
    once = signed(BODY)
    answer = http.post("/ask", content=BODY, headers=once)
    assert answer.status_code == 200
    assert problem(http.post("/ask", content=BODY, headers=once)) == (401, "replayed")
    assert http.post("/ask", content=BODY, headers=signed(BODY)).json() == answer.json()


def test_the_signature_of_a_get_request_covers_an_empty_body(http: httpx.Client) -> None:
    assert http.get("/info", headers=signed()).json()["name"] == "Owl"


WRONG: list[tuple[str, str, bytes, dict[str, str], tuple[int, str]]] = [
    ("GET", "/", b"", JSON, (404, "not-found")),
    ("GET", "/asks", b"", JSON, (404, "not-found")),
    ("GET", "/ask", b"", JSON, (405, "not-allowed")),
    ("DELETE", "/info", b"", JSON, (405, "not-allowed")),
    ("POST", "/ask", BODY, {"Content-Type": "text/plain"}, (415, "bad-type")),
    ("POST", "/ask", BODY, {}, (415, "bad-type")),
    ("POST", "/ask", BODY, {**JSON, "Content-Encoding": "gzip"}, (415, "bad-type")),
    ("POST", "/ask", b"", JSON, (400, "bad-request")),
    ("POST", "/ask", b"[]", JSON, (400, "bad-request")),
    ("POST", "/ask", b'{"game":"splito"}', JSON, (400, "bad-request")),
    ("POST", "/ask", b'{"game":3}', JSON, (400, "bad-request")),
    ("POST", "/ask", b"\xff", JSON, (400, "bad-request")),
    ("POST", "/ask", b"[" * 100_000, JSON, (400, "bad-request")),
    ("POST", "/ask", b'{"game":"splito","id":' + b"[" * 100_000, JSON, (400, "bad-request")),
    ("POST", "/ask", BODY.replace(b'"splito"', b'"chess"', 1), JSON, (400, "unknown-game")),
    ("POST", "/batch", b'{"asks":[%b]}' % b",".join([BODY] * 65), JSON, (400, "too-many")),
    ("POST", "/challenge", b'{"challenge":"x"}', JSON, (409, "no-secret")),
]


@pytest.mark.parametrize("case", WRONG, ids=lambda case: f"{case[0]} {case[1]} {case[2][:20]!r} {case[4][1]}")
def test_a_wrong_request_gets_a_problem_with_the_reason(
    anybody: httpx.Client, case: tuple[str, str, bytes, dict[str, str], tuple[int, str]]
) -> None:
    method, path, body, headers, said = case
    assert problem(anybody.request(method, path, content=body, headers=headers)) == said
    assert anybody.get("/info").status_code == 200


def test_the_answer_to_a_head_request_has_no_body(anybody: httpx.Client) -> None:
    assert (anybody.head("/info").status_code, anybody.head("/info").content) == (405, b"")


def test_a_wrong_method_gets_405_with_the_allowed_method(anybody: httpx.Client) -> None:
    assert anybody.get("/ask").headers["allow"] == "POST"


def test_a_bot_can_be_served_below_any_path(anybody: httpx.Client) -> None:
    assert anybody.get("/bots/owl/info?x=1").json()["name"] == "Owl"


def test_a_request_that_is_too_large_is_refused(anybody: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splito_bot.running.connection, "MAX_BODY", 100_000)
    response = anybody.post("/ask", content=b" " * 1_000_000, headers=JSON)
    assert problem(response) == (413, "too-large")
    assert response.headers["connection"] == "close"
    chunks = (b" " * 10_000 for _ in range(11))
    assert problem(anybody.post("/ask", content=chunks, headers=JSON)) == (413, "too-large")


def test_one_connection_serves_many_requests(anybody: httpx.Client) -> None:
    with socket.create_connection((anybody.base_url.host, anybody.base_url.port or 0)) as line:
        line.sendall(b"GET /info HTTP/1.1\r\nHost: x\r\n\r\n" * 3)
        line.shutdown(socket.SHUT_WR)
        assert line.makefile("rb").read().count(b"HTTP/1.1 200 OK") == 3


def talk(http: httpx.Client, sent: bytes) -> bytes:
    """All that comes back before the bot closes the connection."""
    with socket.create_connection((http.base_url.host, http.base_url.port or 0)) as line:
        line.sendall(sent)
        return line.makefile("rb").read()


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET /info HTTP/1.1\r\n\r\n", b"400"),
        (b"POST /ask HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", b"400"),
        (b"POST /ask HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", b"501"),
        (b"GET /info HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 100_000 + b"\r\n\r\n", b"431"),
    ],
)
def test_malformed_http_is_refused_and_the_connection_closed(anybody: httpx.Client, sent: bytes, status: bytes) -> None:
    response = talk(anybody, sent)
    assert response.startswith(b"HTTP/1.1 " + status)
    assert b"Connection: close" in response


def test_a_client_that_expects_100_continue_gets_it(anybody: httpx.Client) -> None:
    head = b"POST /ask HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\n"
    head += b"Content-Type: application/json\r\n"
    with socket.create_connection((anybody.base_url.host, anybody.base_url.port or 0)) as line:
        line.sendall(head + b"Content-Length: %d\r\n\r\n" % len(BODY))
        assert line.recv(1000).startswith(b"HTTP/1.1 100")
        line.sendall(BODY)
        assert b'"ask":"m1-0-0"' in line.makefile("rb").read()


def test_a_connection_whose_request_stops_coming_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(splito_bot.running.connection, "PATIENCE", 0.01)
    with serving(Bot(first, INFO)) as url, httpx.Client(base_url=url) as http:
        assert talk(http, b"POST /ask HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n1") == b""


def test_a_function_that_raises_is_a_500_and_the_next_ask_goes_well(capfd: pytest.CaptureFixture[str]) -> None:
    def moody(ask: AnyAsk) -> AnyMove:
        return ask.moves[0] if ask.game == "splito" else 1 / 0

    with serving(Bot(moody, INFO)) as url, httpx.Client(base_url=url, headers=JSON) as http:
        failed = http.post("/ask", content=question_of("splitit").encoded())
        assert problem(failed) == (500, "crashed")
        assert "ZeroDivisionError" in failed.json()["detail"]
        bodies = [question_of(game).encoded() for game in ("splito", "splitit")]
        both = http.post("/batch", content=b'{"asks":[%b]}' % b",".join(bodies))
        assert [answer["move"]["card"] for answer in both.json()["answers"]] == ["r2"]
        assert problem(http.post("/batch", content=b'{"asks":[%b]}' % bodies[1])) == (500, "crashed")
    assert "in moody" in capfd.readouterr().err


def test_info_is_answered_while_the_bot_thinks() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(ask: AnyAsk) -> AnyMove:
        begun.set()
        go_on.wait()
        return ask.moves[0]

    with serving(Bot(slow, msgspec.structs.replace(INFO, concurrency=1))) as url, ThreadPoolExecutor() as threads:
        thinking = threads.submit(httpx.post, f"{url}/ask", content=BODY, headers=JSON, timeout=60)
        begun.wait()
        assert httpx.get(f"{url}/info").status_code == 200
        go_on.set()
        assert thinking.result().status_code == 200


def test_a_bot_thinks_about_as_many_asks_at_once_as_its_concurrency() -> None:
    together = threading.Barrier(4)

    def sociable(ask: AnyAsk) -> AnyMove:
        together.wait(30)  # it passes only if all four are here
        return ask.moves[0]

    with serving(Bot(sociable, INFO)) as url, ThreadPoolExecutor() as threads:
        bodies = [question_of("splito", match_id=f"m{number}").encoded() for number in range(4)]
        asked = [threads.submit(httpx.post, f"{url}/ask", content=body, headers=JSON, timeout=60) for body in bodies]
        assert [answer.result().status_code for answer in asked] == [200] * 4


def test_asks_in_progress_at_the_end_are_still_answered() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(ask: AnyAsk) -> AnyMove:
        begun.set()
        go_on.wait()
        return ask.moves[0]

    def hung_up(line: socket.socket) -> None:
        """Check that a client that is not being answered is disconnected, while a bot still thinks."""
        with line:
            assert line.recv(1) == b""
        go_on.set()

    with ThreadPoolExecutor() as threads:
        with serving(Bot(slow, INFO)) as url:
            idle = socket.create_connection(("127.0.0.1", httpx.URL(url).port or 0))
            thinking = threads.submit(httpx.post, f"{url}/ask", content=BODY, headers=JSON, timeout=60)
            begun.wait()
            waiting = threads.submit(hung_up, idle)
        waiting.result()
        assert thinking.result().headers["connection"] == "close"


def test_a_port_in_use_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="address already in use"):  # noqa: SIM117
        with serving(Bot(first, INFO), port=taken.getsockname()[1]):
            pass
