"""A bot's author: the bot plays ranked games through one worker shift after another, with no fault it did not cause.

The bots here refuse every message id that they have seen before, as the Standard Webhooks specification asks for.
`make test` plays an unranked cup through four shifts; `make journeys` has the bots checked, and plays a ranked cup
through twelve.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.arena import LONG, PATIENT, Arena
from tests.journeys.commands import Api, answers, free_port, until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="workers are for POSIX systems")
SHIFTS = 12 if LONG else 4
STRICT_BOT = Path(__file__).with_name("strict_bot.py")
SDK_BOT = "def choose(ask):\n    return ask.moves[-1]\n"


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    (tmp_path / "my_bot.py").write_text(SDK_BOT, "utf-8")
    with ExitStack() as stack:
        yield Arena(stack, tmp_path)


def test_bots_that_refuse_replays_play_through_many_worker_shifts_without_a_fault(arena: Arena) -> None:
    ports = [free_port(), free_port()]
    key = arena.owner("Ada")
    strict, sdk = (arena.register(key, f"Bot {port}", f"http://127.0.0.1:{port}") for port in ports)
    pull = arena.register(key, "Pull", None)
    arena.start("python", str(STRICT_BOT), str(ports[0]), SECRET=strict["secret"])
    arena.start("splito-bot", "serve", "my_bot:choose", "--port", str(ports[1]), SPLITO_BOT_SECRET=sdk["secret"])
    until(lambda: all(answers(f"http://127.0.0.1:{port}", "/info") for port in ports))
    arena.start(
        *("splito-bot", "connect", "my_bot:choose", "--url", arena.url, "--bot", pull["bot"]["id"]), SPLITO_BOT_KEY=key
    )
    bots = [one["bot"]["id"] for one in (strict, sdk, pull)]
    for bot in bots:
        arena.make_ready(key, bot)
    tally = Api(f"http://127.0.0.1:{ports[0]}")
    refused_before = _refused(tally)

    api = Api(arena.url, arena.owner("the organiser"))
    cup = api("POST", "/v1/tournaments", _cup([*bots, "greedy", "random"]))
    path = f"/v1/tournaments/{cup['id']}"
    for number in range(1, SHIFTS + 1):
        _play_one_shift(arena, api, path, tally, number)

    lines = {line["bot"].partition("@")[0]: line for line in api("GET", f"{path}/standings")["lines"]}
    assert [(lines[bot]["faults"], lines[bot]["replaced"]) for bot in bots] == [({}, 0)] * len(bots)
    assert _refused(tally) == refused_before
    logged = [ask for bot in bots for ask in Api(arena.url, key)("GET", f"/v1/bots/{bot}/asks")["asks"]]
    assert [ask for ask in logged if not ask["match"].startswith("check-")] == []


def _play_one_shift(arena: Arena, api: Api, path: str, tally: Api, number: int) -> None:
    """Let one shift play some games, then end it: by a pause, or every third one by killing its process."""
    until(lambda: len(arena.shifts("begins")) >= number, lambda: arena.worker.log)
    begun = arena.shifts("begins")
    assert len({*begun}) == number
    asks, done = _asks(tally), api("GET", path)["progress"]["done"]
    until(lambda: _asks(tally) > asks + 20)
    until(lambda: api("GET", path)["progress"]["done"] > done)
    if number % 3 == 0:
        os.kill(begun[-1], signal.SIGKILL)
    else:
        api("PUT", f"{path}/state", {"state": "paused"})
        until(lambda: begun[-1] in arena.shifts("ends"), lambda: arena.worker.log)
        api("PUT", f"{path}/state", {"state": "running"})


def _cup(bots: list[str]) -> dict[str, Any]:
    return {
        "name": "Long cup",
        "game": "splitter",
        "players": 2,
        "ranked": LONG,
        "clock": PATIENT,
        "format": {"kind": "round-robin", "blocks": 1000},
        "bots": bots,
    }


def _asks(tally: Api) -> int:
    return tally("GET", "/tally").get("asks", 0)


def _refused(tally: Api) -> dict[str, int]:
    """Return how many messages the bot refused, by reason; the checks send some that it must refuse."""
    return {why: number for why, number in tally("GET", "/tally").items() if why != "asks"}
