"""An organiser holds cups of every format, with bots that fail, and kills what can be killed, through public commands.

`make test` holds every format once in one game; `make journeys` in all three games, and kills more often.
"""

import json
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.journeys.arena import DEVELOPMENT, LONG, PATIENT, Arena
from tests.journeys.commands import Api, Command, answers, free_port, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are for POSIX systems")
GAMES = ("splito", "splitit", "splitter") if LONG else ("splitter",)
ROUNDS_OF_KILLS = 4 if LONG else 1
BOTS = """
import time

def honest(ask):
    return ask.moves[-1]

def slow(ask):
    time.sleep(0.02)
    return ask.moves[0]

def crashing(ask):
    raise RuntimeError("<b>boom</b>")

def lying(ask):
    return {"card": 999}

def hanging(ask):
    time.sleep(3600)
"""
FAULTS = {
    "honest": set[str](),
    "slow": set[str](),
    "crashing": {"bad-status"},
    "lying": {"wrong-schema", "illegal-move"},
}
"""Faults that each bot may be blamed for, and no others."""
FORMATS: Mapping[str, Mapping[str, Any]] = {
    "round-robin": {"kind": "round-robin"},
    "swiss": {"kind": "swiss", "rounds": 2},
    "elimination": {"kind": "elimination"},
    "double": {"kind": "elimination", "double": True},
    "gauntlet": {"kind": "gauntlet", "bot": "greedy"},
}
TAKEN_HOME = ("Long cup", *FORMATS) if LONG else ("Long cup", "elimination")
"""The cups of which exports, report and dump are looked at; a report is some seconds of work."""


class Hall(NamedTuple):
    arena: Arena
    key: str
    """Of the organiser."""
    bots: Mapping[str, str]
    """The ids of the bots of another owner, by what they do."""

    @property
    def api(self) -> Api:
        return Api(self.arena.url, self.key)

    def cup(self, name: str, game: str, form: Mapping[str, Any], bots: Sequence[str], **clock: int) -> Path:
        """Write the file of a cup as the docs show it."""
        file = self.arena.folder / f"{name}.toml"
        entered = [self.bots.get(bot, bot) for bot in bots]
        parts = {"clock": clock or PATIENT, "format": form}
        lines = [f"name = {json.dumps(name)}", f'game = "{game}"', "players = 2", f"bots = {json.dumps(entered)}"]
        for part, fields in parts.items():
            lines += [f"[{part}]", *(f"{field} = {json.dumps(value)}" for field, value in fields.items())]
        file.write_text("\n".join(lines), "utf-8")
        return file

    def hold(self, cup: Path) -> "Held":
        """Hold the cup by `splito tournament run`."""
        report, dump = cup.with_suffix(".html"), cup.with_suffix(".ndjson")
        files = ("--report", str(report), "--dump", str(dump)) if cup.stem in TAKEN_HOME else ()
        words = ("splito", "tournament", "run", str(cup), "--url", self.arena.url, "--key", self.key, "--json")
        command = self.arena.start(*words, *files)
        return Held(command, report, dump)


class Held(NamedTuple):
    """A cup that `splito tournament run` holds."""

    command: Command
    report: Path
    dump: Path

    @property
    def id(self) -> str:
        """The id, which the command tells when the cup has begun."""
        until(lambda: "has begun" in self.command.log or self.command.popen.poll() is not None)
        assert "has begun" in self.command.log, self.command.log
        words = self.command.log.partition(" has begun")[0].split()
        return words[-1]

    @property
    def path(self) -> str:
        return f"/v1/tournaments/{self.id}"


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    (tmp_path / "my_bots.py").write_text(BOTS, "utf-8")
    with ExitStack() as stack:
        arena = Arena(stack, tmp_path, DEVELOPMENT | {"SPLITO_DURABILITY": "always"})
        yield Hall(arena, arena.owner("the organiser"), {})


def enter(hall: Hall, *kinds: str) -> Hall:
    """Serve and register bots of another owner."""
    arena, key, ports = hall.arena, hall.arena.owner("Ada"), {kind: free_port() for kind in kinds}
    made = {kind: arena.register(key, kind, f"http://127.0.0.1:{port}") for kind, port in ports.items()}
    for kind, port in ports.items():
        words = ("splito-bot", "serve", f"my_bots:{kind}", "--port", str(port))
        arena.start(*words, SPLITO_BOT_SECRET=made[kind]["secret"])
    until(lambda: all(answers(f"http://127.0.0.1:{port}", "/info") for port in ports.values()))
    for told in made.values():
        Api(arena.url, key)("POST", f"/v1/bots/{told['bot']['id']}/proof")
    return hall._replace(bots={kind: told["bot"]["id"] for kind, told in made.items()})


def progress(hall: Hall, cup: Held) -> Any:
    return hall.api("GET", cup.path)["progress"]


def lines_of(hall: Hall, cup: Held) -> dict[str, Any]:
    return {line["name"]: line for line in hall.api("GET", f"{cup.path}/standings")["lines"]}


def check_faults(lines: Mapping[str, Any]) -> None:
    for name, allowed in FAULTS.items():
        if name in lines:
            assert {*lines[name]["faults"]} <= allowed, lines[name]
            assert bool(lines[name]["faults"]) == bool(allowed), lines[name]


def check_taken_home(hall: Hall, cup: Held) -> None:
    """The exports, the report and the dump are there, and the dump proves itself."""
    for file in ("standings.csv", "crosstable.json", "games.parquet", "ratings.csv"):
        status, body = hall.api.answer("GET", f"{cup.path}/exports/{file}")
        assert (status, bool(body)) == (200, True), file
    assert "<b>boom</b>" not in cup.report.read_text("utf-8")
    proof = hall.arena.run("splito", "tournament", "verify", str(cup.dump), "--service", hall.arena.url)
    assert proof.code == 0, proof.err


@pytest.mark.parametrize("game", GAMES)
def test_every_format_finishes_with_slow_crashing_and_lying_bots(hall: Hall, game: str) -> None:
    hall = enter(hall, "honest", "slow", "crashing", "lying")
    field = ["greedy", *hall.bots]
    cups = {name: hall.hold(hall.cup(name, game, form, field)) for name, form in FORMATS.items()}
    ladder = hall.hold(hall.cup("ladder", game, {"kind": "ladder"}, ["random", *field]))
    for name, cup in cups.items():
        told = cup.command.line()
        assert cup.command.popen.wait() == 0
        assert (told["progress"]["state"], told["progress"]["skipped"]) == ("finished", 0), name
        check_faults(lines_of(hall, cup))
        if name in TAKEN_HOME:
            check_taken_home(hall, cup)
    until(lambda: progress(hall, ladder)["done"] >= 4)
    stopped = hall.arena.run(
        "splito", "tournament", "state", ladder.id, "cancelled", "--url", hall.arena.url, "--key", hall.key
    )
    assert (stopped.code, ladder.command.popen.wait()) == (0, 1), stopped.err
    check_faults(lines_of(hall, ladder))

    placing = hall.api("GET", f"{cups['elimination'].path}/standings")["placing"]
    watched = hall.arena.run("splito", "tournament", "watch", cups["elimination"].id, "--url", hall.arena.url).out
    names = {bot: name for name, bot in hall.bots.items()}
    winner = names.get(placing[0][0], placing[0][0])
    assert len(placing[0]) == 1, "a final has one winner"
    assert f"★ {winner}" in watched
    assert watched.index(f"★ {winner}") < watched.index("rating"), "the official winner comes before the ratings"
    assert not [bot for bot in hall.bots.values() if bot in watched], "bots are called by their names"


def test_a_bot_that_never_answers_spoils_only_its_own_games(hall: Hall) -> None:
    hall = enter(hall, "hanging")
    cup = hall.hold(
        hall.cup("Hanging", "splitter", {"kind": "round-robin"}, ["hanging", "random"], turn_ms=200, bank_ms=0)
    )
    assert cup.command.line()["progress"]["skipped"] == 0
    line = lines_of(hall, cup)["hanging"]
    assert ({*line["faults"]}, line["replaced"]) == ({"time-out"}, line["games"])


def test_a_cup_survives_the_death_of_every_process_and_its_dump_proves_it(hall: Hall) -> None:
    hall = enter(hall, "honest", "crashing")
    arena, api = hall.arena, hall.api
    cup = hall.hold(
        hall.cup("Long cup", "splitter", {"kind": "round-robin", "blocks": 30}, ["greedy", "random", *hall.bots])
    )
    for _ in range(ROUNDS_OF_KILLS):
        for kill in (arena.kill_shift, arena.kill_worker, arena.kill_redis, arena.kill_service):
            goes_on = partial(_goes_on, hall, cup, progress(hall, cup)["done"])
            kill()
            until(goes_on, lambda: arena.worker.log + arena.service.log)

    words = ("--url", arena.url, "--key", hall.key)
    assert arena.run("splito", "tournament", "state", cup.id, "paused", *words).code == 0
    until(lambda: progress(hall, cup)["playing"] == 0)
    resting = progress(hall, cup)
    api("PUT", f"{cup.path}/blocks", {"blocks": 31})
    assert progress(hall, cup)["open"] == resting["open"] + 6
    api("DELETE", f"{cup.path}/bots/{hall.bots['crashing']}")
    assert arena.run("splito", "tournament", "state", cup.id, "running", *words).code == 0

    told = cup.command.line()["progress"]
    assert cup.command.popen.wait() == 0, "the command waits for a service that is away"
    assert (told["state"], told["done"]) == ("finished", 6 * 31)
    check_faults(lines_of(hall, cup))
    check_taken_home(hall, cup)
    _check_cleaning_up(hall, cup)


def _goes_on(hall: Hall, cup: Held, before: int) -> bool:
    """True if more has been played than before, or all of it."""
    status, body = hall.api.answer("GET", cup.path)
    now = json.loads(body)["progress"] if status == 200 else None
    return now is not None and (now["done"] > before or now["state"] == "finished")


def _check_cleaning_up(hall: Hall, cup: Held) -> None:
    """Check that a changed dump is refused, and that the organiser deletes a cup with all its data."""
    forged = cup.dump.with_name("forged.ndjson")
    shutil.copy(cup.dump, forged)
    forged.write_text(forged.read_text("utf-8").replace('"honest"', '"hones7"', 1), "utf-8")
    refused = hall.arena.run("splito", "tournament", "verify", str(forged))
    assert (refused.code, "bad-dump" in refused.err) == (2, True), refused.err
    assert Api(hall.arena.url).refusal("DELETE", cup.path) == (401, "no-key")
    assert hall.api.answer("DELETE", cup.path)[0] == 204
    assert hall.api.refusal("GET", cup.path) == (404, "unknown-tournament")
    pruned = hall.arena.run("splito", "prune", "--remove", "--json")
    assert pruned.code == 0, pruned.err


def test_a_worker_that_may_not_call_the_bots_leaves_them_to_another_and_the_organiser_sees_why(hall: Hall) -> None:
    hall = enter(hall, "honest")
    arena = hall.arena
    arena.worker.popen.terminate()
    arena.worker.popen.wait()
    strict = arena.start_worker(SPLITO_DEV="0")
    cup = hall.hold(hall.cup("Private", "splitter", {"kind": "round-robin"}, ["honest", "random"]))
    until(lambda: "SPLITO_ALLOW_PRIVATE_BOTS=1" in (progress(hall, cup)["waiting"] or ""), lambda: strict.log)
    assert progress(hall, cup)["skipped"] == 0
    until(lambda: "SPLITO_ALLOW_PRIVATE_BOTS=1" in cup.command.log, lambda: cup.command.log)
    arena.start_worker()
    told = cup.command.line()["progress"]
    assert (told["state"], told["skipped"]) == ("finished", 0)
    check_faults(lines_of(hall, cup))
