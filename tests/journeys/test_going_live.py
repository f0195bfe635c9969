"""A bot's author goes live from an empty home folder with commands alone: login, register, check, enter, connect.

`make test` makes a quick check of the push bot; `make journeys` makes whole checks of both bots.
"""

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.arena import DEVELOPMENT, LONG, PATIENT, Arena
from tests.journeys.commands import Api, Command, answers, free_port, until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="workers are for POSIX systems")
BOT = """
from splito_bot import BotInfo

INFO = BotInfo(name="{name}", author="Ada", version="{version}", games=["splitter"])


def choose(ask):
    return ask.moves[-1]
"""


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    """An arena whose user has an empty home folder, and has just logged in."""
    folder = tmp_path_factory.mktemp("live")
    (folder / "home").mkdir()
    with ExitStack() as stack:
        arena = Arena(stack, folder, {**DEVELOPMENT, "HOME": str(folder / "home"), "XDG_CONFIG_HOME": ""})
        logged_in = arena.run("splito", "login", arena.url, "--name", "Ada")
        assert (logged_in.code, logged_in.err) == (0, "")
        yield arena


@pytest.fixture
def ladder(arena: Arena) -> str:
    """Id of a ladder of an organiser."""
    wanted = {
        "name": "Ladder",
        "game": "splitter",
        "players": 2,
        "ranked": False,
        "clock": PATIENT,
        "format": {"kind": "ladder", "blocks": 1, "pause_seconds": 1},
        "bots": ["greedy", "random"],
    }
    return Api(arena.url, arena.owner("the organiser"))("POST", "/v1/tournaments", wanted)["id"]


def told(arena: Arena, *words: str) -> Any:
    """Return the JSON of a command."""
    ran = arena.run(*words, "--json")
    assert ran.code == 0, ran
    return json.loads(ran.out)


def has_played(arena: Arena, ladder: str, version: str) -> bool:
    """True if a finished block of the ladder has this version of a bot. Standings may be a little older."""
    api, after = Api(arena.url), ""
    while blocks := api("GET", f"/v1/tournaments/{ladder}/blocks?limit=100{after}")["blocks"]:
        if any(version in block["bots"] for block in blocks):
            return True
        after = f"&after_block={blocks[-1]['block']}"
    return False


def lines(arena: Arena, ladder: str, bot: str) -> dict[str, Any]:
    """Return the lines of the versions of a bot in the standings, by version."""
    found = Api(arena.url)("GET", f"/v1/tournaments/{ladder}/standings")["lines"]
    return {line["bot"].partition("@")[2]: line for line in found if line["bot"].startswith(f"{bot}@")}


def test_a_push_bot_goes_live_with_commands_alone(arena: Arena, ladder: str) -> None:
    port = free_port()
    (arena.folder / "owl.py").write_text(BOT.format(name="owl", version="1"), "utf-8")
    made = told(arena, "splito", "bot", "register", "owl", "--push", f"http://127.0.0.1:{port}")
    bot = made["bot"]["id"]
    assert Path(made["file"]).is_relative_to(arena.folder / "home")
    server = arena.start("splito-bot", "serve", "owl:choose", "--port", str(port))
    until(lambda: answers(f"http://127.0.0.1:{port}", "/info"))
    assert "must be signed with the secret of owl" in server.log
    assert told(arena, "splito-bot", "prove", "owl")["state"] == "ready"
    quick = [] if LONG else ["--quick"]
    check = arena.run("splito", "bot", "check", "owl", *quick)
    assert "refuses requests that the arena did not sign" in check.out, check
    assert "Next: " in check.out

    assert bot in [entrant["bot"] for entrant in told(arena, "splito-bot", "enter", ladder, "owl")["entrants"]]
    until(lambda: has_played(arena, ladder, f"{bot}@1"), lambda: arena.worker.log)
    line = lines(arena, ladder, bot)["1"]
    assert (line["faults"], line["replaced"]) == ({}, 0)
    assert told(arena, "splito", "bot", "asks", "owl", "--faults") == []
    assert arena.run("splito", "bot", "retire", "owl").code == 2
    assert arena.run("splito", "bot", "retire", "owl", "--yes").code == 0
    assert not Path(made["file"]).exists()


def test_a_pull_bot_goes_live_with_one_command_and_a_new_version_has_a_line_of_its_own(
    arena: Arena, ladder: str
) -> None:
    running = _connect(arena, "1")
    bot = _id(arena, "1")
    assert told(arena, "splito-bot", "enter", ladder, "kite")["id"] == ladder
    until(lambda: has_played(arena, ladder, f"{bot}@1"), lambda: running.log)
    _stop(running)

    running = _connect(arena, "2")
    assert _id(arena, "2") == bot
    assert "kite as version 2 (before: 1); its ratings begin anew" in running.log
    until(lambda: has_played(arena, ladder, f"{bot}@2"), lambda: running.log)
    _stop(running)
    assert lines(arena, ladder, bot).keys() == {"1", "2"}


def _connect(arena: Arena, version: str) -> Command:
    (arena.folder / "kite.py").write_text(BOT.format(name="kite", version=version), "utf-8")
    return arena.start("splito-bot", "connect", "kite:choose", *([] if LONG else ["--no-check"]))


def _id(arena: Arena, version: str) -> str:
    """Return the id of the pull bot when it is ready in this version."""
    found = until(
        lambda: [
            one
            for one in Api(arena.url)("GET", "/v1/bots")["bots"]
            if (one["name"], one["version"], one["state"]) == ("kite", version, "ready")
        ]
    )
    return found[0]["id"]


def _stop(running: Command) -> None:
    """Stop the bot with Ctrl-C. It answers what it has, says goodbye, and ends with code 0."""
    running.popen.send_signal(signal.SIGINT)
    assert running.popen.wait(60) == 0, running.log
    assert "stopped: " in running.log
    assert "0 faults" in running.log
