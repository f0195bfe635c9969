"""The log of a served bot on stderr: a line for each refused request and each fault, and no flood of lines."""

import ast
import re
import socket
from pathlib import Path
from typing import TypeAlias

import httpx
import pytest

import splito_bot.running.connection
import splito_bot.running.routes
from splito_bot import AnyAsk, AnyMove, Bot
from splito_bot.running.limited_log import MOST_LINES, SPAN, LimitedLog
from splito_bot.running.request_log import ADVICE, LOGGED_BEFORE
from splito_bot.running.routes import Gate
from splito_bot.serve import serving
from splito_bot.signing import BadSignature
from tests.sdk.asks import JSON, KEY, NOW, question_of, signed

BODY = question_of("splito").encoded()
OLD = signed(BODY, now=NOW - 301)
ONCE = signed(BODY, message_id="request-once")


def first(ask: AnyAsk) -> AnyMove:
    return ask.moves[0]


def lines(printed: str) -> list[str]:
    return [line for line in printed.splitlines() if "refused" in line]


Sent: TypeAlias = tuple[str, str, bytes, dict[str, str]]

REFUSED: dict[str, tuple[Sent, str]] = {
    "no signature": (("POST", "/ask", BODY, JSON), "refused POST /ask from 127.0.0.1: 401 missing-header: "),
    "bad signature": (("POST", "/ask", BODY + b" ", signed(BODY)), "401 wrong-signature: no signature was made with"),
    "stale time": (("POST", "/ask", BODY, OLD), "401 stale-message: the message is too old"),
    "replay": (("POST", "/ask", BODY, ONCE), "401 replayed: message request-once has come before"),
    "wrong path": (("POST", "/asks", BODY, JSON), "404 not-found: there is nothing at '/asks'"),
    "wrong method": (("GET", "/ask", b"", JSON), "405 not-allowed: ask needs the method POST"),
    "wrong type": (("POST", "/ask", BODY, {"Content-Type": "text/html"}), "415 bad-type: send application/json"),
    "wrong body": (("POST", "/ask", b"{}", signed(b"{}")), "400 bad-request: the body does not match the contract"),
}


@pytest.mark.parametrize(("sent", "said"), REFUSED.values(), ids=REFUSED)
def test_a_refused_request_is_logged_with_its_reason_and_the_next_step(
    sent: Sent, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    method, path, body, headers = sent
    with serving(Bot(first), Gate(KEY.secrets, clock=lambda: NOW)) as url, httpx.Client(base_url=url) as http:
        http.post("/ask", content=BODY, headers=ONCE)
        assert http.request(method, path, content=body, headers=headers).status_code >= 400
    [line] = lines(capfd.readouterr().err)
    assert said in line
    assert ". Next: " in line


def test_a_request_that_is_too_large_or_too_slow_is_logged(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(splito_bot.running.connection, "MAX_BODY", 10)
    monkeypatch.setattr(splito_bot.running.connection, "PATIENCE", 0.2)
    with serving(Bot(first)) as url, httpx.Client(base_url=url) as http:
        assert http.post("/ask", content=BODY, headers=JSON).status_code == 413
        with socket.create_connection((http.base_url.host, http.base_url.port or 0)) as line:
            line.sendall(b"POST /ask HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n1")
            assert line.makefile("rb").read() == b""
    printed = lines(capfd.readouterr().err)
    assert "refused POST /ask from 127.0.0.1: 413 too-large: no more than 10 bytes" in printed[0]
    assert "refused POST /ask from 127.0.0.1: too-slow: the request did not arrive completely" in printed[1]


def test_an_idle_connection_that_is_closed_is_not_logged(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(splito_bot.running.connection, "PATIENCE", 0.05)
    with (
        serving(Bot(first)) as url,
        socket.create_connection((httpx.URL(url).host, httpx.URL(url).port or 0)) as line,
    ):
        assert line.makefile("rb").read() == b""
    assert capfd.readouterr().err == ""


def test_a_flood_of_refused_requests_makes_few_lines_and_their_number(capfd: pytest.CaptureFixture[str]) -> None:
    with serving(Bot(first)) as url, httpx.Client(base_url=url) as http:
        for number in range(40):
            http.get(f"/flood/{number}/" + "x" * 5000)
        http.get("/ask")
    printed = lines(capfd.readouterr().err)
    assert len(printed) == MOST_LINES + 2
    assert printed[-1].endswith("35 more times within 60 s, not shown: refused with 404 not-found")
    assert max(map(len, printed)) < 800


def test_bytes_of_a_sender_cannot_control_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    with serving(Bot(first)) as url, httpx.Client(base_url=url) as http:
        body = b'{"game":"splito\\u001b[31m\\u202e\\nsplito-bot: ready"}'
        http.post("/ask", content=body, headers=JSON)
        http.post("/batch", content=b'{"asks":[%b]}' % BODY.replace(b'"splito"', b'"\\u009b2J"', 1), headers=JSON)
    printed = capfd.readouterr().err
    assert "\\x9b2J" in printed
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", printed)
    assert all(line.startswith("splito-bot: refused ") for line in printed.splitlines())


def test_every_fault_is_logged_with_its_ask_and_each_kind_with_one_traceback(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def moody(ask: AnyAsk) -> AnyMove:
        if ask.game == "splito":
            return 1 / 0
        return dict[str, AnyMove]()["missing"]

    bot = Bot(moody)
    with serving(bot) as url, httpx.Client(base_url=url, headers=JSON) as http:
        for number in range(3):
            for game in ("splito", "splitit"):
                http.post("/ask", content=question_of(game, match_id=f"m{number}").encoded())
    printed = capsys.readouterr().err
    assert printed.count("Traceback (most recent call last)") == 2
    assert printed.count("Next: correct the function") == 2
    for number in range(3):
        assert f"the answer to m{number}-0-0 of splito: the function raised an error: ZeroDivisionError" in printed
        assert f"the answer to m{number}-0-0 of splitit: the function raised an error: KeyError" in printed
    assert "refused" not in printed


def test_lines_left_out_are_counted_when_their_minute_is_over() -> None:
    now, printed = [0.0], list[str]()
    log = LimitedLog(lambda: now[0], printed.append)
    for number in range(MOST_LINES + 7):
        log.tell("a kind", f"line {number}", " with advice")
    log.summarise()
    assert printed == ["line 0 with advice", *(f"line {number}" for number in range(1, MOST_LINES))]
    now[0] = SPAN
    log.summarise()
    assert printed[MOST_LINES:] == ["7 more times within 60 s, not shown: a kind"]
    log.tell("a kind", "again", " with advice")
    assert printed[-1] == "again with advice"


def codes_in(path: Path) -> set[str]:
    """The codes of all refusals that a module raises."""
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    refusals = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Refusal"]
    return {str(call.args[1].value) for call in refusals if isinstance(call.args[1], ast.Constant)}


def test_every_reason_of_a_refusal_has_advice() -> None:
    folder = Path(splito_bot.running.routes.__file__).parent
    raised = {code for path in folder.glob("*.py") for code in codes_in(path)} - {LOGGED_BEFORE}
    signatures = {kind.code for kind in BadSignature.__subclasses__()}
    assert {"not-found", "too-large", "bad-request"} < raised
    assert raised | signatures <= ADVICE.keys()
