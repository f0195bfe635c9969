"""Standings, blocks, exports, report and dump of a tournament over HTTP."""

import csv
import io
import json
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest
from playwright.sync_api import sync_playwright

from splito_arena.reports.dump import Dump, read_dump
from splito_arena.stats.tournament_table import standings
from tests.service.holding import LIMIT, SMALL, Organiser
from tests.service.matches.test_api import problem
from tests.service.owners.test_keys import Ada
from tests.service.polling import Polling, eventually, last_move, polling
from tests.service.tournaments.http_calls import get

CHROMIUM = shutil.which("chromium")


def test_the_secret_is_published_at_the_end_and_proves_every_deal(api: httpx.Client, ada: Organiser) -> None:
    path = ada.hold()
    before = get(api, path)
    assert before["secret"] is None or before["progress"]["state"] == "finished"
    ada.wait(path)
    after = get(api, path)
    assert after["secret"]
    assert after["commitment"] == before["commitment"]
    dump = read_dump(io.BytesIO(api.get(f"{path}/dump").content))
    assert dump.head.secret == after["secret"], "and reading it has checked every deal"


def test_the_standings_can_be_computed_from_the_dump(api: httpx.Client, played: str) -> None:
    raw = api.get(f"{played}/dump")
    assert raw.headers["content-type"] == "application/x-ndjson"
    lines = standings(read_dump(io.BytesIO(raw.content)).ledger)
    shown = get(api, f"{played}/standings")
    assert shown["blocks"] == 9
    assert [(line["bot"], line["rating"]["mean"]) for line in shown["lines"]] == [
        (line.bot, line.rating.mean) for line in lines
    ]
    assert [line["rank"] for line in shown["lines"]] == [1, 2, 3]


def test_a_dump_is_signed_with_the_published_key_of_the_arena(api: httpx.Client, played: str, tmp_path: Path) -> None:
    raw = api.get(f"{played}/dump").content
    dump = read_dump(io.BytesIO(raw))
    assert dump.signature.key == get(api, "/v1/signing-key")["key"]
    assert dump.head.commitment == get(api, played)["commitment"]
    assert {name for entry in dump.ledger for game in entry.games for name in game.record.names} == {
        *dump.head.entrants
    }
    file = tmp_path / "cup.ndjson"
    for text, code in ((raw, 0), (raw.replace(b'"Small"', b'"Large"', 1), 2)):
        file.write_bytes(text)
        command = [
            sys.executable,
            "-m",
            "splito_cli",
            "tournament",
            "verify",
            str(file),
            "--service",
            str(api.base_url),
        ]
        ran = subprocess.run(command, capture_output=True, timeout=60, check=False)
        assert ran.returncode == code, ran.stderr


def test_crosstable_and_neighbours_cover_every_bot(api: httpx.Client, played: str) -> None:
    pairs = get(api, f"{played}/crosstable")["pairs"]
    assert [pair["blocks"] for pair in pairs] == [3, 3, 3]
    beside = get(api, f"{played}/neighbours")
    assert {row["bot"].partition("@")[0] for row in beside["beside"]} == {*SMALL["bots"]}
    assert beside["suspicions"] == []


def test_blocks_are_listed_page_by_page_with_their_games(api: httpx.Client, played: str) -> None:
    seen: list[str] = []
    page = get(api, f"{played}/blocks?limit=4")
    while page["next"]:
        seen += [block["block"] for block in page["blocks"]]
        page = get(api, f"{played}/blocks?limit=4&after_block={page['next']}")
    seen += [block["block"] for block in page["blocks"]]
    assert (len(seen), seen) == (9, sorted(seen))
    block = get(api, f"{played}/blocks/{seen[0]}")
    assert [game["seating"] for game in block["played"]] in ([[0, 1], [1, 0]], [[1, 0], [0, 1]])
    assert len({game["record"]["seed"] for game in block["played"]}) == len(block["played"])
    problem(api.get(f"{played}/blocks/00000099-0000-00000"), 404, "unknown-block")


@pytest.mark.parametrize("table", ["standings", "crosstable", "games", "ratings"])
def test_an_export_has_the_same_rows_as_json_csv_and_parquet(api: httpx.Client, played: str, table: str) -> None:
    rows = get(api, f"{played}/exports/{table}.json")
    text = api.get(f"{played}/exports/{table}.csv")
    assert text.headers["content-disposition"] == f'attachment; filename="{table}.csv"'
    assert next(csv.DictReader(io.StringIO(text.text))).keys() == rows[0].keys()
    parquet: Any = import_module("pyarrow.parquet")  # it has no types
    packed = parquet.read_table(io.BytesIO(api.get(f"{played}/exports/{table}.parquet").content))
    assert packed.to_pylist() == rows


def test_the_report_is_one_html_page_with_every_bot(api: httpx.Client, played: str) -> None:
    page = api.get(f"{played}/report")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert all(bot in page.text for bot in SMALL["bots"])


@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium to look at the page with")
def test_a_browser_draws_the_report_under_its_content_security_policy(api: httpx.Client, played: str) -> None:
    faults: list[str] = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text))
        page.goto(f"{str(api.base_url).rstrip('/')}{played}/report")
        page.wait_for_selector("html[data-drawn='4']")
        browser.close()
    assert [fault for fault in faults if "favicon" not in fault] == []


def test_the_secret_is_not_published_while_a_block_is_played(api: httpx.Client, ada: Organiser) -> None:
    asked = Event()

    def never(ask: Any) -> Any:
        asked.set()
        held.wait(LIMIT)
        return last_move(ask)

    held, bot = Event(), Polling(Ada(api), games=["splitter"])
    slow = {"turn_ms": 60_000, "bank_ms": 0}
    path = ada.hold(bots=["greedy", bot.id], clock=slow)
    with polling(bot, [str(api.base_url)], never, connections=1):
        try:
            assert asked.wait(LIMIT)
            ada.ask("PUT", f"{path}/state", {"state": "cancelled"})
            shown = get(api, path)
            assert (shown["progress"]["state"], shown["progress"]["playing"] > 0) == ("cancelled", True)
            assert shown["secret"] is None
            assert read_dump(io.BytesIO(api.get(f"{path}/dump").content)).head.secret is None
        finally:
            held.set()
        shown = eventually(lambda: get(api, path), lambda shown: not shown["progress"]["playing"])
    assert shown["progress"]["done"] > 0, "what had begun counts"
    assert shown["secret"]
    assert read_dump(io.BytesIO(api.get(f"{path}/dump").content)).head.secret == shown["secret"]


def test_the_dump_of_a_ladder_names_all_versions_and_deleted_bots(api: httpx.Client, ada: Organiser) -> None:
    owner = Ada(api)
    kept, lost = (Polling(owner, games=["splitter"]) for _ in range(2))
    path = ada.hold(format={"kind": "ladder", "tables": 1}, bots=["greedy", kept.id, lost.id])

    def versions() -> set[str]:
        page = get(api, f"{path}/blocks?limit=100")
        return {version for block in page["blocks"] if block["games"] for version in block["bots"]}

    def dump() -> Dump:
        return read_dump(io.BytesIO(api.get(f"{path}/dump").content))

    urls = [str(api.base_url)]
    with polling(kept, urls, last_move), polling(lost, urls, last_move):
        eventually(versions, {f"{kept.id}@1", f"{lost.id}@1"}.issubset)
        assert owner.ask("DELETE", f"/v1/bots/{lost.id}").status_code == 204
        described = {"name": "polly", "author": "Ada", "version": "2", "games": ["splitter"], "concurrency": 8}
        assert owner.ask("PUT", f"/v1/bots/{kept.id}/info", described).status_code == 200
        eventually(versions, lambda found: f"{kept.id}@2" in found)
        eventually(lambda: [one["bot"] for one in get(api, path)["entrants"]], lambda bots: lost.id not in bots)
        assert dump().head.secret is None
        ada.ask("PUT", f"{path}/state", {"state": "cancelled"})
        eventually(lambda: get(api, path)["secret"], bool)
    found = dump()
    assert {f"{kept.id}@1", f"{kept.id}@2", f"{lost.id}@1"} <= found.head.entrants.keys()
    assert found.head.secret


def test_a_ranked_ladder_appears_on_the_leaderboard(api: httpx.Client, ada: Organiser) -> None:
    assert get(api, "/v1/splito/leaderboard") == {"game": "splito", "boards": []}
    ladder = ada.hold(game="splito", ranked=True, format={"kind": "ladder"}, bots=["greedy", "random", "planner"])
    (board,) = eventually(
        lambda: get(api, "/v1/splito/leaderboard?players=2")["boards"], lambda boards: len(boards[0]["lines"]) == 3
    )
    ada.ask("PUT", f"{ladder}/state", {"state": "cancelled"})
    assert [line["rank"] for line in board["lines"]] == [1, 2, 3]
    assert {line["name"] for line in board["lines"]} == {"greedy", "random", "planner"}
    assert get(api, "/v1/splito/leaderboard?players=7")["boards"] in ([], [{"players": 7, "lines": []}])


def test_an_unknown_export_or_cursor_is_refused(api: httpx.Client, played: str) -> None:
    problem(api.get(f"{played}/exports/standings.xls"), 404, "not-found")
    problem(api.get(f"{played}/events", headers={"Last-Event-ID": "first"}), 400, "bad-request")
    problem(api.get(f"{played}/blocks?after_block=3"), 400, "bad-request")


@pytest.mark.parametrize(
    "kind",
    [{"kind": "elimination"}, {"kind": "elimination", "double": True}, {"kind": "swiss", "rounds": 2}],
    ids=["elimination", "double", "swiss"],
)
def test_elimination_and_swiss_have_a_final_placing_with_reasons(
    api: httpx.Client, ada: Organiser, kind: dict[str, Any]
) -> None:
    path = ada.hold(format=kind)
    eventually(lambda: get(api, path)["progress"]["state"], lambda state: state == "finished")
    found = get(api, f"{path}/standings")
    official, placing = found["official"], found["placing"]
    assert sorted(bot for tied in placing for bot in tied) == ["greedy", "planner", "random"]
    assert [line["bot"] for line in official["lines"]] == [bot for tied in placing for bot in tied]
    assert (official["final"], official["winners"]) == (True, placing[0])
    assert all(line["reason"] for line in official["lines"])
    if kind["kind"] == "swiss":
        assert official["rule"] == "points"
        assert official["lines"][0]["points"] == max(line["points"] for line in official["lines"])
        return
    last = get(api, f"{path}/blocks?limit=100")["blocks"][-1]
    (winner,) = official["winners"]
    ahead = [bot.partition("@")[0] for place, bot in zip(last["places"], last["bots"], strict=True) if place < 2]
    assert winner in ahead, "the winner is not behind in the last block of the final"
    assert official["lines"][0]["reason"].startswith("won the final")


def test_a_round_robin_is_placed_by_mean_places(api: httpx.Client, played: str) -> None:
    found = get(api, f"{played}/standings")
    official = found["official"]
    places = {line["bot"].partition("@")[0]: line["place"]["mean"] for line in found["lines"]}
    assert (official["rule"], official["final"]) == ("mean-place", True)
    assert [line["bot"] for line in official["lines"]] == sorted(places, key=lambda bot: (places[bot], bot))
    assert found["placing"] == [[line["bot"]] for line in official["lines"]]
    assert {line["name"] for line in official["lines"]} == {"greedy", "planner", "random"}


def test_the_placing_is_provisional_before_the_end_and_a_cancelled_tournament_has_no_winner(
    api: httpx.Client, ada: Organiser
) -> None:
    path = ada.hold(format={"kind": "elimination", "blocks": 500})
    running = get(api, f"{path}/standings")
    assert (running["official"]["final"], running["official"]["winners"], running["placing"]) == (False, [], None)
    ada.ask("PUT", f"{path}/state", {"state": "cancelled"})
    over = get(api, f"{path}/standings")
    assert (over["official"]["final"], over["official"]["winners"], over["placing"]) == (False, [], None)


def test_report_and_exports_have_the_official_placing(api: httpx.Client, ada: Organiser) -> None:
    path = ada.hold(format={"kind": "elimination"})
    eventually(lambda: get(api, path)["progress"]["state"], lambda state: state == "finished")
    official, held = get(api, f"{path}/standings")["official"], get(api, path)
    rows = api.get(f"{path}/exports/placing.json").json()
    assert [(row["place"], row["bot"], row["reason"]) for row in rows] == [
        (line["place"], line["bot"], line["reason"]) for line in official["lines"]
    ]
    places = {row["bot"].partition("@")[0]: row["placing"] for row in api.get(f"{path}/exports/standings.json").json()}
    assert places == {line["bot"]: line["place"] for line in official["lines"]}
    page = api.get(f"{path}/report").text
    assert page.index('id="placing-table"') < page.index('id="standings-table"')
    (winner,) = official["winners"]
    assert f'1. ★ <span class="name" title="{winner}">' in page
    head = page[: page.index("</header>")]
    for fact in ("elimination, 1 of 2 go on", "Ada", held["id"], held["commitment"], held["secret"]):
        assert fact in head
    assert f"splito tournament verify {held['id']}.ndjson" in head


def test_the_event_of_the_end_names_the_winner(api: httpx.Client, ada: Organiser) -> None:
    path = ada.hold(format={"kind": "elimination"})
    with api.stream("GET", f"{path}/events", params={"seconds": 60}) as stream:
        *_, last = [line for line in stream.iter_lines() if line.startswith("data: ")]
    told = json.loads(last.removeprefix("data: "))
    assert told["progress"]["state"] == "finished"
    assert told["official"] == get(api, f"{path}/standings")["official"]
    assert len(told["official"]["winners"]) == 1
