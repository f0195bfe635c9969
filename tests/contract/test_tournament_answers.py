"""Answers about tournaments and experiments match the contract."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from splito_service.processes.embedded_redis import open_server
from tests.contract.caller import Caller
from tests.contract.reader import Document
from tests.service.holding import SHORT, SMALL, working
from tests.service.process import running

NOBODY = "0" * 24


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory, document: Document) -> Iterator[Caller]:
    """A caller of a service with a worker."""
    with (
        open_server(tmp_path_factory.mktemp("ranked")) as server,
        running(server.url) as process,
        working(server.url),
        httpx.Client(base_url=process.url, timeout=60) as api,
    ):
        yield Caller(api, document, "splitter")


@pytest.fixture(scope="module")
def key(call: Caller) -> str:
    return call("createOwner", 201, body={"name": "Ada"})["key"]


def check_events(document: Document, stream: str, *names: str) -> None:
    """To the end: each event carries what its kind says."""
    kinds: dict[str, str] = dict(zip(("progress", "over"), names, strict=True))
    events = [dict(line.split(": ", 1) for line in part.split("\n")) for part in stream.strip().split("\n\n")]
    told = [event for event in events if "event" in event]
    assert told[-1]["event"] == "over"
    for event in told:
        schema = {"$ref": f"#/components/schemas/{kinds[event['event']]}"}
        assert document.faults(schema, json.loads(event["data"])) == []


def test_every_answer_about_a_tournament_fits_the_contract(call: Caller, document: Document, key: str) -> None:
    assert call("estimateTournament", 200, token=key, body=SMALL)["games"] == 18
    made = call("createTournament", 201, token=key, body=SMALL)
    one: dict[str, Any] = {"tournament": made["id"]}
    call("changeTournamentState", 200, **one, token=key, body={"state": "paused"})
    call("changeTournamentBlocks", 200, **one, token=key, body={"blocks": 4})
    call("changeTournamentState", 200, **one, token=key, body={"state": "running"})
    check_events(document, call("watchTournament", 200, **one), "TournamentProgress", "TournamentOver")
    call("watchTournament", 204, **one, last_event_id="12-1-finished")
    assert call("getTournament", 200, **one)["progress"]["done"] == 12
    assert [line["rank"] for line in call("getStandings", 200, **one)["lines"]] == [1, 2, 3]
    assert len(call("getCrosstable", 200, **one)["pairs"]) == 3
    assert call("getNeighbours", 200, **one)["beside"]
    page = call("listBlocks", 200, **one, limit=5)
    assert call("getBlock", 200, **one, block=page["next"])["played"]
    assert call("getDump", 200, **one).count("\n") == 1 + 12 + 1  # the head, the blocks, the signature
    for table in ("standings", "crosstable", "games", "ratings"):
        assert call("getExport", 200, **one, file=f"{table}.csv")
        assert call("getExport", 200, **one, file=f"{table}.json")
    assert "<html" in call("getReport", 200, **one)
    assert made["id"] in [shown["id"] for shown in call("listTournaments", 200, state="finished")["tournaments"]]
    call("deleteTournament", 204, **one, token=key)


def test_every_answer_about_sign_up_and_series_fits_the_contract(call: Caller, key: str) -> None:
    starts = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    assert call("estimateTournament", 200, token=key, body=SMALL | {"starts": starts})["lacks"] is None
    made = call("createTournament", 201, token=key, body=SMALL | {"starts": starts, "bots": []})
    one: dict[str, Any] = {"tournament": made["id"], "token": key}
    assert call("changeTournamentTimes", 200, **one, body={"starts": starts})["progress"]["state"] == "open"
    assert call("enterTournament", 200, **one, bot="planner")["progress"]["bots"] == 1
    call("changeTournamentState", 200, **one, body={"state": "cancelled"})
    wanted = {"tournament": SMALL, "rule": {"kind": "weekly", "time": "18:00", "zone": "Europe/Berlin"}, "paused": True}
    series: dict[str, Any] = {"series": call("createSeries", 201, token=key, body=wanted)["id"]}
    assert call("getSeries", 200, **series)["state"] == "paused"
    assert call("changeSeries", 200, **series, token=key, body=wanted | {"paused": False})["state"] == "active"
    assert series["series"] in [shown["id"] for shown in call("listSeries", 200)["series"]]
    call("deleteSeries", 204, **series, token=key)


def test_every_answer_about_a_ladder_fits_the_contract(call: Caller, key: str) -> None:
    wanted = SMALL | {"format": {"kind": "ladder", "pause_seconds": 60}, "bots": ["greedy", "random"]}
    one: dict[str, Any] = {"tournament": call("createTournament", 201, token=key, body=wanted)["id"], "token": key}
    assert len(call("enterTournament", 200, **one, bot="planner")["entrants"]) == 3
    call("leaveTournament", 204, **one, bot="planner")
    assert call("deleteTournament", 409, **one)["code"] == "not-over"
    call("changeTournamentState", 200, **one, body={"state": "cancelled"})
    assert call("get{Game}Leaderboard", 200, players=2)["game"] == "splitter"


def test_an_unready_or_unknown_bot_is_refused_as_the_contract_says(call: Caller, key: str) -> None:
    other = call("createOwner", 201, body={"name": "Eve"})["key"]
    bot = call("createBot", 201, token=other, body={"name": "Polly", "kind": "pull", "open_to": "everybody"})["bot"][
        "id"
    ]
    for operation in ("createTournament", "estimateTournament"):
        refused = call(operation, 409, token=key, body=SMALL | {"bots": ["greedy", bot]})
        assert refused["code"] == "not-ready"
    wanted = SMALL | {"format": {"kind": "ladder", "pause_seconds": 60}}
    ladder: dict[str, Any] = {"tournament": call("createTournament", 201, token=key, body=wanted)["id"]}
    assert call("enterTournament", 409, **ladder, bot=bot, token=other)["code"] == "not-ready"
    assert call("enterTournament", 404, **ladder, bot=NOBODY, token=other)["code"] == "unknown-bot"
    assert call("leaveTournament", 404, **ladder, bot=NOBODY, token=other)["code"] == "unknown-bot"
    call("changeTournamentState", 200, **ladder, token=key, body={"state": "cancelled"})


def test_every_answer_about_an_experiment_fits_the_contract(call: Caller, document: Document, key: str) -> None:
    made = call("createExperiment", 201, token=key, body=SHORT)
    one: dict[str, Any] = {"experiment": made["id"]}
    call("changeExperimentState", 200, **one, token=key, body={"state": "running"})
    check_events(document, call("watchExperiment", 200, **one), "ExperimentProgress", "ExperimentOver")
    assert call("getExperiment", 200, **one)["reading"]["verdict"] == "better"
    assert made["id"] in [shown["id"] for shown in call("listExperiments", 200)["experiments"]]
    assert call("listBlocks", 200, tournament=made["id"])["blocks"]
    call("deleteExperiment", 204, **one, token=key)


REFUSED: list[tuple[str, int, str, dict[str, Any]]] = [
    ("createTournament", 400, "bad-request", {"body": {}}),
    ("createTournament", 400, "bad-request", {"body": SMALL | {"game": "chess"}}),
    ("createTournament", 409, "bad-bot", {"body": SMALL | {"bots": ["marvin", "greedy"]}}),
    ("createTournament", 409, "bad-option", {"body": SMALL | {"bots": []}}),
    ("createTournament", 409, "bad-name", {"body": SMALL | {"name": "\u202e"}}),
    ("createTournament", 413, "too-large", {"body": b" " * 140_000}),
    ("estimateTournament", 409, "too-many-games", {"body": SMALL | {"format": {"kind": "ladder", "keep": 1_000_000}}}),
    ("listTournaments", 400, "bad-request", {"state": "lost"}),
    ("getTournament", 404, "unknown-tournament", {"tournament": NOBODY}),
    ("changeTournamentState", 404, "unknown-tournament", {"tournament": NOBODY, "body": {"state": "paused"}}),
    ("changeTournamentBlocks", 404, "unknown-tournament", {"tournament": NOBODY, "body": {"blocks": 4}}),
    ("enterTournament", 404, "unknown-tournament", {"tournament": NOBODY, "bot": "greedy"}),
    ("leaveTournament", 404, "unknown-tournament", {"tournament": NOBODY, "bot": "greedy"}),
    ("enterTournament", 404, "unknown-tournament", {"tournament": NOBODY, "bot": NOBODY}),
    ("deleteTournament", 404, "unknown-tournament", {"tournament": NOBODY}),
    ("deleteExperiment", 404, "unknown-tournament", {"experiment": NOBODY}),
    ("getBlock", 404, "unknown-tournament", {"tournament": NOBODY, "block": "00000000-0000-00000"}),
    ("watchTournament", 404, "unknown-tournament", {"tournament": NOBODY}),
    ("createExperiment", 400, "bad-request", {"body": SHORT | {"field": []}}),
    ("createExperiment", 409, "bad-option", {"body": SHORT | {"question": {"low": 0.5}}}),
    ("getExperiment", 404, "unknown-tournament", {"experiment": NOBODY}),
    ("watchExperiment", 400, "bad-request", {"experiment": NOBODY, "seconds": 3601}),
    ("get{Game}Leaderboard", 400, "bad-request", {"players": 0}),
]


@pytest.mark.parametrize("refused", REFUSED, ids=lambda refused: f"{refused[0]} {refused[2]}")
def test_a_request_is_refused_as_the_contract_says(
    call: Caller, key: str, refused: tuple[str, int, str, dict[str, Any]]
) -> None:
    operation, status, code, parameters = refused
    assert call(operation, status, token=key, **parameters)["code"] == code
