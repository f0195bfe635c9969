"""`splito arena` from the outside: a page for a pipe, JSON for a program, and keys on a terminal."""

import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import httpx
import pytest

from splito_cli.dashboard.keys import names
from splito_cli.dashboard.model import Ask, Fault, course, games_of, latency_of
from splito_service.processes.embedded_redis import open_server
from tests.cli.conftest import Splito
from tests.service.bots.own_bot import Marvin
from tests.service.holding import LIMIT
from tests.service.owners.test_keys import Ada
from tests.service.polling import GREEDY, PRIVATE, begin, eventually, turns_of
from tests.service.process import running
from tests.service.pushed import INFO, PushBot, serving

SIZE = (40, 160)
"""Rows and columns of the terminal."""


class Scene(NamedTuple):
    """A bot that has played a match with one fault, and answers again."""

    url: str
    ada: Ada
    marvin: Marvin
    served: PushBot

    @property
    def words(self) -> tuple[str, ...]:
        return "arena", self.marvin.made["id"], "--url", self.url, "--key", self.ada.key


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    with (
        open_server(tmp_path_factory.mktemp("arena")) as server,
        running(server.url, PRIVATE) as process,
        httpx.Client(base_url=process.url, timeout=LIMIT) as api,
        serving() as served,
    ):
        ada = Ada(api)
        marvin = Marvin(ada, served.url)
        served.secret, served.info = marvin.secret, {**INFO, "games": ["splitter", "splito"]}
        marvin.prove()
        served.choose = lambda ask: {"index": 999 if ask["turn"] == 3 else 0}
        seat = {"kind": "bot", "bot": marvin.made["id"]}
        list(turns_of(api, begin(api, "splitter", [seat, GREEDY])))
        eventually(lambda: marvin.ask("GET", "/asks?limit=100").json()["asks"], lambda asks: len(asks) == 22)
        served.choose = lambda _: {"index": 0}
        yield Scene(process.url, ada, marvin, served)


def test_a_pipe_gets_the_page_once(scene: Scene, splito: Splito) -> None:
    found = splito(*scene.words)
    assert (found.code, found.err) == (0, "")
    assert re.search(r"> Marvin 1\.0 +ready +no .* 1 +\d+ ms +\d+ ms", found.out)
    assert re.search(r"\n\w+ +splitter +22 +1 *\n", found.out), "one match with 22 asks and one fault"
    assert "illegal-move" not in found.out, "the fault is older than the asks that are shown"


def test_json_has_the_same_facts(scene: Scene, splito: Splito) -> None:
    found = splito(*scene.words, "--once", "--json")
    [one] = json.loads(found.out)["bots"]
    assert (one["bot"]["name"], one["bot"]["state"], one["faults"], len(one["asks"])) == ("Marvin", "ready", 1, 22)
    assert [(game["asks"], game["faults"]) for game in one["games"]] == [(22, 1)]
    assert 0 < one["latency"]["p50"] <= one["latency"]["p95"]
    assert {ask["status"] for ask in one["asks"]} == {200}


def test_a_failing_bot_shows_its_reason(scene: Scene, splito: Splito) -> None:
    scene.served.status, scene.served.problem = 500, {"detail": "the \x1b[31mmodel is missing"}
    try:
        list(
            turns_of(
                scene.ada.api, begin(scene.ada.api, "splito", [GREEDY, {"kind": "bot", "bot": scene.marvin.made["id"]}])
            )
        )
        eventually(scene.marvin.look, lambda bot: bot["own"]["reason"] is not None)
        out = splito(*scene.words).out
    finally:
        scene.served.status, scene.served.problem = 200, None
    assert "Marvin: a house bot took over in match" in out
    assert re.search(r"500 +✗ bad-status: the status is not 200: 500, the \\x1b\[31mmodel is missing", out)


def test_a_service_that_is_away_ends_with_a_message(splito: Splito) -> None:
    found = splito("arena", "b", "--url", "http://127.0.0.1:1", "--key", "key-" + "0" * 40)
    assert (found.code, found.out) == (2, "")
    assert "no service" in found.err


def test_without_a_name_all_bots_of_the_owner_are_shown(scene: Scene, splito: Splito) -> None:
    found = splito("arena", *scene.words[2:], "--json")
    assert [one["bot"]["name"] for one in json.loads(found.out)["bots"]] == ["Marvin"]
    assert json.loads(splito("arena", "Marvin", *scene.words[2:], "--json").out) == json.loads(found.out)
    bob = Ada(scene.ada.api)
    nothing = splito("arena", "--url", scene.url, "--key", bob.key)
    assert (nothing.code, nothing.out) == (2, "")
    assert "you have no bot at this arena" in nothing.err


def test_an_unknown_bot_or_key_ends_with_a_message(scene: Scene, splito: Splito) -> None:
    assert "unknown-bot" in splito("arena", "0" * 24, *scene.words[2:]).err
    assert "no-key" in splito(*scene.words[:-1], "key-nobody").err


def test_keys_choose_an_ask_send_it_again_and_start_an_experiment(scene: Scene, tmp_path: Path) -> None:
    with terminal(tmp_path, *scene.words, "--to", scene.served.url) as typing:
        assert "q quit" in typing.until("q quit")
        typing.press("\x1b[Br")
        typing.until(f"then .*; now .* in [0-9]+ ms, from {scene.served.url}")
        typing.press("e")
        typing.until("against greedy has begun")
        typing.press("q")
        assert typing.process.wait(30) == 0
    made = scene.ada.ask("GET", "/v1/experiments").json()["experiments"]
    assert made[0]["new"].startswith(scene.marvin.made["id"])


class Terminal(NamedTuple):
    """A command on a terminal of its own."""

    process: "subprocess.Popen[Any]"
    descriptor: int

    def press(self, keys: str) -> None:
        os.write(self.descriptor, keys.encode())

    def until(self, pattern: str) -> str:
        """Return what the terminal gets until the pattern is in it."""
        shown, deadline = "", monotonic() + 30
        while not re.search(pattern, plain(shown)):
            ready, _, _ = select.select([self.descriptor], [], [], LIMIT)
            assert ready, f"{pattern!r} never came: {plain(shown)[-2000:]}"
            assert monotonic() < deadline, f"{pattern!r} never came: {plain(shown)[-4000:]}"
            shown += os.read(self.descriptor, 65536).decode("utf-8", "replace")
        return plain(shown)


@contextmanager
def terminal(folder: Path, *words: str) -> Generator[Terminal]:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
    environ = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES"}}
    pipes: dict[str, Any] = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    command = [sys.executable, "-m", "splito_cli", *words]
    with subprocess.Popen(
        command, cwd=folder, env={**environ, "TERM": "xterm"}, start_new_session=True, **pipes
    ) as process:
        os.close(theirs)
        try:
            yield Terminal(process, ours)
        finally:
            process.kill()
            os.close(ours)


def plain(shown: str) -> str:
    """Return the text without the sequences that steer a terminal."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)


def ask(match: str, elapsed_ms: float, fault: str = "") -> Ask:
    return Ask("a", match, "splito", 0, elapsed_ms, Fault(fault, fault) if fault else None)


def test_keys_that_come_together_are_told_apart() -> None:
    assert names("r\x1b[A\x1b[B\té\x1b[5~q".encode()) == ["r", "up", "down", "next", "é", "\x1b[5~", "q"]
    assert names(b"\x03") == ["q"]
    assert names(b"") == ["q"], "the terminal is closed"


def test_figures_follow_from_the_logged_asks() -> None:
    asks = [ask("m2", 1), ask("m1", 2, "time-out"), ask("m2", 3), ask("m1", 4)]
    assert [(game.match, game.asks, game.faults) for game in games_of(asks)] == [("m2", 2, 0), ("m1", 2, 1)]
    many = latency_of([ask("m", float(number)) for number in range(101)])
    assert many is not None
    assert (many.p50, many.p95) == (50, 95)
    assert latency_of([]) is None
    assert latency_of([ask("m", 7)]) is not None


@pytest.mark.parametrize(
    ("values", "bars"), [((), ""), ((1500,), ""), ((1, 1), "▁▁"), ((0, 7, 3.5), "▁█▄"), ((2, 1), "█▁")]
)
def test_the_course_of_a_rating_is_drawn_as_bars(values: tuple[float, ...], bars: str) -> None:
    assert course(values) == bars
