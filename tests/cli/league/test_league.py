"""`splito league` on a folder of bots of all kinds: killed and continued, new versions, broken bots."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.cli.conftest import Splito
from tests.cli.matches.test_match import until

WORDS = ("league", "bots", "--game", "splitter", "--players", "2", "--blocks", "4", "--house", "random")
COURSE = (*WORDS, "--seed", "course", "--clock", "2000,1000", "--strikes", "2", "--json")
BY_DICE = "def choose(ask):\n    print('hello')\n    return ask.moves[int(ask.seed, 16) % len(ask.moves)]\n"
BOTS = {
    "ada.py": f'INFO = {{"name": "Ada", "author": "A", "version": "3", "games": ["splitter"]}}\n{BY_DICE}',
    "bob/bot.py": "import helper\ndef choose(ask):\n    return ask.moves[helper.NUMBER]\n",
    "bob/helper.py": "NUMBER = 0\n",
    "cleo/bot.py": "import helper\ndef choose(ask):\n    return ask.moves[helper.NUMBER]\n",
    "cleo/helper.py": "NUMBER = -1\n",
    "dora.py": "raise RuntimeError('no model')\n",
    "eve.py": "def choose(ask):\n    while True:\n        pass\n",
    "fay<b>.py": "def choose(ask):\n    return 1 / 0\n",
    "planner.py": BY_DICE,
    "gus.py": f'INFO = {{"name": "G", "author": "G", "version": "1", "games": ["splito"]}}\n{BY_DICE}',
}


class Played(NamedTuple):
    folder: Path
    report: Any
    err: str


def write(folder: Path) -> None:
    for name, text in BOTS.items():
        place = folder / "bots" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)


def run(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "splito_cli", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A league that was played to its end."""
    folder = tmp_path_factory.mktemp("course")
    write(folder)
    done = run(folder, *COURSE)
    assert done.returncode == 0, done.stderr
    return Played(folder, json.loads(done.stdout), done.stderr)


def lines_of(folder: Path) -> list[Any]:
    return [json.loads(line) for line in (folder / "bots" / "league.jsonl").read_bytes().splitlines()]


def test_every_bot_that_works_is_in_the_table_with_enough_blocks(course: Played) -> None:
    table = course.report["table"]
    assert {line["name"] for line in table} == {"ada", "bob", "cleo", "random"}
    assert all(line["blocks"] >= 4 for line in table)
    assert next(line["bot"] for line in table if line["name"] == "ada") == "ada@3"
    assert [line["rank"] for line in table] == [1, 2, 3, 4]
    assert "hello" not in course.err


def test_two_bots_with_modules_of_one_name_play_their_own_code(course: Played) -> None:
    points = {line["name"]: line["points"]["mean"] for line in course.report["table"]}
    assert points["bob"] != points["cleo"]


BROKEN = {
    "dora": "cannot be imported: RuntimeError: no model at dora.py:1",
    "eve": "replaced in its trial match: time-out",
    "fay<b>": "replaced in its trial match: crashed",
    "gus": "does not play splitter, only splito",
    "planner": "its name is that of a built-in bot",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_bot_is_listed_with_the_reason(name: str, course: Played) -> None:
    assert [one["name"] for one in course.report["broken"]] == sorted(BROKEN)
    assert BROKEN[name] in next(one["reason"] for one in course.report["broken"] if one["name"] == name)


def test_tracebacks_name_the_line_of_the_author(course: Played) -> None:
    traces = {one["name"]: one["traceback"] for one in course.report["broken"]}
    assert "1 / 0" in traces["fay<b>"]
    assert "raise RuntimeError('no model')" in traces["dora"]
    assert 'File "eve.py", line 2, in choose' in traces["eve"] or 'File "eve.py", line 3' in traces["eve"]
    assert str(course.folder) not in json.dumps(course.report)


def test_the_tables_are_written_beside_the_bots(course: Played) -> None:
    assert "| 1. " in (course.folder / "bots" / "league.md").read_text()
    page = (course.folder / "bots" / "league.html").read_text()
    assert "fay&lt;b&gt;" in page
    assert "<b>" not in page


def test_a_killed_league_goes_on_to_the_same_ledger(course: Played, tmp_path: Path) -> None:
    write(tmp_path)
    ledger = tmp_path / "bots" / "league.jsonl"
    with subprocess.Popen(
        [sys.executable, "-m", "splito_cli", *COURSE], cwd=tmp_path, stderr=subprocess.PIPE
    ) as killed:
        until(lambda: ledger.exists() and ledger.read_bytes().count(b'"type":"block"') >= 2, seconds=200)
        os.kill(killed.pid, signal.SIGKILL)
        killed.communicate(timeout=60)
    assert len(lines_of(tmp_path)) < len(lines_of(course.folder))
    done = run(tmp_path, *COURSE)
    assert done.returncode == 0, done.stderr
    assert ledger.read_bytes() == (course.folder / "bots" / "league.jsonl").read_bytes()
    assert json.loads(done.stdout)["table"] == course.report["table"]


def test_only_a_new_version_plays_and_changed_code_under_an_old_version_is_told(course: Played, tmp_path: Path) -> None:
    shutil.copytree(course.folder / "bots", tmp_path / "bots")
    for name in ("dora.py", "eve.py", "gus.py", "planner.py"):
        (tmp_path / "bots" / name).unlink()
    again = json.loads(run(tmp_path, *COURSE).stdout)
    assert (again["new"], again["table"]) == (0, course.report["table"])
    (tmp_path / "bots" / "bob" / "helper.py").write_text("NUMBER = 1\n")
    (tmp_path / "bots" / "ada.py").write_text(f"{BOTS['ada.py']}# better\n")
    before = {line["name"]: line for line in again["table"]}
    report = json.loads(run(tmp_path, *WORDS, "--clock", "2000,1000", "--strikes", "2", "--json").stdout)
    after = {line["name"]: line for line in report["table"]}
    assert report["new"] == 4
    assert after["bob"]["bot"] != before["bob"]["bot"]
    assert after["bob"]["blocks"] == 4
    assert after["ada"]["bot"] == "ada@3"
    assert [
        "its code has changed since version 3" in one["text"] for one in report["notes"] if one["name"] == "ada"
    ] == [True]


def test_a_ledger_of_other_settings_is_refused(course: Played, splito: Splito, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(course.folder)
    run = splito("league", "bots", "--game", "splitter", "--players", "3")
    assert (run.code, run.out) == (2, "")
    assert "is of a league with players 2, not 3" in run.err


WRONG = {
    "no folder": (("nothing",), "is no folder"),
    "unknown anchor": ((".", "--house", "nobody"), "no bot 'nobody'"),
    "one player": ((".", "--game", "splitter", "--players", "1"), "at least 2 players"),
    "too many players": ((".", "--players", "9"), "2 to 8 players"),
    "no blocks": ((".", "--blocks", "0"), "blocks must be at least 1"),
    "no jobs": ((".", "--jobs", "0"), "jobs must be at least 1"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_options_are_refused_before_any_bot_is_called(case: str, splito: Splito, tmp_path: Path) -> None:
    words, said = WRONG[case]
    found = splito("league", str(tmp_path / words[0]), *words[1:])
    assert found.code == 2
    assert said in found.err
    assert [*tmp_path.iterdir()] == []


@pytest.mark.usefixtures("outside")
def test_too_few_bots_are_refused_with_the_reasons(splito: Splito, tmp_path: Path) -> None:
    (tmp_path / "dora.py").write_text(BOTS["dora.py"])
    found = splito("league", str(tmp_path), "--players", "2", "--game", "splitter", "--house", "random")
    assert found.code == 2
    assert "only 1 bot can play, 2 are needed at a table; dora: cannot be imported" in " ".join(found.err.split())
