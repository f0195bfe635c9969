"""`splito experiment` from the outside: a verdict in plain words, and how sure it is."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from splito_arena.experiments.sequential_test import Design, Reading, begin, reading
from splito_cli.matches.experiment_page import bar
from tests.arena.net.servers import HOST, nobody
from tests.arena.playing import first, last, plays
from tests.cli.conftest import Splito
from tests.cli.matches.test_match import OOPS, interrupted, until
from tests.cli.serving import served

SMALL = ("--game", "splitter", "--field", "random", "--seed", "7", "--jobs", "1")
QUICK = (*SMALL, "--least", "4", "--high", "0.9")
"""Decided after a few blocks."""


def plain(text: str) -> str:
    return " ".join(text.split())


def test_a_better_bot_gets_the_verdict_better_with_its_evidence(splito: Splito) -> None:
    run = splito("experiment", "greedy", "random", *QUICK)
    assert run.code == 0
    assert run.out.startswith("Splitter  ·  2 players  ·  NEW greedy  ·  OLD random  ·  field random#2\n")
    said = plain(run.out)
    assert re.search(
        r"greedy is better than random: \+\d\.\d\d places.*, after \d+ blocks; wrong in at most 5 % of such cases\.",
        said,
    )
    low = re.search(r"\[([+-]\d+\.\d+), [+-]\d+\.\d+\], after", said)
    assert low is not None
    assert float(low[1]) > 0, "the interval agrees with the verdict"
    assert "the true mean is below it in at most 5 % of experiments" in said
    assert re.search(r"variance ratio of the pairing \d+\.\d: unpaired games would take", said)
    assert "--seed 7" in said


def test_equal_bots_do_not_get_the_verdict_better(splito: Splito) -> None:
    run = splito("experiment", "random", "random", *SMALL, "--least", "2", "--high", "1", "--alpha", "0.2")
    assert "random is not better than random#2, or not by much" in plain(run.out)
    assert "with an effect of 1 or more, this is said in at most 5 % of cases" in plain(run.out)


def test_an_experiment_ends_at_the_cap(splito: Splito) -> None:
    run = splito("experiment", "random", "random", *SMALL, "--least", "2", "--cap", "3")
    assert run.code == 0
    assert re.search(
        r"Not decided: random against random#2, \+0\.00 places in every block, after 3 blocks, which was the cap\.",
        plain(run.out),
    )


def test_json_has_the_whole_result_and_the_same_seed_gives_the_same_result(splito: Splito) -> None:
    words = ("experiment", "greedy", "random", *QUICK, "--measure", "wins", "--json")
    report, again = (json.loads(splito(*words).out) for _ in range(2))
    assert report["reading"] == again["reading"]
    found = report["reading"]
    assert (found["verdict"], found["upper"] <= found["llr"], found["interval"]["low"] > 0) == ("better", True, True)
    assert found["variance_ratio"] > 0
    assert report["games"] == 4 * found["blocks"]
    assert report["names"] == ["greedy", "random", "random#2"]
    assert report["named"] == ["greedy", "random", "random"]
    assert [line["bot"] for line in report["bots"]] == report["names"]
    assert report["bots"][0]["wins"] - report["bots"][1]["wins"] == pytest.approx(found["estimate"]["mean"])
    assert (report["measure"], report["design"]["high"], report["stopped"]) == ("wins", 0.9, False)


def test_urls_functions_and_house_bots_can_be_compared(process: Splito, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def choose(ask):\n    return ask.moves[-1]\n")
    with served(plays(last, name="owl", version="3", author="Ada")) as url:
        words = ("experiment", url, "mine:choose", "--game", "splitter", "--field", "random", "--clock", "20000,0")
        run = process(*words, "--least", "2", "--cap", "2", "--json")
    report = json.loads(run.out)
    assert run.code == 0
    assert report["names"] == ["owl", "mine:choose", "random"]
    assert report["infos"][url]["author"] == "Ada"
    assert [line["faults"] for line in report["bots"]] == [{}, {}, {}]


def test_without_a_field_new_plays_against_old(splito: Splito) -> None:
    words = (
        "experiment",
        "greedy",
        "random",
        "--game",
        "splitter",
        "--field",
        "",
        "--least",
        "2",
        "--cap",
        "2",
        "--json",
    )
    report = json.loads(splito(*words).out)
    assert (report["players"], report["games"], report["names"]) == (2, 4, ["greedy", "random"])


def test_the_faults_of_a_bad_bot_are_shown_with_advice(splito: Splito) -> None:
    with served(plays(lambda _: OOPS)) as url:
        words = ("experiment", url, "random", *SMALL, "--strikes", "2", "--least", "2", "--cap", "2")
        run = splito(*words)
    said = plain(run.out)
    assert "guest 8 bad-status look into the bot's own log" in said
    assert "guest was replaced in 4 games, after 2 faults: it counts as the last there" in said


def test_an_experiment_writes_records_and_asks(splito: Splito, tmp_path: Path) -> None:
    records, asks = tmp_path / "records", tmp_path / "asks"
    words = ("experiment", "random", "greedy", *SMALL, "--least", "2", "--cap", "2")
    run = splito(*words, "--records", str(records), "--log", str(asks))
    assert f"8 records in {records}" in run.out.replace("\n", " ")
    assert sorted(file.name for file in records.iterdir())[:2] == ["splitter-00000-0.json", "splitter-00000-1.json"]
    assert splito("verify", *map(str, records.iterdir())).code == 0
    assert sorted(file.name for file in asks.iterdir()) == ["greedy.jsonl", "random#2.jsonl", "random.jsonl"]


def test_a_terminal_shows_the_evidence_while_the_experiment_runs(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    command = [
        sys.executable,
        "-m",
        "splito_cli",
        "experiment",
        "greedy",
        "random",
        *SMALL,
        "--least",
        "9",
        "--cap",
        "9",
    ]
    environ = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": theirs, "text": True}
    with subprocess.Popen(command, cwd=tmp_path, env=environ, **pipes) as running:
        os.close(theirs)
        shown = _read_all(ours)
        assert running.stdout is not None
        assert "after 9 blocks" in running.stdout.read()
    assert re.search(r"log-likelihood ratio [+-]\d\.\d\d, from -2\.94 to 2\.94", shown)
    assert re.search(r"\d of at most 9 blocks", shown)
    assert "not better" in shown


def _read_all(terminal: int) -> str:
    """Return everything written to a terminal until its last process closes it, which Linux reports as an error."""
    found = b""
    try:
        while part := os.read(terminal, 65536):
            found += part
    except OSError:
        pass
    finally:
        os.close(terminal)
    return found.decode()


@pytest.mark.parametrize("kind", ["functions", "url"])
def test_ctrl_c_prints_the_evidence_so_far(kind: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def choose(ask):\n    return ask.moves[0]\n")
    with served(plays(first)) as url:
        new = url if kind == "url" else "random"
        words = ["experiment", new, "mine:choose", *SMALL, "--least", "100000", "--cap", "100000"]
        command = [sys.executable, "-m", "splito_cli", *words, "--records", str(tmp_path / "records")]
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        with subprocess.Popen(command, cwd=tmp_path, **pipes) as running:
            until(lambda: len([*(tmp_path / "records").glob("*.json")]) >= 4)
            out, err = interrupted(running)
    assert running.returncode == 130
    assert err.startswith("1 block  ·  4 games"), "lines of progress, and no traceback"
    assert "Traceback" not in err
    assert "Not decided yet: " in out
    assert "Stopped by Ctrl-C" in out


def test_ctrl_c_before_the_first_finished_block_prints_no_table(tmp_path: Path) -> None:
    def answers(_: dict[str, Any]) -> bytes:
        (tmp_path / "asked").touch()
        return b""

    with served(plays(answers)) as url:
        command = [sys.executable, "-m", "splito_cli", "experiment", url, "random", *SMALL, "--clock", "60000,0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
            until((tmp_path / "asked").exists)
            out, _ = interrupted(running)
    assert running.returncode == 130
    assert "Stopped before the first block was played to its end." in out


BOUNDS = reading(begin(Design()))
BARS: list[tuple[float, str]] = [
    (0.0, "[────●────]"),
    (BOUNDS.upper, "[────|───●]"),
    (9.9, "[────|───●]"),
    (BOUNDS.lower / 2, "[──●─|────]"),
    (BOUNDS.lower, "[●───|────]"),
    (-9.9, "[●───|────]"),
]


@pytest.mark.parametrize(("ratio", "drawn"), BARS)
def test_the_likelihood_ratio_is_drawn_between_its_bounds(ratio: float, drawn: str) -> None:
    shown = Reading("undecided", 1, ratio, BOUNDS.lower, BOUNDS.upper, BOUNDS.estimate, None)
    assert bar(shown, 9).plain == f"not better {drawn} better"


def test_a_bot_that_cannot_be_reached_is_reported_in_one_line(splito: Splito) -> None:
    run = splito("experiment", f"http://{HOST}:{nobody()}", "random")
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
    assert run.err.startswith("splito: unreachable: no bot at")


WRONG = [
    ("experiment greedy", "usage", "--help"),
    ("experiment greedy nobody", "bad-bot", "splito bots"),
    ("experiment greedy random --game chess", "unknown-game", "splito games"),
    ("experiment greedy random --game splitter --players 13", "wrong-players", "--players"),
    ("experiment greedy random --players 3 --field=", "wrong-players", "a field of 0"),
    ("experiment greedy random --game splitter --players 1 --field=", "bad-option", "measure points"),
    ("experiment greedy random --low 0.3", "bad-option", "low < high"),
    ("experiment greedy random --alpha 0.5", "bad-option", "alpha must be"),
    ("experiment greedy random --cap 5", "bad-option", "cap must be at least 30"),
    ("experiment greedy random --measure luck", "usage", "--help"),
    ("experiment greedy random --clock 1000", "bad-option", "as in 1000,5000"),
    ("experiment greedy random --secret whsec_x", "bad-secret", "24 to 64 bytes"),
    ("experiment greedy random --seed é", "bad-option", "a seed is"),
    ("experiment greedy random --jobs 0", "bad-option", "jobs must be at least 1"),
    ("experiment greedy random --jobs 2 --log /dev/null", "bad-option", "one process plays all blocks"),
    ("experiment greedy http://localhost:1 --jobs 2", "bad-option", "one process plays all blocks"),
    ("experiment greedy random --save /dev/null", "bad-option", "no save can be written to /dev/null"),
    ("experiment greedy random --records /dev/null/x", "unwritable", "another place"),
]


@pytest.mark.parametrize(("words", "code", "advice"), WRONG)
def test_an_error_is_printed_in_one_line(words: str, code: str, advice: str, splito: Splito) -> None:
    run = splito(*words.split())
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
    assert run.err.startswith(f"splito: {code}: ")
    assert advice in run.err


def test_help_has_examples(splito: Splito) -> None:
    run = splito("experiment", "--help")
    assert "splito experiment my_bot:new my_bot:old" in run.out.partition("Examples:")[2]
