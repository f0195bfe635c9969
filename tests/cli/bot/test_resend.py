"""`splito bot resend` from the outside: an ask out of a log, and what a bot answers to it now."""

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from splito_arena.net.signing import new_secret, verify
from splito_engine.registry import games
from tests.arena.net.servers import HOST, JSON, Serve, nobody, read_request
from tests.arena.playing import first, last, plays
from tests.cli.conftest import Splito
from tests.cli.serving import served

OOPS = b"HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n"
FAULT = {"code": "time-out", "detail": "no complete answer in time: nothing within 6 s"}


@pytest.fixture
def log(splito: Splito, tmp_path: Path) -> Path:
    return logged(splito, tmp_path, "splitter")


def logged(splito: Splito, tmp_path: Path, game: str, **info: Any) -> Path:
    """The log of a bot that always plays its last move."""
    with served(plays(last, **info)) as url:
        words = ("match", game, url, "random", "greedy", "--deals", "1", "--log", str(tmp_path / "asks"))
        assert splito(*words).code == 0
    return tmp_path / "asks" / "guest.jsonl"


def an_ask(log: Path, place: int = 7) -> dict[str, Any]:
    return json.loads(log.read_text("utf-8").splitlines()[place])


def service(answer: Callable[[str, str], tuple[int, Any]]) -> Serve:
    """A server that is asked for a path with a key."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head, _ = await read_request(reader)
        keys = [line.decode().partition(": ")[2] for line in head if line.lower().startswith(b"authorization: ")]
        status, said = answer(head[0].decode().split()[1], keys[0])
        body = json.dumps(said).encode()
        writer.write(JSON.replace(b"200 OK", b"%d Said" % status) + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()

    return serve


@pytest.mark.parametrize("game", games())
def test_an_ask_that_is_sent_again_to_the_same_bot_gets_the_same_answer(
    game: str, splito: Splito, tmp_path: Path
) -> None:
    log, seen = logged(splito, tmp_path, game), list[bytes]()
    ask = an_ask(log, 1)
    with served(plays(last, lambda _, body: seen.append(body))) as url:
        run = splito("bot", "resend", ask["id"], "--from", str(log), "--to", url, "--json")
    told = json.loads(run.out)
    assert (run.code, run.err, told["same"]) == (0, "", True)
    assert seen == [ask["request"].encode()]
    assert told["then"]["move"] == told["now"]["move"] != ""
    assert told["then"]["elapsed_ms"] == ask["elapsed_ms"]
    assert (told["now"]["fault"], told["now"]["debug"]) == (None, f"turn {ask['turn']}")


def test_the_old_and_the_new_answer_are_printed_side_by_side(log: Path, splito: Splito) -> None:
    ask = an_ask(log)
    with served(plays(first)) as url:
        run = splito("bot", "resend", ask["id"], "--from", str(log), "--to", url)
    assert run.code == 0
    lines = {line.split()[0]: line.split()[1:] for line in run.out.splitlines() if line.strip()}
    assert lines["then"] == ["now"]
    assert len({*lines["move"]}) == 2
    assert lines["verdict"] == ["✓", "legal", "✓", "legal"]
    assert "ms" in lines["time"]
    assert "Not the same decision" in run.out


@pytest.mark.parametrize(
    ("reply", "code"),
    [({"move": {"row": 1, "column": 1, "left": 1}}, "illegal-move"), ({}, "wrong-schema"), (OOPS, "bad-status")],
)
def test_an_illegal_answer_gives_exit_code_1(reply: Any, code: str, log: Path, splito: Splito) -> None:
    with served(plays(lambda _: reply)) as url:
        run = splito("bot", "resend", an_ask(log)["id"], "--from", str(log), "--to", url)
    assert run.code == 1
    assert "✓ legal" in run.out
    assert f"✗ {code}" in run.out


def test_a_function_of_a_local_match_can_be_asked_over_http_afterwards(splito: Splito, tmp_path: Path) -> None:
    words = ("match", "splito", "planner", "random", "random", "--deals", "1", "--log", str(tmp_path))
    assert splito(*words).code == 0
    log = tmp_path / "planner.jsonl"
    with served(plays(last)) as url:
        run = splito("bot", "resend", an_ask(log)["id"], "--from", str(log), "--to", url, "--json")
    told = json.loads(run.out)
    assert told["then"]["move"]
    assert told["then"]["fault"] is None


def test_an_answer_in_a_batch_is_found(splito: Splito, tmp_path: Path) -> None:
    log = logged(splito, tmp_path, "splitter", batch=16)
    batched = next(
        json.loads(line) for line in log.read_text("utf-8").splitlines() if "answers" in json.loads(line)["response"]
    )
    with served(plays(last)) as url:
        run = splito("bot", "resend", batched["id"], "--from", str(log), "--to", url, "--json")
    assert json.loads(run.out)["same"] is True


def test_the_ask_is_signed_again_with_a_new_time(log: Path, splito: Splito) -> None:
    secret, ids = new_secret(), list[str]()

    def check(headers: dict[str, str], body: bytes) -> None:
        ids.append(verify([secret], headers, body, time.time()))

    with served(plays(last, check)) as url:
        for _ in range(2):
            words = ("bot", "resend", an_ask(log)["id"], "--from", str(log), "--to", url, "--secret", secret)
            assert splito(*words).code == 0
    assert len({*ids}) == 2


def test_an_ask_of_the_service_is_read_with_a_key(log: Path, splito: Splito) -> None:
    ask, asked = an_ask(log), list[tuple[str, str]]()

    def answer(path: str, key: str) -> tuple[int, Any]:
        asked.append((path, key))
        return 200, {**ask, "when": "2026-11-16T12:00:00Z", "earlier": [], "response": "", "fault": FAULT}

    with served(plays(last)) as url, served(service(answer)) as arena:
        where = ("--bot", "owl", "--url", arena, "--key", "secret")
        run = splito("bot", "resend", ask["id"], *where, "--to", url)
    assert asked == [(f"/v1/bots/owl/asks/{ask['id']}", "Bearer secret")]
    assert run.code == 0
    assert "✗ time-out" in run.out
    assert "✓ legal" in run.out
    assert "secret" not in run.out


def test_a_refusal_of_the_service_is_printed(splito: Splito) -> None:
    problem = {"type": "/v1/problems#no-key", "title": "", "code": "no-key", "detail": "no such key", "status": 401}
    with served(service(lambda _path, _key: (401, problem))) as arena:
        run = splito(
            "bot", "resend", "x", "--bot", "owl", "--url", arena, "--key", "k", "--to", "http://localhost:8001"
        )
    assert run.code == 2
    assert "no-key: no such key" in run.err


@pytest.mark.parametrize(
    ("status", "why"),
    [(200, "Expected `object`, got `array`"), (301, "status 301"), (500, "status 500")],
)
def test_an_answer_that_is_not_of_a_service_is_reported(status: int, why: str, splito: Splito) -> None:
    with served(service(lambda _path, _key: (status, ["hello"]))) as arena:
        run = splito(
            "bot", "resend", "x", "--bot", "owl", "--url", arena, "--key", "k", "--to", "http://localhost:8001"
        )
    assert run.code == 2
    assert run.err.startswith("splito: unreachable: ")
    assert why in run.err


def test_wrong_arguments_are_reported_in_one_line(log: Path, splito: Splito, tmp_path: Path) -> None:
    ask, to = an_ask(log)["id"], ("--to", "http://localhost:8001")
    away = f"http://{HOST}:{nobody()}"
    (tmp_path / "text").write_text("hello\n")
    cases = [
        ((ask, *to), "not-logged-in", "`splito login URL`"),
        ((ask, *to, "--from", str(log), "--key", "k"), "bad-option", "leave out --bot"),
        (("nothing", *to, "--from", str(log)), "bad-option", "has no ask 'nothing'"),
        ((ask, *to, "--from", str(tmp_path / "none")), "bad-option", "is no file of asks"),
        ((ask, *to, "--from", str(tmp_path / "text")), "bad-option", "is no file of asks"),
        ((ask, "--from", str(log), "--to", "localhost"), "bad-bot", "http://host:port"),
        ((ask, "--from", str(log), *to, "--secret", "x"), "bad-secret", "whsec_"),
        ((ask, *to, "--bot", "b", "--key", "k", "--url", "arena"), "bad-option", "is no address of a service"),
        ((ask, *to, "--bot", "b", "--key", "k", "--url", away), "unreachable", "no service at"),
        ((ask, "--from", str(log)), "usage", "--to"),
    ]
    for words, code, advice in cases:
        run = splito("bot", "resend", *words)
        assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
        assert run.err.startswith(f"splito: {code}: ")
        assert advice in run.err


def test_a_bot_that_cannot_be_reached_is_the_fault_of_the_new_answer(log: Path, splito: Splito) -> None:
    run = splito("bot", "resend", an_ask(log)["id"], "--from", str(log), "--to", f"http://{HOST}:{nobody()}")
    assert run.code == 1
    assert "✗ refused" in run.out


def test_help_has_examples(splito: Splito) -> None:
    run = splito("bot", "resend", "--help")
    assert run.code == 0
    assert "splito bot resend" in run.out.partition("Examples:")[2]
