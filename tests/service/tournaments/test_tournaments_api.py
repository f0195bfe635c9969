"""Tournaments over HTTP, from the request to hold one to the last table, played by a real worker."""

import csv
import io
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import msgspec
import pytest
from playwright.sync_api import sync_playwright

from splito_arena.reports.dump import Dump, read_dump
from splito_arena.stats.tournament_table import standings
from splito_service.processes.embedded_redis import open_server
from splito_service.tournaments.model import MOST_HELD
from splito_service.tournaments.schemas.tournaments import LARGE_BODY, MOST_BOTS
from tests.service.holding import LIMIT, SHORT, SMALL, Organiser, watch, working
from tests.service.matches.test_api import problem
from tests.service.owners.test_keys import Ada
from tests.service.polling import PRIVATE, Polling, eventually, last_move, polling
from tests.service.process import running
from tests.test_docs import ROOT, blocks

CHROMIUM = shutil.which("chromium")
NOBODY = "0" * 24
LONG: dict[str, Any] = {"format": {"kind": "round-robin", "blocks": 2000}}
"""More than anybody waits for."""


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """Of a service with a worker."""
    with (
        open_server(tmp_path_factory.mktemp("tournaments")) as server,
        running(server.url, PRIVATE) as process,
        working(server.url),
        httpx.Client(base_url=process.url, timeout=60) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def ada(api: httpx.Client) -> Organiser:
    return Organiser(api)


@pytest.fixture(scope="module")
def played(ada: Organiser) -> str:
    """A small tournament that is over."""
    path = ada.hold(ranked=False)
    ada.wait(path)
    return path


def get(api: httpx.Client, path: str) -> Any:
    answer = api.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_it_is_watched_to_its_end(api: httpx.Client, ada: Organiser) -> None:
    path = ada.hold()
    events = list(watch(api, path))
    assert [event["event"] for event in events[:-1]] == ["progress"] * (len(events) - 1)
    assert len({event["id"] for event in events}) == len(events), "nothing is told twice"
    last = msgspec.json.decode(events[-1]["data"])
    assert events[-1]["event"] == "over"
    assert last["progress"] | {"games_per_second": None} == {
        "state": "finished",
        "reason": None,
        "round": 1,
        "rounds": 1,
        "done": 9,
        "skipped": 0,
        "open": 0,
        "playing": 0,
        "games": 18,
        "games_per_second": None,
        "seconds_left": None,
        "waiting": None,
    }
    assert last["leaders"] == get(api, f"{path}/standings")["lines"]
    again = api.get(f"{path}/events", headers={"Last-Event-ID": events[-1]["id"]})
    assert again.status_code == 204


def test_who_comes_back_is_told_only_what_is_new(api: httpx.Client, played: str) -> None:
    (over,) = watch(api, played)
    (again,) = watch(api, played, last="3-1-running")
    assert again == over


def test_the_dry_run_counts_what_is_played(api: httpx.Client, ada: Organiser, played: str) -> None:
    estimate = ada.ask("POST", "/v1/tournaments/dry-run", SMALL).json()
    assert (estimate["rounds"], estimate["tables"], estimate["blocks"], estimate["games"]) == (1, 3, 9, 18)
    assert len(get(api, f"{played}/blocks?limit=100")["blocks"]) == estimate["blocks"]


def test_the_secret_is_told_afterwards_and_all_deals_follow_from_it(api: httpx.Client, ada: Organiser) -> None:
    path = ada.hold()
    before = get(api, path)
    assert before["secret"] is None or before["progress"]["state"] == "finished"
    ada.wait(path)
    after = get(api, path)
    assert after["secret"]
    assert after["commitment"] == before["commitment"]
    dump = read_dump(io.BytesIO(api.get(f"{path}/dump").content))
    assert dump.head.secret == after["secret"], "and reading it has checked every deal"


def test_anybody_can_make_the_table_from_the_dump(api: httpx.Client, played: str) -> None:
    raw = api.get(f"{played}/dump")
    assert raw.headers["content-type"] == "application/x-ndjson"
    lines = standings(read_dump(io.BytesIO(raw.content)).ledger)
    shown = get(api, f"{played}/standings")
    assert shown["blocks"] == 9
    assert [(line["bot"], line["rating"]["mean"]) for line in shown["lines"]] == [
        (line.bot, line.rating.mean) for line in lines
    ]
    assert [line["rank"] for line in shown["lines"]] == [1, 2, 3]


def test_a_dump_is_signed_by_the_arena_and_verified_against_what_it_publishes(
    api: httpx.Client, played: str, tmp_path: Path
) -> None:
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


def test_who_beat_whom_and_beside_whom(api: httpx.Client, played: str) -> None:
    pairs = get(api, f"{played}/crosstable")["pairs"]
    assert [pair["blocks"] for pair in pairs] == [3, 3, 3]
    beside = get(api, f"{played}/neighbours")
    assert {row["bot"].partition("@")[0] for row in beside["beside"]} == {*SMALL["bots"]}
    assert beside["suspicions"] == []


def test_blocks_come_page_by_page_with_their_games(api: httpx.Client, played: str) -> None:
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
def test_a_table_is_the_same_in_every_form(api: httpx.Client, played: str, table: str) -> None:
    rows = get(api, f"{played}/exports/{table}.json")
    text = api.get(f"{played}/exports/{table}.csv")
    assert text.headers["content-disposition"] == f'attachment; filename="{table}.csv"'
    assert next(csv.DictReader(io.StringIO(text.text))).keys() == rows[0].keys()
    parquet: Any = import_module("pyarrow.parquet")  # it has no types
    packed = parquet.read_table(io.BytesIO(api.get(f"{played}/exports/{table}.parquet").content))
    assert packed.to_pylist() == rows


def test_the_report_is_one_page(api: httpx.Client, played: str) -> None:
    page = api.get(f"{played}/report")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert all(bot in page.text for bot in SMALL["bots"])


@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium to look at the page with")
def test_a_browser_draws_the_report_under_the_policy_that_it_is_served_with(api: httpx.Client, played: str) -> None:
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


def test_it_is_in_the_list(api: httpx.Client, ada: Organiser, played: str) -> None:
    page = get(api, f"/v1/tournaments?owner={ada.id}&state=finished&game=splitter&limit=100")
    shown = next(one for one in page["tournaments"] if one["id"] == played.rpartition("/")[2])
    assert (shown["name"], shown["bots"], shown["owner"]["name"]) == ("Small", 3, "Ada")
    assert get(api, "/v1/tournaments?game=chess")["tournaments"] == []
    assert get(api, f"/v1/tournaments?owner={NOBODY}")["tournaments"] == []


def test_it_can_be_paused_and_resumed(api: httpx.Client, ada: Organiser) -> None:
    path = ada.hold(**LONG)
    paused = ada.ask("PUT", f"{path}/state", {"state": "paused"}).json()
    assert paused["progress"]["state"] == "paused"
    still = eventually(lambda: get(api, path)["progress"], lambda seen: seen["playing"] == 0)
    assert (still["state"], still["done"]) == ("paused", get(api, path)["progress"]["done"])
    (seen,) = watch(api, path, seconds=0)
    assert [*watch(api, path, last=seen["id"], seconds=0)] == [], "there is nothing new"
    resumed = ada.ask("PUT", f"{path}/state", {"state": "running"}).json()
    assert resumed["progress"]["state"] == "running"
    eventually(lambda: get(api, path)["progress"]["done"], lambda done: done > still["done"])
    ada.ask("PUT", f"{path}/state", {"state": "cancelled"})


def test_what_is_cancelled_keeps_what_was_played_and_is_over_for_good(api: httpx.Client, ada: Organiser) -> None:
    path = ada.hold(**LONG)
    eventually(lambda: get(api, path)["progress"]["done"], bool)
    cancelled = ada.ask("PUT", f"{path}/state", {"state": "cancelled"})
    assert cancelled.json()["progress"]["state"] == "cancelled"
    eventually(lambda: get(api, path), lambda shown: shown["secret"] and not shown["progress"]["playing"])
    assert ada.ask("PUT", f"{path}/state", {"state": "cancelled"}).status_code == 200, "the same again"
    problem(ada.ask("PUT", f"{path}/state", {"state": "running"}), 409, "already-over")
    problem(ada.ask("PUT", f"{path}/blocks", {"blocks": 3000}), 409, "already-over")
    problem(ada.ask("DELETE", f"{path}/bots/greedy"), 409, "already-over")
    assert get(api, f"{path}/standings")["blocks"] > 0
    assert [event["event"] for event in watch(api, path)] == ["over"]


def test_the_secret_is_not_told_while_anything_is_played(api: httpx.Client, ada: Organiser) -> None:
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


def test_the_dump_of_a_ladder_has_all_versions_and_who_was_deleted(api: httpx.Client, ada: Organiser) -> None:
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


def test_what_is_over_can_be_deleted_by_who_organised_it(api: httpx.Client, ada: Organiser) -> None:
    path = ada.hold(**LONG)
    problem(ada.ask("DELETE", path), 409, "not-over")
    watching = watch(api, path)
    next(watching)
    ada.ask("PUT", f"{path}/state", {"state": "cancelled"})
    problem(Organiser(api, "Bob").ask("DELETE", path), 403, "wrong-owner")
    problem(api.delete(path), 401, "no-key")
    assert ada.ask("DELETE", path).status_code == 204
    assert {event["event"] for event in watching} <= {"progress", "over"}, "who watched is let go"
    for left in ("", "/standings", "/blocks", "/dump", "/events"):
        problem(api.get(f"{path}{left}"), 404, "unknown-tournament")
    assert path.rpartition("/")[2] not in [one["id"] for one in get(api, "/v1/tournaments")["tournaments"]]


def test_an_owner_has_so_many_that_are_not_over(api: httpx.Client) -> None:
    eve = Organiser(api, "Eve")
    made = [eve.hold(**LONG) for _ in range(MOST_HELD - 1)]
    made.append(eve.experiment(**SHORT | {"question": {"cap": 10_000, "least": 10_000}}))
    for path in made:
        eve.ask("PUT", f"{path}/state", {"state": "paused"})
    problem(eve.ask("POST", "/v1/tournaments", SMALL), 409, "no-room")
    problem(eve.ask("POST", "/v1/experiments", SHORT), 409, "no-room")
    for path in made:
        assert eve.ask("PUT", f"{path}/state", {"state": "cancelled"}).status_code == 200
    eve.wait(eve.hold())


def test_more_blocks_are_played_by_every_table(api: httpx.Client, ada: Organiser) -> None:
    path = ada.hold(format={"kind": "round-robin", "blocks": 8})
    ada.ask("PUT", f"{path}/state", {"state": "paused"})
    grown = ada.ask("PUT", f"{path}/blocks", {"blocks": 10})
    assert grown.json()["added_blocks"] == 2
    assert ada.ask("PUT", f"{path}/blocks", {"blocks": 10}).json()["added_blocks"] == 2
    problem(ada.ask("PUT", f"{path}/blocks", {"blocks": 9}), 409, "bad-option")
    ada.ask("PUT", f"{path}/state", {"state": "running"})
    ada.wait(path)
    assert get(api, path)["progress"]["done"] == 3 * 10


def test_a_bot_that_is_withdrawn_is_not_waited_for(api: httpx.Client, ada: Organiser) -> None:
    path = ada.hold(format={"kind": "round-robin", "blocks": 20})
    assert ada.ask("DELETE", f"{path}/bots/planner").status_code == 204
    events = ada.wait(path)
    assert events[-1][1]["progress"]["skipped"] > 0
    gone = {entrant["bot"]: entrant["gone"] for entrant in get(api, path)["entrants"]}
    assert gone == {"greedy": None, "random": None, "planner": "withdrawn"}
    problem(ada.ask("DELETE", f"{path}/bots/nobody"), 409, "already-over")


def test_a_ladder_is_entered_and_left_by_owners_of_bots(api: httpx.Client, ada: Organiser) -> None:
    path = ada.hold(format={"kind": "ladder", "pause_seconds": 60}, bots=["greedy", "random"])
    owner = Ada(api)
    bot = Polling(owner, games=["splitter"]).id
    entered = owner.ask("PUT", f"{path}/bots/{bot}")
    assert [one["bot"] for one in entered.json()["entrants"]] == ["greedy", "random", bot]
    problem(owner.ask("PUT", f"{path}/bots/planner"), 403, "wrong-owner")
    assert owner.ask("DELETE", f"{path}/bots/{bot}").status_code == 204
    problem(owner.ask("DELETE", f"{path}/bots/greedy"), 403, "wrong-owner")
    problem(ada.ask("PUT", f"{path}/bots/{bot}"), 403, "not-allowed")
    assert owner.ask("PUT", f"{path}/bots/{bot}").status_code == 200
    assert ada.ask("DELETE", f"{path}/bots/{bot}").status_code == 204
    assert ada.ask("PUT", f"{path}/bots/{bot}").status_code == 200, "its holder withdrew it, and may enter it again"
    problem(ada.ask("PUT", f"{path}/bots/{NOBODY}"), 409, "bad-bot")
    assert ada.ask("PUT", f"{path}/state", {"state": "cancelled"}).status_code == 200


def test_what_is_ranked_is_on_the_leaderboard(api: httpx.Client, ada: Organiser) -> None:
    assert get(api, "/v1/splito/leaderboard") == {"game": "splito", "boards": []}
    ladder = ada.hold(game="splito", ranked=True, format={"kind": "ladder"}, bots=["greedy", "random", "planner"])
    (board,) = eventually(
        lambda: get(api, "/v1/splito/leaderboard?players=2")["boards"], lambda boards: len(boards[0]["lines"]) == 3
    )
    ada.ask("PUT", f"{ladder}/state", {"state": "cancelled"})
    assert [line["rank"] for line in board["lines"]] == [1, 2, 3]
    assert {line["name"] for line in board["lines"]} == {"greedy", "random", "planner"}
    assert get(api, "/v1/splito/leaderboard?players=7")["boards"] in ([], [{"players": 7, "lines": []}])


def test_only_who_organises_may_change_it(api: httpx.Client, ada: Organiser, played: str) -> None:
    bob = Organiser(api, "Bob")
    problem(bob.ask("PUT", f"{played}/state", {"state": "cancelled"}), 403, "wrong-owner")
    problem(bob.ask("PUT", f"{played}/blocks", {"blocks": 99}), 403, "wrong-owner")
    problem(bob.ask("DELETE", f"{played}/bots/greedy"), 403, "wrong-owner")
    problem(api.put(f"{played}/state", json={"state": "paused"}), 401, "no-key")
    key = ada.ask("POST", "/v1/keys", {"scopes": ["bots"]}).json()["key"]
    body = msgspec.json.encode(SMALL)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    problem(api.post("/v1/tournaments", content=body, headers=headers), 403, "wrong-scope")


REFUSED: list[tuple[dict[str, Any], int, str]] = [
    ({"game": "chess"}, 400, "bad-request"),
    ({"players": 1}, 400, "bad-request"),
    ({"colour": "red"}, 400, "bad-request"),
    ({"format": {"kind": "swiss", "tables": 3}}, 400, "bad-request"),
    ({"format": {"kind": "experiment", "new": "greedy", "old": "random", "field": ["planner"]}}, 400, "bad-request"),
    ({"name": "\n"}, 409, "bad-name"),
    ({"bots": ["greedy", "marvin"]}, 409, "bad-bot"),
    ({"bots": ["greedy", "greedy"]}, 409, "bad-bot"),
    ({"bots": ["greedy", NOBODY]}, 409, "bad-bot"),
    ({"bots": ["greedy"]}, 409, "bad-option"),
    ({"ranked": True}, 409, "bad-option"),
    ({"format": {"kind": "gauntlet", "bot": "marvin"}}, 409, "bad-bot"),
    ({"format": {"kind": "swiss", "rounds": 20, "blocks": 10_000}}, 409, "too-many-games"),
    ({"format": {"kind": "ladder", "keep": 1_000_000}}, 409, "too-many-games"),
]


@pytest.mark.parametrize("refused", REFUSED, ids=lambda refused: str(refused[0]))
def test_what_speaks_against_it_is_told_before_and_when(
    ada: Organiser, refused: tuple[dict[str, Any], int, str]
) -> None:
    changes, status, code = refused
    for path in ("/v1/tournaments", "/v1/tournaments/dry-run"):
        problem(ada.ask("POST", path, SMALL | changes), status, code)


def test_there_are_bounds(ada: Organiser) -> None:
    crowd = [f"{number:024}" for number in range(MOST_BOTS)]
    problem(ada.ask("POST", "/v1/tournaments", SMALL | {"bots": crowd}), 409, "bad-bot")
    problem(ada.ask("POST", "/v1/tournaments", SMALL | {"bots": [*crowd, "greedy"]}), 400, "bad-request")
    problem(ada.ask("POST", "/v1/tournaments", SMALL | {"name": "x" * LARGE_BODY}), 413, "too-large")


def test_what_the_page_for_organisers_shows_can_be_held(ada: Organiser) -> None:
    tournament, experiment = (msgspec.json.decode(block) for block in blocks("docs/tournaments.md", "json"))
    assert ada.ask("POST", "/v1/tournaments/dry-run", tournament).json()["games"] == 2 * 6
    assert tomllib.loads(*blocks("docs/tournaments.md", "toml")) == tournament
    assert f"at most {MOST_HELD}\ntournaments and experiments" in (ROOT / "docs" / "tournaments.md").read_text("utf-8")
    made = ada.experiment(**experiment)
    assert ada.ask("PUT", f"{made}/state", {"state": "cancelled"}).status_code == 200


@pytest.mark.parametrize(
    "path",
    ["", "/standings", "/crosstable", "/neighbours", "/blocks", "/events", "/dump", "/report", "/exports/games.csv"],
)
def test_what_is_not_there_is_unknown(api: httpx.Client, path: str) -> None:
    problem(api.get(f"/v1/tournaments/{NOBODY}{path}"), 404, "unknown-tournament")
    problem(api.get(f"/v1/tournaments/spring{path}"), 404, "unknown-tournament")


def test_a_table_that_is_not_there_is_not_found(api: httpx.Client, played: str) -> None:
    problem(api.get(f"{played}/exports/standings.xls"), 404, "not-found")
    problem(api.get(f"{played}/events", headers={"Last-Event-ID": "first"}), 400, "bad-request")
    problem(api.get(f"{played}/blocks?after_block=3"), 400, "bad-request")


@pytest.mark.parametrize(
    "kind", [{"kind": "elimination"}, {"kind": "swiss", "rounds": 2}], ids=lambda kind: kind["kind"]
)
def test_what_has_a_winner_tells_who_it_is_when_it_is_over(
    api: httpx.Client, ada: Organiser, kind: dict[str, Any]
) -> None:
    path = ada.hold(format=kind)
    eventually(lambda: get(api, path)["progress"]["state"], lambda state: state == "finished")
    placing = get(api, f"{path}/standings")["placing"]
    assert sorted(bot for tied in placing for bot in tied) == ["greedy", "planner", "random"]
    if kind["kind"] == "elimination":
        last = get(api, f"{path}/blocks?limit=100")["blocks"][-1]
        came = [*zip(last["places"], last["bots"], strict=True)]
        ahead = [bot.partition("@")[0] for place, bot in came if place == min(last["places"])]
        assert sorted(placing[0]) == sorted(ahead), "who was ahead in the final, and all of them if there are several"


def test_of_other_formats_the_ratings_say_all(api: httpx.Client, played: str) -> None:
    assert get(api, f"{played}/standings")["placing"] is None
