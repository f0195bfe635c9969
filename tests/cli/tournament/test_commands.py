"""`splito tournament` from the outside: a service, a worker, a file, and what a person sees of it."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from splito_arena.reports.dump import read_dump
from splito_service.processes.embedded_redis import open_server
from tests.arena.net.servers import HOST, nobody
from tests.cli.conftest import Run, Splito
from tests.service.holding import LIMIT, Organiser, working
from tests.service.polling import PRIVATE
from tests.service.process import Process, running
from tests.test_docs import blocks

CUP = """
name = "Small"
game = "splitter"
players = 2
bots = ["greedy", "random", "planner"]

[format]
kind = "round-robin"
blocks = {blocks}
"""
LONG = 2000
"""Blocks: more than anybody waits for."""
NAMES = ["planner", "greedy", "random"]
"""The best first."""


class Arena(NamedTuple):
    """A service, and who organises there."""

    process: Process
    ada: Organiser

    @property
    def where(self) -> tuple[str, ...]:
        return "--url", self.process.url, "--key", self.ada.key

    def state(self, tournament: str) -> str:
        return self.ada.ask("GET", f"/v1/tournaments/{tournament}").json()["progress"]["state"]

    def tournaments(self) -> list[str]:
        """Return the last tournaments, the newest first; some may still run."""
        return [one["id"] for one in self.ada.ask("GET", "/v1/tournaments").json()["tournaments"]]


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    with (
        open_server(tmp_path_factory.mktemp("arena")) as server,
        running(server.url, PRIVATE) as process,
        working(server.url),
        httpx.Client(base_url=process.url, timeout=LIMIT) as client,
    ):
        yield Arena(process, Organiser(client))


@pytest.fixture
def cup(tmp_path: Path) -> str:
    return file(tmp_path, 3)


def file(folder: Path, number: int) -> str:
    path = folder / f"cup{number}.toml"
    path.write_text(CUP.format(blocks=number), "utf-8")
    return str(path)


def begun(run: Run) -> str:
    """The id."""
    return re.findall(r"Tournament (\w{24}) has begun\.", run.err)[0]


def table(text: str) -> list[str]:
    """The names in it, from the top."""
    return re.findall(r"^[★ ] (\w+) +(?:\d+ \(|at (?:least|most) |unknown)", text, re.MULTILINE)


def test_run_watches_a_tournament_to_its_end_and_saves_its_files(
    arena: Arena, cup: str, splito: Splito, tmp_path: Path
) -> None:
    report, dump = tmp_path / "cup.html", tmp_path / "cup.ndjson"
    run = splito("tournament", "run", cup, *arena.where, "--report", str(report), "--dump", str(dump))
    assert run.code == 0
    assert run.err == f"Tournament {begun(run)} has begun.\n"
    assert run.out.startswith("Small  ·  round 1 of 1  ·  18 games  ·  ✓ finished\n")
    assert table(run.out) == NAMES
    official = arena.ada.ask("GET", f"/v1/tournaments/{begun(run)}/standings").json()["official"]
    starred = re.findall(r"^ +1=? +★ (\w+)", run.out, re.MULTILINE)
    assert starred == official["winners"]
    assert run.out.index("reason") < run.out.index("rating"), "the official placing comes before the ratings"
    assert f"see     {arena.process.url}/v1/tournaments/{begun(run)}" in run.out
    assert all(str(path) in run.out for path in (report, dump))
    with dump.open("rb") as lines:
        taken = read_dump(lines)
    assert (taken.head.tournament, len(taken.ledger)) == (begun(run), 9)
    assert report.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert_right(arena, begun(run), json.loads(splito("tournament", "verify", str(dump), "--json").out))
    again = splito("tournament", "watch", begun(run), "--url", arena.process.url)
    assert (again.code, again.err) == (0, "")
    assert again.out.splitlines()[:-1] == run.out[: run.out.index("see  ")].splitlines()


def assert_right(arena: Arena, tournament: str, checked: dict[str, Any]) -> None:
    """The dump alone leads to what the service published before the first deal and after the last."""
    path = f"/v1/tournaments/{tournament}"
    assert checked["lines"] == arena.ada.ask("GET", f"{path}/standings").json()["lines"]
    assert checked["commitment"] == arena.ada.ask("GET", path).json()["commitment"]
    assert (checked["blocks"], checked["games"], checked["missing"]) == (9, 18, 0)


def test_run_and_dry_run_print_json(arena: Arena, cup: str, splito: Splito) -> None:
    run = splito("tournament", "run", cup, *arena.where, "--json")
    told = json.loads(run.out)
    assert (run.code, told["progress"]["state"], told["progress"]["games"]) == (0, "finished", 18)
    assert told["standings"]["tournament"] == begun(run)
    assert [line["name"] for line in told["standings"]["lines"]] == NAMES
    estimate = splito("tournament", "dry-run", cup, *arena.where, "--json")
    assert json.loads(estimate.out)["games"] == 18


def test_a_dry_run_prints_the_estimate_and_creates_no_tournament(arena: Arena, cup: str, splito: Splito) -> None:
    before = arena.tournaments()
    run = splito("tournament", "dry-run", cup, *arena.where)
    assert run.code == 0
    assert [line.split() for line in run.out.splitlines()[1:5]] == [
        ["rounds", "1"],
        ["tables", "3"],
        ["blocks", "9"],
        ["games", "18"],
    ]
    assert arena.tournaments() == before


def test_the_tournament_files_of_the_docs_are_accepted(arena: Arena, splito: Splito, tmp_path: Path) -> None:
    examples = blocks("docs/tournaments.md", "toml")
    for example in examples:
        path, is_table = tmp_path / "example.toml", example.startswith("[series]")
        path.write_text(examples[0] + example if is_table else example, "utf-8")
        assert splito("tournament", "dry-run", str(path), *arena.where).code == 0
    assert examples


def test_state_pauses_resumes_and_cancels_a_tournament(arena: Arena, splito: Splito) -> None:
    tournament = arena.ada.hold(format={"kind": "round-robin", "blocks": LONG}).rpartition("/")[2]

    def put(*words: str) -> Run:
        return splito("tournament", "state", tournament, *words, *arena.where)

    assert put("paused").out == "Small is paused.\n"
    assert arena.state(tournament) == "paused"
    assert json.loads(put("running", "--json").out)["state"] == "running"
    assert put("cancelled").out == "Small is cancelled.\n"
    run = splito("tournament", "watch", tournament, "--url", arena.process.url)
    assert run.code == 1
    assert "✗ cancelled" in run.out
    again = put("running")
    assert (again.code, again.out, again.err.count("\n")) == (2, "", 1)
    assert again.err.startswith("splito: refused: already-over: ")


def test_bots_that_dropped_out_are_shown_with_the_reason(arena: Arena, splito: Splito) -> None:
    path = arena.ada.hold(format={"kind": "round-robin", "blocks": 20})
    assert arena.ada.ask("DELETE", f"{path}/bots/random").status_code == 204
    run = splito("tournament", "watch", path.rpartition("/")[2], "--url", arena.process.url)
    assert run.code == 0
    assert re.search(r"^gone +random: withdrawn *$", run.out, re.MULTILINE)
    assert " blocks skipped  ·  " in run.out


class Terminal:
    """A process, and the screen on which it shows how far it is."""

    def __init__(self, words: tuple[str, ...], environ: dict[str, str]) -> None:
        self._screen, screen = pty.openpty()
        command = [sys.executable, "-m", "splito_cli", "tournament", *words]
        self.process = subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=screen, text=True)
        os.close(screen)

    def read(self, wanted: str) -> str:
        """Return what was shown before that line."""
        shown = ""
        while wanted not in shown:
            shown += os.read(self._screen, 65_536).decode(errors="replace")
        return shown

    def end(self) -> tuple[int, str]:
        """The exit code, and what is piped on."""
        threading.Thread(target=self._drain, daemon=True).start()
        out, _ = self.process.communicate(timeout=LIMIT)
        return self.process.returncode, out

    def _drain(self) -> None:
        """Read the screen to its end, because a process waits while nobody reads what it shows."""
        with suppress(OSError):
            while os.read(self._screen, 65_536):
                pass

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()
        os.close(self._screen)


@contextmanager
def terminal(*words: str, columns: int = 100) -> Generator[Terminal]:
    """Killed if it takes too long."""
    plain = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR"}}
    shown = Terminal(words, {**plain, "TERM": "xterm", "COLUMNS": str(columns), "LINES": "30"})
    alarm = threading.Timer(LIMIT, shown.process.kill)
    alarm.start()
    try:
        yield shown
    finally:
        alarm.cancel()
        shown.close()


def test_ctrl_c_leaves_the_tournament_running_and_prints_the_command_that_watches_again(
    arena: Arena, tmp_path: Path, splito: Splito
) -> None:
    with terminal("run", file(tmp_path, LONG), *arena.where) as shown:
        tournament = re.findall(r"Tournament (\w{24}) has begun", shown.read("/6,000 blocks"))[0]
        shown.process.send_signal(signal.SIGINT)
        back = f"To watch it again: splito tournament watch {tournament} --url {arena.process.url}"
        assert arena.ada.key not in shown.read(back)
        assert shown.end() == (130, "")
    assert arena.state(tournament) == "running"
    assert splito("tournament", "state", tournament, "cancelled", *arena.where).code == 0


def test_watch_continues_after_the_service_was_killed_and_restarted(arena: Arena, splito: Splito) -> None:
    tournament = arena.ada.hold(format={"kind": "round-robin", "blocks": LONG}).rpartition("/")[2]
    with terminal("watch", tournament, "--url", arena.process.url) as shown:
        shown.read("games/s")
        arena.process.kill()
        arena.process.restart()
        assert splito("tournament", "state", tournament, "cancelled", *arena.where).code == 0
        code, out = shown.end()
    assert code == 1
    assert "✗ cancelled" in out
    assert {*table(out)} <= {*NAMES}


def test_a_narrow_terminal_shows_only_the_important_columns(arena: Arena, tmp_path: Path) -> None:
    with terminal("run", file(tmp_path, 3), *arena.where, columns=40) as shown:
        code, out = shown.end()
    assert code == 0
    assert table(out) == NAMES
    assert max(map(len, out.splitlines())) <= 40


def problem(code: str, run: Run) -> str:
    """Return the message in one line."""
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
    assert run.err.startswith(f"splito: {code}: ")
    assert " Next: " in run.err
    return run.err


def test_refusals_of_the_service_are_printed_in_its_words(
    arena: Arena, cup: str, splito: Splito, tmp_path: Path
) -> None:
    where, away = ("--url", arena.process.url), f"http://{HOST}:{nobody()}"
    false = f"{arena.ada.key[:-3]}abc"
    assert "no-key: " in problem("refused", splito("tournament", "run", cup, *where, "--key", false))
    assert "another one with --key" in problem("refused", splito("tournament", "dry-run", cup, *where, "--key", "mine"))
    other = Organiser(arena.ada.api, "Bob").key
    mine = arena.ada.hold().rpartition("/")[2]
    refused = splito("tournament", "state", mine, "paused", *where, "--key", other)
    assert "wrong-owner: " in problem("refused", refused)
    assert "unknown-tournament: " in problem("refused", splito("tournament", "watch", "0" * 24, *where))
    assert "not-found: " in problem("refused", splito("tournament", "watch", "../../v1/games", *where))
    chess = tmp_path / "chess.toml"
    chess.write_text(CUP.format(blocks=1).replace("splitter", "chess"), "utf-8")
    assert "chess" in problem("refused", splito("tournament", "run", str(chess), *arena.where))
    assert "no service at" in problem("unreachable", splito("tournament", "run", cup, "--url", away, "--key", "k"))


def test_wrong_arguments_are_reported_in_one_line_before_any_request(arena: Arena, cup: str, splito: Splito) -> None:
    before = arena.tournaments()
    folder = Path(cup).parent
    (folder / "bad.toml").write_text("name = ", "utf-8")
    (folder / "latin.toml").write_bytes(b'name = "\xe9"')
    cases = [
        ((cup, "--url", arena.process.url), "not-logged-in", "splito login"),
        ((cup, "--key", "k"), "usage", "--url"),
        ((cup, "--url", "arena", "--key", "k"), "bad-option", "write https://arena"),
        ((cup, "--url", arena.process.url, "--key", "k\ney"), "bad-option", "this is no key"),
        ((str(folder / "none.toml"), *arena.where), "bad-option", "none.toml cannot be read"),
        ((str(folder), *arena.where), "bad-option", "cannot be read"),
        ((str(folder / "bad.toml"), *arena.where), "bad-option", "bad.toml is not TOML"),
        ((str(folder / "latin.toml"), *arena.where), "bad-option", "latin.toml is not TOML"),
        ((cup, *arena.where, "--report", str(folder)), "bad-option", "no report can be written"),
        ((cup, *arena.where, "--report", os.devnull), "bad-option", "no report can be written"),
        ((cup, *arena.where, "--dump", str(folder / "no" / "where")), "bad-option", "no dump can be written"),
    ]
    for words, code, advice in cases:
        assert advice in problem(code, splito("tournament", "run", *words))
    assert problem("usage", splito("tournament", "state", "x", "finished", *arena.where))
    assert arena.tournaments() == before


@pytest.mark.parametrize("command", ["run", "watch", "dry-run", "state"])
def test_help_has_examples(command: str, splito: Splito) -> None:
    run = splito("tournament", command, "--help")
    assert run.code == 0
    assert f"splito tournament {command}" in run.out.partition("Examples:")[2]
