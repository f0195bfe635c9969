"""The HTTP examples, run as a reader would run them: each plays whole matches."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from splito_bot import GAMES, Client
from splito_engine.record import verify
from splito_service.processes.embedded_redis import open_server
from tests.service.holding import SMALL
from tests.service.owners.test_keys import Ada
from tests.service.polling import PRIVATE
from tests.service.process import Process, running

FOLDER = Path(__file__).parents[2] / "examples" / "http"
NEEDS_CURL = pytest.mark.skipif(not shutil.which("curl"), reason="there is no curl on this machine")
LINK = re.compile(r"/v1/(\w+)/matches/(\w+)/record")


def run(*command: object) -> "subprocess.CompletedProcess[str]":
    """The `python3` that a script finds is ours."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "200"}
    words = [str(word) for word in command]
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=False, timeout=300)


def scores_of(service: Process, printed: str) -> list[list[int]]:
    """Of the match whose record is linked there, if it is a match that is over, and of a good record."""
    game, match_id = LINK.findall(printed)[-1]
    with Client(service.url) as client:
        _, replayed = verify(client.record(GAMES[game], match_id))
        scores = client.match(GAMES[game], match_id).scores
    final = [list(points) for points in replayed.scores]
    assert scores == final
    return final


@pytest.mark.parametrize("game", GAMES)
def test_the_python_script_plays_a_whole_match(service: Process, game: str) -> None:
    done = run(sys.executable, FOLDER / "play.py", game, "--url", service.url)
    assert done.stderr == ""
    rows = re.findall(r"│ \d +│ (\w+) +│ (\d+) +│", done.stdout)
    points = [str(points[0]) for points in scores_of(service, done.stdout)]
    assert rows == [*zip(("Ada", "planner", "greedy"), points, strict=True)]


@NEEDS_CURL
@pytest.mark.parametrize("game", GAMES)
def test_the_shell_script_plays_a_whole_match(service: Process, game: str) -> None:
    done = run("/bin/sh", FOLDER / "play.sh", game, service.url)
    assert done.stderr == ""
    assert f"\nscores: {scores_of(service, done.stdout)}\n" in done.stdout


@NEEDS_CURL
def test_the_shell_script_says_why_it_was_refused(service: Process) -> None:
    done = run("/bin/sh", FOLDER / "play.sh", "chess", service.url)
    assert (done.returncode, done.stdout) == (1, "")
    assert '"code":"unknown-game"' in done.stderr


def test_the_receiver_of_webhooks_proves_itself_and_prints_an_event(tmp_path: Path) -> None:
    with (
        open_server(tmp_path) as server,
        running(server.url, PRIVATE) as process,
        httpx.Client(base_url=process.url, timeout=60) as api,
    ):
        ada, port = Ada(api), free_port()
        wanted = {"url": f"http://127.0.0.1:{port}/", "events": ["tournament.finished"]}
        made = ada.ask("POST", "/v1/hooks", wanted).json()
        command = [sys.executable, str(FOLDER / "hook.py"), str(port)]
        environment = {**os.environ, "SPLITO_HOOK_SECRET": made["secret"]}
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as receiver:
            try:
                assert receiver.stdout is not None
                assert receiver.stdout.readline().startswith("listening")
                assert ada.ask("POST", f"/v1/hooks/{made['hook']['id']}/proof").json()["proved"]
                cup = ada.ask("POST", "/v1/tournaments", SMALL).json()["id"]
                ada.ask("PUT", f"/v1/tournaments/{cup}/state", {"state": "cancelled"})
                assert json.loads(receiver.stdout.readline())["data"]["tournament"] == cup
            finally:
                receiver.kill()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]
