"""`splito match` from the outside: real bots over HTTP, functions and bots of the house."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from splito_arena.net.signing import new_secret, verify
from splito_engine.registry import games
from tests.arena.net.servers import HOST, nobody
from tests.arena.playing import first, last, plays
from tests.cli.conftest import Splito
from tests.cli.serving import served

WORDS = ("match", "splitter", "random", "greedy", "--deals", "6", "--seed", "7")
OOPS = b"HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n"


def until(condition: Callable[[], bool], seconds: float = 30) -> None:
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "it did not come true in time"
        time.sleep(0.005)


def test_match_prints_a_table_with_intervals_faults_and_times(splito: Splito) -> None:
    run = splito(*WORDS)
    assert (run.code, run.err) == (0, "")
    headings = run.out.splitlines()[2]
    assert headings.split("  ")[0] == "bot"
    assert all(word in headings for word in ("games", "points", "win rate", "mean rank", "faults", "ms p50/99/max"))
    assert run.out.count("(too few)") == 6  # three for each bot, because there are three blocks only
    assert "6 deals, one for each match: 3 blocks of 2 seatings." in run.out
    assert "--seed 7" in run.out


@pytest.mark.parametrize("game", games())
def test_a_url_a_function_and_a_house_bot_play_every_game(game: str, process: Splito, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def choose(ask):\n    return ask.moves[-1]\n")
    with served(plays(last, name="owl", version="3", author="Ada")) as url:
        run = process("match", game, url, "mine:choose", "random", "--deals", "1", "--json", "--clock", "20000,0")
    report = json.loads(run.out)
    assert (run.code, run.err) == (0, "")
    assert (report["players"], report["matches"], report["blocks"], report["stopped"]) == (3, 6, 1, False)
    assert [line["bot"] for line in report["bots"]] == ["owl", "mine:choose", "random"]
    assert [line["faults"] for line in report["bots"]] == [{}, {}, {}]
    assert report["named"] == [url, "mine:choose", "random"]
    assert report["infos"][url]["author"] == "Ada"
    assert report["clock"] == {"turn_ms": 20000, "bank_ms": 0}


def test_the_info_of_a_bot_with_a_url_is_below_the_table(splito: Splito) -> None:
    with served(plays(last, name="owl", version="3", author="Ada")) as url:
        run = splito("match", "splitter", url, "--players", "2", "--deals", "1")
    assert f"owl, owl#2: owl 3 by Ada at {url}" in run.out


def test_the_same_seed_gives_the_same_records(splito: Splito, tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "deep" / "other"]
    with served(plays(last)) as url:
        for folder in folders:
            words = ("match", "splitter", url, "random", "--deals", "4", "--seed", "7", "--records", str(folder))
            assert f"4 records in {folder}" in splito(*words).out.replace("\n", " ")
    one, other = ({file.name: file.read_bytes() for file in folder.iterdir()} for folder in folders)
    assert one == other
    assert len(one) == 4
    assert splito("verify", *map(str, folders[0].iterdir())).code == 0


def test_fewer_bots_than_seats_are_repeated_in_turn(splito: Splito) -> None:
    run = splito("match", "splitter", "random", "greedy", "--players", "3", "--deals", "1", "--json")
    assert [line["bot"] for line in json.loads(run.out)["bots"]] == ["random", "greedy", "random#2"]


def test_copies_of_house_bots_play_under_their_own_names(splito: Splito) -> None:
    for command in (("match", "splitter", "random", "random#3"), ("simulate", "splitter", "--bots", "random,random#3")):
        report = json.loads(splito(*command, "--deals", "2", "--json").out)
        assert [line["bot"] for line in report["bots"]] == ["random", "random#3"]


def test_one_bot_is_repeated_until_the_game_can_be_played(splito: Splito) -> None:
    run = splito("match", "splitit", "random", "--deals", "1", "--json")
    assert json.loads(run.out)["players"] == games()["splitit"].INFO.min_players


def test_a_bad_bot_does_not_stop_the_others(splito: Splito) -> None:
    with served(plays(lambda _: OOPS)) as url:
        run = splito("match", "splitter", url, "random", "--deals", "4", "--strikes", "2")
    assert run.code == 0
    text = " ".join(run.out.split())
    assert "guest 8 bad-status look into the bot's own log" in text
    assert "guest was replaced in 4 matches, after 2 faults: it counts as the last there" in text


def test_asks_are_logged_one_line_each(splito: Splito, tmp_path: Path) -> None:
    folder = tmp_path / "asks"
    with served(plays(last, name="a/bot")) as url:
        run = splito("match", "splitter", url, "random", "--deals", "1", "--log", str(folder))
    assert f"All asks are in {folder}" in run.out.replace("\n", "")
    assert sorted(file.name for file in folder.iterdir()) == ["a_bot.jsonl", "random.jsonl"]
    for file in folder.iterdir():
        lines: list[Any] = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        assert len(lines) == 44
        assert all(json.loads(line["request"])["id"] == line["id"] for line in lines)
        assert all(json.loads(line["response"])["move"] for line in lines)
        assert {line["game"] for line in lines} == {"splitter"}
        assert all(line["fault"] is None and line["elapsed_ms"] >= 0 for line in lines)
    guest = json.loads((folder / "a_bot.jsonl").read_text("utf-8").splitlines()[0])
    assert (guest["bot"], guest["debug"]) == ("a/bot", "turn 0")


@pytest.mark.parametrize("way", ["word", "bare", "file"])
def test_asks_are_signed(way: str, splito: Splito, tmp_path: Path) -> None:
    secret, checked = new_secret(), list[str]()

    def check(headers: dict[str, str], body: bytes) -> None:
        checked.append(verify([secret], headers, body, time.time()))

    with served(plays(first, check)) as url:
        file = tmp_path / "secrets"
        file.write_text(f"{url}={secret}\nhttp://elsewhere={new_secret()}\n")
        words = {"word": f"{url}={secret}", "bare": secret, "file": f"@{file}"}[way]
        run = splito("match", "splitter", url, "--deals", "1", "--json", "--secret", words)
    assert json.loads(run.out)["bots"][0]["faults"] == {}
    assert len(checked) == 22
    assert secret not in run.out


@pytest.mark.parametrize("game", games())
def test_the_last_match_is_shown_turn_by_turn(game: str, splito: Splito) -> None:
    run = splito("match", game, "random", "greedy", "--players", "3", "--deals", "1", "--seed", "7", "--replay")
    shown = run.out.partition("The last match, as random#2 in seat 0 sees it:")[2]
    assert run.code == 0
    assert "The end" in shown
    assert "Winner: " in shown or "Shared victory: " in shown
    assert shown.count("greedy") > 3


def test_a_bot_that_cannot_be_reached_is_reported_in_one_line(splito: Splito) -> None:
    run = splito("match", "splitter", f"http://{HOST}:{nobody()}", "random")
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
    assert run.err.startswith("splito: unreachable: no bot at")
    assert "keep the bot running" in run.err
    assert "curl" in run.err


WRONG = [
    ("match chess random", "unknown-game", "splito games"),
    ("match splitter nobody", "bad-bot", "splito bots"),
    ("match splitter", "usage", "--help"),
    ("match splitter random greedy --players 1", "bad-bot", "2 bots for 1 seat"),
    ("match splitter random --players 13", "wrong-players", "--players"),
    ("match splitter random --deals 0", "bad-option", "at least 1"),
    ("match splitter random --at-once 0", "bad-option", "at least 1"),
    ("match splitter random --clock 1000", "bad-option", "as in 1000,5000"),
    ("match splitter random --clock 0,1", "bad-option", "at least 1"),
    ("match splitter random --option sheet=C", "bad-option", "sheet"),
    ("match splitter random --json --replay", "bad-option", "--replay"),
    ("match splitter random --secret nonsense", "bad-secret", "a secret is whsec_"),
    ("match splitter 127.0.0.1:8001", "bad-bot", "write an address as http://127.0.0.1:8001"),
    ("match splitter http://h:1 --secret http://h:1=whsec_x", "bad-secret", "24 to 64 bytes"),
    ("match splitter random --secret @no.txt", "bad-option", "no.txt cannot be read for secrets"),
    ("match splitter random --save-faults /dev/null/x", "unwritable", "another place"),
    ("match splitter http://u@h", "bad-address", "before @"),
    ("match splitter random --records /dev/null/x", "unwritable", "another place"),
    ("match splitter random --log /dev/null/x", "unwritable", "another place"),
]


@pytest.mark.parametrize(("words", "code", "advice"), WRONG)
def test_an_error_is_printed_in_one_line(words: str, code: str, advice: str, splito: Splito) -> None:
    run = splito(*words.split())
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1)
    assert run.err.startswith(f"splito: {code}: ")
    assert advice in run.err


def interrupted(running: "subprocess.Popen[str]") -> tuple[str, str]:
    """Return what the command prints after Ctrl-C; the command never outlives the test."""
    running.send_signal(signal.SIGINT)
    try:
        return running.communicate(timeout=30)
    finally:
        running.kill()


@pytest.mark.parametrize("kind", ["functions", "url"])
def test_ctrl_c_prints_the_table_of_the_finished_matches(kind: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def choose(ask):\n    return ask.moves[0]\n")
    with served(plays(first)) as url:
        words = ["match", "splitter", "mine:choose", url if kind == "url" else "random", "--deals", "1000000"]
        command = [sys.executable, "-m", "splito_cli", *words, "--records", str(tmp_path / "records")]
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        plain = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
        with subprocess.Popen(command, cwd=tmp_path, env=plain, **pipes) as running:
            until(lambda: len([*(tmp_path / "records").glob("*.json")]) >= 4)
            out, err = interrupted(running)
    assert (running.returncode, err) == (130, "")
    assert "Stopped by Ctrl-C" in out
    assert "mine:choose" in out


def test_ctrl_c_before_the_first_finished_block_prints_no_table(tmp_path: Path) -> None:
    def answers(_: dict[str, Any]) -> bytes:
        (tmp_path / "asked").touch()
        return b""

    with served(plays(answers)) as url:
        command = [sys.executable, "-m", "splito_cli", "match", "splitter", url, "--clock", "60000,0", "--json"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
            until((tmp_path / "asked").exists)
            out, _ = interrupted(running)
    assert (running.returncode, out) == (130, "null\n")
