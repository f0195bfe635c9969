"""Functions of authors that fail, hang, print or answer nonsense, as seen from the command line."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Splito

BOTS = """
from splito_arena.match.messages import BotInfo

INFO = BotInfo(name="Owl", author="Ada", version="3", games=["splitter"])
def first(ask):
    print("thinking")
    return 0
def raises(ask):
    return deep(ask) if ask.turn == 2 else ask.moves[0]
def deep(ask):
    return {}["no such key"]
def hangs(ask):
    while ask.turn == 2:
        pass
    return ask.moves[0]
def nonsense(ask):
    return "nonsense" if ask.turn == 2 else ask.moves[0]
def all(ask):
    return {2: raises, 4: hangs_now, 6: lambda ask: "nonsense"}.get(ask.turn, first)(ask)
def hangs_now(ask):
    while True:
        pass
"""
WORDS = ("match", "splitter", "mine:first", "mine:all", "--deals", "1", "--strikes", "9")


def faults_in(folder: Path) -> dict[str, dict[str, Any]]:
    """Return a fault of each code, from the files."""
    files = [json.loads(file.read_text("utf-8")) for file in sorted(folder.iterdir())]
    return {one["fault"]["code"]: one for one in files}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(BOTS)
    return tmp_path


def test_each_kind_of_fault_is_explained_once_and_kept(process: Splito, folder: Path) -> None:
    run = process(*WORDS, "--clock", "2000,0", "--save-faults", "faults", "--json", "--seed", "7")
    report = json.loads(run.out)
    assert run.code == 0
    assert [line["bot"] for line in report["bots"]] == ["mine:first", "mine:all"]  # both have the same INFO
    assert [info["name"] for info in report["infos"].values()] == ["Owl"] * 2
    assert report["bots"][1]["faults"] == {"crashed": 2, "time-out": 2, "illegal-move": 2}
    assert "thinking" in run.err
    for text in ("KeyError: 'no such key'", "in deep", "in hangs_now", 'answer {"move":"nonsense"'):
        assert run.err.count(text) == 1, text
    assert "splito_arena" not in run.err
    kept = faults_in(folder / "faults")
    assert {*kept} == {"crashed", "time-out", "illegal-move"}
    assert all(json.loads(fault["request"])["id"] == fault["id"] for fault in kept.values())
    shown = re.findall(r"splito bot resend faults/(\S+)\.json --to mine:all", run.err)
    assert len(shown) == 3, "one of each kind"
    assert all((folder / "faults" / f"{ask}.json").exists() for ask in shown)
    again_is_the_same(process, kept["crashed"]["id"])


def again_is_the_same(process: Splito, ask: str) -> None:
    run = process("bot", "resend", f"faults/{ask}.json", "--to", "mine:raises", "--json")
    told = json.loads(run.out)
    assert (run.code, told["same"], told["now"]["fault"]["code"]) == (1, True, "crashed")
    assert "in deep" in told["now"]["traceback"]
    run = process("bot", "resend", f"faults/{ask}.json", "--to", "mine:first", "--json")
    told = json.loads(run.out)
    assert (run.code, told["same"], told["now"]["fault"]) == (0, False, None)


CASES = {
    "raises": ("mine:raises", "failed with KeyError: 'no such key'", "in deep"),
    "hangs": ("mine:hangs", "TimeoutError: no move within 0.5 s", "in hangs"),
    "nonsense": ("mine:nonsense", "answered 'nonsense', which is not one of its moves", "'nonsense'"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_function_that_fails_ends_a_simulation_with_its_traceback(name: str, process: Splito, folder: Path) -> None:
    bot, message, where = CASES[name]
    run = process("simulate", "splitter", "--bots", f"mine:first,{bot}", "--deals", "2", "--limit", "0.5", "--json")
    assert (run.code, run.out, folder.exists()) == (2, "", True)
    assert f"bot {bot!r}" in run.err
    assert message in run.err
    assert where in run.err
    assert "thinking" in run.err


@pytest.mark.usefixtures("folder")
def test_processes_of_an_experiment_report_the_faults_of_functions(process: Splito) -> None:
    words = (
        "experiment",
        "mine:raises",
        "mine:first",
        "--game",
        "splitter",
        "--field",
        "random",
        "--least",
        "2",
        "--cap",
        "2",
    )
    run = process(*words, "--jobs", "2", "--save-faults", "faults", "--seed", "7", "--json")
    report = json.loads(run.out)
    assert (run.code, report["names"][:2]) == (0, ["mine:raises", "mine:first"])
    assert run.err.count("KeyError: 'no such key'") == 1
    assert "--to mine:raises" in run.err


@pytest.mark.usefixtures("folder")
def test_a_function_that_raises_fails_the_check_with_its_traceback(process: Splito) -> None:
    run = process("bot", "check", "mine:raises", "--quick", "--json")
    report = json.loads(run.out)
    assert (run.code, report["bot"], report["version"]) == (1, "Owl", "3")
    [row] = [row for row in report["rows"] if row["check"] == "matches"]
    assert "in deep" in row["findings"][0]["response"]
