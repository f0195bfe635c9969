"""`splito bot serve` from the outside: a process that is asked over HTTP."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx
import pytest

from splito_arena.checks import CHECKS
from splito_arena.match.question import History, question
from splito_arena.net.signing import new_secret
from splito_engine.match import start
from splito_engine.player import Time
from splito_engine.registry import games
from tests.cli.conftest import Splito

LIMIT = 60.0
"""Seconds."""
HOUSE = ["splitit", "splito", "splitter"]
MINE = """
import threading

thinking = threading.Lock()

def last(ask):
    return ask.moves[-1]

def fails(ask):
    raise KeyError(ask.game)

def alone(ask):
    if not thinking.acquire(blocking=False):
        raise RuntimeError("two asks at a time")
    for _ in range(1_000_000):
        pass
    thinking.release()
    return ask.moves[0]
"""


class Served:
    """A bot in a process of its own."""

    def __init__(self, process: "subprocess.Popen[str]", ready: dict[str, Any]) -> None:
        self.url: str = ready["url"]
        self.info: dict[str, Any] = ready["info"]
        self.signed: bool = ready["signed"]
        self._process = process

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str, str]:
        self._process.send_signal(number)
        out, err = self._process.communicate(timeout=LIMIT)
        return self._process.returncode, out, err


@contextmanager
def started(folder: Path, *words: str, **environ: str) -> Generator["subprocess.Popen[str]"]:
    """Killed if it is not stopped in time."""
    (folder / "mine.py").write_text(MINE)
    command = [sys.executable, "-m", "splito_cli", "bot", "serve", *words]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=folder, env={**os.environ, "COLUMNS": "300", **environ}, **pipes) as process:
        alarm = threading.Timer(LIMIT, process.kill)
        alarm.start()
        try:
            yield process
        finally:
            alarm.cancel()
            process.kill()


@contextmanager
def serving(folder: Path, *words: str, **environ: str) -> Generator[Served]:
    with started(folder, *words, "--port", "0", "--json", **environ) as process:
        assert process.stdout is not None
        yield Served(process, json.loads(process.stdout.readline()))


def test_a_served_house_bot_passes_all_checks(splito: Splito, tmp_path: Path) -> None:
    secret = new_secret()
    words = ("planner", "--batch", "16", "--concurrency", "2")
    with serving(tmp_path, *words, SPLITO_BOT_SECRET=secret) as bot:
        run = splito("bot", "check", bot.url, "--secret", secret, "--quick", "--json")
        stopped = bot.stop()
    report = json.loads(run.out)
    found = {row["check"]: row["outcome"] for row in report["rows"]}
    assert (run.code, report["passed"], report["matches"]) == (0, True, 12)
    assert {check for check, outcome in found.items() if outcome == "passed"} == CHECKS.keys() - {"notices"}
    assert stopped[:2] == (0, "")
    assert "A check of the arena sends some on purpose" in stopped[2] or "refused POST" in stopped[2]
    assert "Traceback" not in stopped[2]


def test_a_served_function_without_a_secret_passes_all_checks(splito: Splito, tmp_path: Path) -> None:
    with serving(tmp_path, "mine:last", "--games", "splitter,highest") as bot:
        run = splito("bot", "check", bot.url, "--quick")
        curl = httpx.get(f"{bot.url}/info")
    assert run.code == 0, run.out
    assert curl.json() == bot.info
    assert (bot.info["name"], bot.info["version"], bot.info["games"]) == ("mine:last", "1", ["splitter", "highest"])
    assert (bot.info["concurrency"], bot.info["batch"], bot.signed) == (1, 0, False)


def test_a_served_bot_plays_the_same_moves_over_http_as_in_this_process(splito: Splito, tmp_path: Path) -> None:
    with serving(tmp_path, "greedy", "--batch", "8") as bot:
        for word, folder in (("greedy", "here"), (bot.url, "there")):
            words = ("match", "splitter", word, "random", "--deals", "4", "--seed", "7", "--clock", "20000,0")
            assert splito(*words, "--records", str(tmp_path / folder)).code == 0
    here, there = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("here", "there"))
    assert here == there
    assert len(here) == 4


def test_the_info_of_a_house_bot_has_its_games_and_the_version_of_this_program(tmp_path: Path) -> None:
    with serving(tmp_path, "planner", "--name", "owl", "--author", "Ada", SPLITO_BOT_SECRET=new_secret()) as bot:
        assert (bot.info["name"], bot.info["author"]) == ("owl", "Ada")
        assert sorted(bot.info["games"]) == HOUSE  # it declines what it does not know
        assert bot.info["version"] == version("splito-arena")
        assert bot.signed
        assert httpx.get(f"{bot.url}/info").status_code == 401


def test_a_function_that_fails_at_once_is_served_and_its_traceback_printed(tmp_path: Path) -> None:
    with serving(tmp_path, "mine:fails", "--bot-version", "2") as bot:
        assert (bot.info["games"], bot.info["version"]) == ([*games()], "2")
        asked = question(start(games()["splito"], 3, "7"), 0, "m-1", History(), time=Time(1000, 1000, 0))
        said = httpx.post(f"{bot.url}/ask", content=asked.encoded(), headers={"Content-Type": "application/json"})
        code, out, err = bot.stop()
    assert (said.status_code, said.json()["code"]) == (500, "crashed")
    assert (code, out) == (0, "")
    raised = "splito-bot: the answer to m-1-0-0 of splito: the function raised an error: KeyError: 'splito'\nTraceback"
    assert err.startswith(raised)
    assert "KeyError: 'splito'\nNext: correct the function" in err


def test_a_function_thinks_about_one_ask_at_a_time_whatever_its_concurrency(tmp_path: Path) -> None:
    with (
        serving(tmp_path, "mine:alone", "--games", "splito", "--concurrency", "4") as bot,
        ThreadPoolExecutor() as threads,
    ):
        asks = [
            question(start(games()["splito"], 3, "7"), 0, f"m-{number}", History(), time=Time(1000, 1000, 0)).encoded()
            for number in range(4)
        ]
        headers = {"Content-Type": "application/json"}
        sent = [threads.submit(httpx.post, f"{bot.url}/ask", content=ask, headers=headers, timeout=60) for ask in asks]
        assert [answer.result().status_code for answer in sent] == [200] * 4


def test_a_served_bot_accepts_both_secrets_during_a_change(splito: Splito, tmp_path: Path) -> None:
    new, old = new_secret(), new_secret()
    with serving(tmp_path, "mine:last", "--games", "splitter", "--secret", new, "--secret", old) as bot:
        for secret in (new, old):
            assert splito("bot", "check", bot.url, "--secret", secret, "--quick").code == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_address_is_printed_with_a_warning_that_requests_are_not_checked(number: int, tmp_path: Path) -> None:
    with started(tmp_path, "mine:last", "--port", "0", "--games", "splito") as process:
        assert process.stdout is not None
        told = process.stdout.readline()
        process.send_signal(number)
        rest, errors = process.communicate(timeout=LIMIT)
    assert told.startswith("mine:last 1 plays splito at http://127.0.0.1:")
    assert told.endswith("; Ctrl-C stops it\n")
    assert (process.returncode, rest) == (0, "Stopped.\n")
    assert errors == "Without --secret or SPLITO_BOT_SECRET, every program that reaches this address may ask the bot.\n"


def test_a_port_in_use_is_reported_in_one_line(splito: Splito) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        run = splito("bot", "serve", "random", "--port", str(taken.getsockname()[1]))
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
    assert run.err.startswith("splito: no-port: cannot listen at 127.0.0.1")


WRONG = [
    ("bot serve", "usage", "--help"),
    ("bot serve nobody", "bad-bot", "splito bots"),
    ("bot serve random,greedy", "bad-bot", "2 bots for 1 seat"),
    ("bot serve no_such_module:choose", "bad-bot", "cannot be imported"),
    ("bot serve random --games chess", "unknown-game", "splito games"),
    ("bot serve random --batch 65", "bad-option", "`$.batch`"),
    ("bot serve random --concurrency 0", "bad-option", "`$.concurrency`"),
    ("bot serve random --port 70000", "no-port", "--port 0"),
    ("bot serve random --secret whsec_x", "bad-secret", "24 to 64 bytes"),
]


@pytest.mark.parametrize(("words", "code", "advice"), WRONG)
def test_an_error_is_printed_in_one_line(words: str, code: str, advice: str, splito: Splito) -> None:
    run = splito(*words.split())
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
    assert run.err.startswith(f"splito: {code}: ")
    assert advice in run.err


def test_help_has_examples(splito: Splito) -> None:
    run = splito("bot", "serve", "--help")
    assert "splito bot serve greedy" in run.out.partition("Examples:")[2]
