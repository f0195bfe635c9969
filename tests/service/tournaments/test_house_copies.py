"""House bots that enter a tournament several times, as `planner`, `planner#2` and so on."""

import csv
import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from splito_arena.bots.find import MOST_COPIES
from splito_arena.formats import Ladder, RoundRobin
from splito_arena.reports.dump import read_dump
from splito_arena.stats.online_rating import Rating
from splito_arena.stats.tournament_table import standings
from splito_service.tournaments.installed_versions import Installed, house_version, lacking, moved_on, waiting_text
from splito_service.tournaments.past_rounds import latest_ratings
from tests.service.holding import SHORT, SMALL, Organiser
from tests.service.matches.test_api import problem
from tests.service.owners.test_keys import Ada
from tests.service.playing import house, tournament
from tests.service.polling import Polling, last_move, polling
from tests.service.tournaments.http_calls import get

THREE = ["greedy", "greedy#2", "random", "random#2"]
EIGHT = ["random", *(f"random#{number}" for number in range(2, 9))]
FORMATS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "swiss": ({"kind": "swiss", "rounds": 3, "blocks": 2}, EIGHT),
    "elimination": ({"kind": "elimination", "blocks": 2, "double": True}, EIGHT),
    "gauntlet": ({"kind": "gauntlet", "bot": "greedy#2", "blocks": 2}, ["greedy", "greedy#2", "random"]),
}


@pytest.fixture(scope="session")
def copied(ada: Organiser) -> str:
    """Path of a round-robin of two house bots and a copy of each, that is over."""
    path = ada.hold(bots=THREE)
    ada.wait(path)
    return path


def test_every_copy_has_a_line_of_its_own_in_standings_and_tables(api: httpx.Client, copied: str) -> None:
    lines = get(api, f"{copied}/standings")["lines"]
    version = house_version("greedy")
    assert {line["bot"] for line in lines} == {f"{bot}@{version}" for bot in THREE}
    assert {line["name"] for line in lines} == {*THREE}
    assert [line["games"] for line in lines] == [18] * 4, "three opponents, three blocks with each, two games a block"
    assert len(get(api, f"{copied}/crosstable")["pairs"]) == 6
    shown = csv.DictReader(io.StringIO(api.get(f"{copied}/exports/standings.csv").text))
    assert {row["bot"] for row in shown} == {line["bot"] for line in lines}
    report = api.get(f"{copied}/report")
    assert report.status_code == 200
    assert "greedy#2" in report.text


def test_a_copy_has_dice_of_its_own(api: httpx.Client, copied: str) -> None:
    dump = read_dump(io.BytesIO(api.get(f"{copied}/dump").content))
    between = [
        game.scores
        for entry in dump.ledger
        for game in entry.games
        if {bot.partition("@")[0] for bot in entry.bots} == {"random", "random#2"}
    ]
    assert len(between) == 6
    assert any(one != other for one, other in between)


def test_the_dump_of_a_tournament_with_copies_is_verified(api: httpx.Client, copied: str, tmp_path: Path) -> None:
    raw = api.get(f"{copied}/dump").content
    shown = get(api, f"{copied}/standings")["lines"]
    assert [line.bot for line in standings(read_dump(io.BytesIO(raw)).ledger)] == [line["bot"] for line in shown]
    file = tmp_path / "copies.ndjson"
    file.write_bytes(raw)
    command = [sys.executable, "-m", "splito_cli", "tournament", "verify", str(file), "--service", str(api.base_url)]
    ran = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_can_be_held_with_copies_alone(api: httpx.Client, ada: Organiser, kind: str) -> None:
    wanted, bots = FORMATS[kind]
    path = ada.hold(format=wanted, bots=bots)
    ada.wait(path)
    assert get(api, path)["progress"]["state"] == "finished"
    found = get(api, f"{path}/standings")
    assert {line["name"] for line in found["lines"]} == {*bots}
    if found["placing"] is not None:
        assert sorted(bot for tied in found["placing"] for bot in tied) == sorted(bots)


def test_a_ladder_takes_and_withdraws_copies_while_it_runs(api: httpx.Client, ada: Organiser) -> None:
    path = ada.hold(format={"kind": "ladder"}, bots=["greedy", "greedy#2"])
    entered = ada.ask("PUT", f"{path}/bots/greedy%233").json()
    assert [one["bot"] for one in entered["entrants"]] == ["greedy", "greedy#2", "greedy#3"]
    assert ada.ask("DELETE", f"{path}/bots/greedy%232").status_code == 204
    gone = {one["bot"]: one["gone"] for one in get(api, path)["entrants"]}
    assert gone == {"greedy": None, "greedy#2": "withdrawn", "greedy#3": None}
    ada.ask("PUT", f"{path}/state", {"state": "cancelled"})


def test_an_experiment_compares_a_house_bot_with_its_copy(api: httpx.Client, ada: Organiser) -> None:
    wanted: Any = SHORT | {"new": "random", "old": "random#2", "field": ["greedy#2", "greedy"]}
    path = ada.experiment(**wanted, name="Twins")
    ada.wait(path)
    shown = get(api, path)
    assert (shown["new"]["bot"], shown["old"]["bot"]) == ("random", "random#2")
    assert shown["progress"]["state"] == "finished"


def test_copies_play_beside_registered_bots(api: httpx.Client, ada: Organiser) -> None:
    bot = Polling(Ada(api), games=["splitter"])
    with polling(bot, [str(api.base_url)], last_move):
        path = ada.hold(bots=["greedy", "greedy#2", bot.id], format={"kind": "round-robin", "blocks": 1})
        ada.wait(path)
    progress = get(api, path)["progress"]
    assert (progress["done"], progress["skipped"]) == (3, 0)


def test_a_ranked_tournament_refuses_copies_and_no_leaderboard_has_one(api: httpx.Client, ada: Organiser) -> None:
    ranked = SMALL | {"bots": ["greedy", "greedy#2"], "ranked": True}
    for path in ("/v1/tournaments", "/v1/tournaments/dry-run"):
        said = problem(ada.ask("POST", path, ranked), 409, "bad-bot")
        assert said["detail"].startswith("greedy#2 is a copy, and copies of house bots are not rated")
    ladder = ada.hold(format={"kind": "ladder"}, bots=["greedy", "random"], ranked=True)
    problem(ada.ask("PUT", f"{ladder}/bots/greedy%232"), 409, "bad-bot")
    ada.ask("PUT", f"{ladder}/state", {"state": "cancelled"})
    boards = get(api, "/v1/splitter/leaderboard")["boards"]
    assert not any("#" in line["bot"] for board in boards for line in board["lines"])


@pytest.mark.parametrize("number", ["1", "0", "02", f"{MOST_COPIES + 1}", "2#2", ""])
def test_other_numbers_of_copies_are_refused(ada: Organiser, number: str) -> None:
    bots = ["greedy", f"greedy#{number}"]
    said = problem(ada.ask("POST", "/v1/tournaments", SMALL | {"bots": bots}), 409, "bad-bot")
    assert f"#2 to #{MOST_COPIES}" in said["detail"]


def test_a_repeated_house_bot_is_refused_with_the_name_of_a_free_copy(ada: Organiser) -> None:
    bots = ["greedy", "greedy#2", "greedy"]
    said = problem(ada.ask("POST", "/v1/tournaments", SMALL | {"bots": bots}), 409, "bad-bot")
    assert "'greedy#3'" in said["detail"]


def test_a_copy_waits_for_and_moves_on_with_the_version_of_its_house_bot() -> None:
    kept = tournament(Ladder(), *house("greedy", "greedy#2"), id="t")
    old = Installed(bots={"greedy": "0.0"}, games={})
    assert [(lack.what, lack.bot) for lack in lacking(kept, old)] == [("greedy", "greedy"), ("greedy", "greedy#2")]
    assert waiting_text(kept, [old], ["greedy#2"]) == (
        f"blocks wait for a worker with greedy {house_version('greedy')} (workers have 0.0)"
    )
    assert [one.version for one in moved_on(kept, [old]).entrants] == ["0.0", "0.0"]


def test_a_copy_is_seeded_by_the_rating_of_its_house_bot() -> None:
    kept = tournament(RoundRobin(), *house("greedy", "greedy#2", "random#2"))
    rated = Rating(mean=31.0)
    found = latest_ratings(kept, {f"greedy@{house_version('greedy')}": rated})
    assert (found["greedy#2"], found.get("random#2")) == (rated, None)
