"""`splito simulate` from the outside."""

import json
import re
from pathlib import Path

from tests.cli.conftest import Splito

WORDS = ("simulate", "splitter", "--bots", "random", "--players", "2", "--deals", "6", "--seed", "7")


def test_simulate_prints_a_table_with_intervals(splito: Splito) -> None:
    run = splito(*WORDS[:-4], "--deals", "10", "--seed", "7")
    assert run.code == 0
    assert "random#2" in run.out
    assert run.out.count("±") == 5  # points and places of both bots, and the note
    assert len(re.findall(r"\d %  ?\(\d+–\d+\)", run.out)) == 2
    assert "--seed 7" in run.out


def test_a_single_block_has_no_interval(splito: Splito) -> None:
    assert splito(*WORDS, "--deals", "1").code == 2  # given twice
    assert "±" not in splito(*WORDS[:-4], "--deals", "1").out.partition("deals")[0]


def test_json_is_the_only_output_on_stdout(process: Splito) -> None:
    run = process(*WORDS, "--json", "--jobs", "2", "--option", "sheet=B")
    report = json.loads(run.out)
    assert (run.code, run.err) == (0, "")
    assert (report["game"], report["players"], report["blocks"], report["matches"]) == ("splitter", 2, 3, 6)
    assert (report["seed"], report["options"], report["confidence"]) == ("7", {"sheet": "B"}, 0.95)
    assert [line["bot"] for line in report["bots"]] == ["random", "random#2"]
    counts, times = {"games", "faults", "replaced"}, {"ms_per_move", "ms_p50", "ms_p99", "ms_slowest"}
    assert {*report["bots"][0]} == {"bot", "points", "wins", "rank"} | counts | times
    assert {*report["bots"][0]["points"]} == {"mean", "margin"}


def test_deals_are_matches_and_are_rounded_up_to_whole_blocks(splito: Splito) -> None:
    run = splito("simulate", "splitter", "--bots", "random", "--players", "3", "--deals", "7")
    assert "12 deals, one for each match: 2 blocks of 6 seatings." in " ".join(run.out.split())
    alone = splito("simulate", "splitter", "--bots", "random", "--players", "1", "--deals", "2")
    assert "2 deals, one for each match: 2 blocks of 1 seating." in " ".join(alone.out.split())


def test_the_same_seed_gives_the_same_table(splito: Splito) -> None:
    one, again = (json.loads(splito(*WORDS, "--json").out)["bots"] for _ in range(2))
    assert [line["points"] for line in one] == [line["points"] for line in again]


def test_records_of_all_matches_are_written_and_verify(splito: Splito, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "records"
    run = splito(*WORDS, "--records", str(folder))
    files = sorted(map(str, folder.iterdir()))
    assert len(files) == 6
    assert "6 records in" in run.out
    assert splito("verify", *files).code == 0


def test_the_number_of_players_follows_from_the_number_of_bots(splito: Splito) -> None:
    run = splito("simulate", "splitter", "--bots", "random,greedy", "--deals", "1", "--json")
    assert json.loads(run.out)["players"] == 2


def test_more_bots_than_seats_are_refused(splito: Splito) -> None:
    run = splito("simulate", "splitter", "--bots", "random,greedy,random", "--players", "2")
    assert run.code == 2
    assert run.err.startswith("splito: bad-bot: 3 bots for 2 seats")


def test_a_function_in_the_working_folder_can_play(process: Splito, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def first(ask):\n    return ask.moves[0]\n")
    run = process("simulate", "splitter", "--bots", "mine:first", "--deals", "2", "--jobs", "2", "--json")
    assert run.err == ""
    assert json.loads(run.out)["bots"][0]["bot"] == "mine:first"
