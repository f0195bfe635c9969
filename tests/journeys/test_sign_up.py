"""Two owners sign up for a cup that starts by itself while processes are killed; a series goes on without its maker.

Public commands and the public API only, on real processes.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.arena import DEVELOPMENT, Arena
from tests.journeys.commands import Api, answers, free_port, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are for POSIX systems")
CUP = """
name = "Friday cup"
game = "splitter"
players = 2
bots = []
{starts}
[format]
kind = "swiss"
rounds = 2
[clock]
turn_ms = 60_000
bank_ms = 600_000
{series}
"""
SERIES = "[series]\nhours = 1\nsign_up_minutes = 600\ncount = 2"


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    (tmp_path / "my_bots.py").write_text("def choose(ask):\n    return ask.moves[-1]\n", "utf-8")
    with ExitStack() as stack:
        yield Arena(stack, tmp_path, DEVELOPMENT | {"SPLITO_DURABILITY": "always"})


def author(arena: Arena, name: str) -> tuple[Api, str]:
    """Return the API of an owner, and the bot that it serves."""
    key, port = arena.owner(name), free_port()
    made = arena.register(key, name, f"http://127.0.0.1:{port}")
    words = ("splito-bot", "serve", "my_bots:choose", "--port", str(port))
    arena.start(*words, SPLITO_BOT_SECRET=made["secret"])
    until(lambda: answers(f"http://127.0.0.1:{port}", "/info"))
    api, bot = Api(arena.url, key), made["bot"]["id"]
    api("POST", f"/v1/bots/{bot}/proof")
    return api, bot


def ahead(**time: float) -> str:
    return (datetime.now(UTC) + timedelta(**time)).isoformat()


def test_two_owners_sign_up_and_the_cup_starts_by_itself_while_processes_are_killed(arena: Arena) -> None:
    key = arena.owner("the organiser")
    organiser, where = Api(arena.url, key), ("--url", arena.url, "--key", key)
    file = arena.folder / "cup.toml"
    file.write_text(CUP.format(starts=f"starts = {ahead(hours=1)}", series=""), "utf-8")
    dry = arena.run("splito", "tournament", "dry-run", str(file), *where)
    assert (dry.code, "0 bots do not fill a table of 2" in dry.out, "start" in dry.out) == (0, True, True), dry.err

    held = arena.start("splito", "tournament", "run", str(file), *where, "--json")
    until(lambda: "waits for its start" in held.log)
    path = f"/v1/tournaments/{held.log.split()[1]}"
    (ada, marvin), (bob, zaphod) = author(arena, "Ada"), author(arena, "Bob")
    ada("PUT", f"{path}/bots/{marvin}")
    assert ada.refusal("PUT", f"{path}/bots/{zaphod}") == (403, "wrong-owner")
    bob("PUT", f"{path}/bots/{zaphod}")
    until(lambda: "2 bots have entered" in held.log, lambda: held.log)

    arena.kill_service()
    organiser("PUT", f"{path}/times", {"starts": ahead(seconds=3)})
    arena.kill_worker()
    arena.kill_redis()
    told = held.line()
    assert (held.popen.wait(), told["progress"]["state"]) == (0, "finished"), held.log
    assert {line["name"] for line in told["standings"]["lines"]} == {"Ada", "Bob"}
    assert told["progress"]["round"] == 2
    late = bob.refusal("PUT", f"{path}/bots/{zaphod}")
    assert late == (409, "already-over")


def test_a_series_creates_each_tournament_once_while_the_service_is_killed(arena: Arena) -> None:
    key = arena.owner("the organiser")
    where = ("--url", arena.url, "--key", key)
    file = arena.folder / "series.toml"
    file.write_text(CUP.format(starts="", series=SERIES), "utf-8")
    refused = arena.run("splito", "tournament", "run", str(file), *where)
    assert (refused.code, "splito tournament repeat" in refused.err) == (2, True), refused.err
    made = json.loads(arena.run("splito", "tournament", "repeat", str(file), *where, "--json").out)
    arena.kill_service()
    arena.kill_redis()
    done = until(lambda: _shown(arena, made["id"], done=2), lambda: arena.service.log)
    cups = Api(arena.url)("GET", "/v1/tournaments")["tournaments"]
    assert (len(cups), {cup["name"] for cup in cups}, done["state"]) == (2, {"Friday cup"}, "ended")
    assert len({cup["starts"] for cup in cups}) == 2, "one for each start"
    listed = arena.run("splito", "tournament", "series", "--url", arena.url)
    assert (made["id"] in listed.out, "Friday cup" in listed.out) == (True, True), listed.err
    assert arena.run("splito", "tournament", "stop", made["id"], *where).code == 0
    assert Api(arena.url).refusal("GET", f"/v1/series/{made['id']}") == (404, "unknown-series")


def _shown(arena: Arena, series: str, done: int) -> Any:
    status, body = Api(arena.url).answer("GET", f"/v1/series/{series}")
    shown: dict[str, Any] = json.loads(body) if status == 200 else {}
    return shown.get("done") == done and shown
