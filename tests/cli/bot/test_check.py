"""`splito bot check` from the outside."""

import asyncio
import json
import threading
from collections.abc import Generator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from splito_arena.checks import CHECKS
from splito_cli.bot.check import EXAMPLES, check_bot
from splito_engine.errors import GameError
from tests.arena.checks.check_bots import SECRET, GoodBot, Trusts, address_of
from tests.arena.net.servers import nobody

FIRST = "def choose(ask):\n    return ask.moves[0]\n"
FAILS = "def choose(ask):\n    return ask.moves[0] if ask.players < 12 else None\n"


@contextmanager
def listening(bot: GoodBot) -> Generator[str]:
    """In the background: the program has an event loop of its own."""
    ready: Future[tuple[str, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def listen() -> None:
        end = asyncio.Event()
        async with address_of(bot) as address:
            ready.set_result((address.url, asyncio.get_running_loop(), end))
            await end.wait()

    background = threading.Thread(target=lambda: asyncio.run(listen()))
    background.start()
    url, loop, end = ready.result()
    try:
        yield url
    finally:
        loop.call_soon_threadsafe(end.set)
        background.join()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder, in which Python looks for modules as the program does."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))  # pyright: ignore[reportUnknownMemberType]
    return tmp_path


def test_a_good_bot_at_an_address_is_ready(capsys: pytest.CaptureFixture[str]) -> None:
    with listening(GoodBot()) as url:
        code = check_bot(url, secret=(SECRET,), quick=True)
    out, err = capsys.readouterr()
    assert (code, err) == (0, "")
    assert out.startswith("owl  ·  version 3  ·  4 matches in ")
    assert out.count("✓") == len(CHECKS) + 1
    assert "p99" in out
    assert f"✓ ready to play: {len(CHECKS)} passed" in out


def test_checks_that_need_a_secret_are_shown_as_not_checked_without_one(capsys: pytest.CaptureFixture[str]) -> None:
    with listening(GoodBot(None)) as url:
        code = check_bot(url, quick=True)
    out = capsys.readouterr().out
    assert code == 0
    assert out.count("–  ") == 2
    assert out.count("no secret was given") == 2


def test_a_finding_has_advice(capsys: pytest.CaptureFixture[str]) -> None:
    with listening(Trusts()) as url:
        code = check_bot(url, secret=(SECRET,), quick=True)
    out = capsys.readouterr().out
    assert code == 1
    assert "✗ signature: unsigned" in out
    assert "do     verify the signature of every request" in out
    assert f"✗ not ready to play: {len(CHECKS) - 1} passed, 1 failed" in out


def test_json_is_the_only_output_on_stdout(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "first_of_all.py").write_text(FIRST)
    code = check_bot("first_of_all:choose", games="splitter, highest", quick=True, json=True)
    out, err = capsys.readouterr()
    report = json.loads(out)
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert (report["bot"], report["passed"], report["matches"]) == ("first_of_all:choose", True, 6)
    assert [row["check"] for row in report["rows"]] == [*CHECKS]
    assert report["latency"]["clock"] == {"turn_ms": 1000, "bank_ms": 5000}


def test_requests_are_shown_in_short_and_in_full_with_json(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "fails_with_twelve.py").write_text(FAILS)
    assert check_bot("fails_with_twelve:choose", games="splitter", quick=True) == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert "where splitter, 12 players, turn 0, seat 0" in shown
    assert "do choose one of `moves`, or its index" in shown
    assert "--json shows all)" in shown
    assert check_bot("fails_with_twelve:choose", games="splitter", quick=True, json=True) == 1
    rows = {row["check"]: row for row in json.loads(capsys.readouterr().out)["rows"]}
    [finding] = rows["matches"]["findings"]
    assert json.loads(finding["request"])["players"] == 12
    assert json.loads(finding["response"])["move"] is None


def test_an_installed_bot_is_checked_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert check_bot("greedy", games="highest", quick=True) == 0
    assert "greedy" in capsys.readouterr().out


def test_an_address_without_a_bot_is_not_ready(capsys: pytest.CaptureFixture[str]) -> None:
    assert check_bot(f"http://127.0.0.1:{nobody()}") == 1
    out = capsys.readouterr().out
    assert "✗ info: refused" in out
    assert f"{len(CHECKS) - 1} not checked" in out


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("http://127.0.0.1:8001#x", {}, "bad-address"),
    ("http://127.0.0.1:8001", {"secret": ("whsec_short",)}, "bad-secret"),
    ("http://127.0.0.1:8001", {"games": "chess"}, "unknown-game"),
    ("random", {"secret": (SECRET,)}, "bad-option"),
    ("random", {"limit": 0}, "bad-option"),
    ("nobody", {}, "bad-bot"),
    ("no_such_module:choose", {}, "bad-bot"),
    ("random,greedy", {}, "bad-bot"),
]


@pytest.mark.parametrize(("bot", "options", "code"), WRONG)
def test_a_wrong_option_prints_an_error_and_no_report(
    bot: str, options: dict[str, Any], code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(GameError) as caught:
        check_bot(bot, **options)
    assert (caught.value.code, capsys.readouterr().out) == (code, "")


def test_the_examples_are_of_this_command() -> None:
    assert all(example.startswith("splito bot check ") for example in EXAMPLES)
