"""Experiments over HTTP: two versions, a field, and a verdict, played by a real worker."""

from io import BytesIO
from typing import Any

import httpx
import pytest

from splito_arena.experiments.blocks import difference
from splito_arena.experiments.sequential_test import Design, after, reading
from splito_arena.formats import Experiment
from splito_arena.reports.dump import read_dump
from tests.service.holding import SHORT, Organiser, watch
from tests.service.matches.test_api import problem
from tests.service.owners.test_keys import Ada
from tests.service.polling import Polling, eventually, polling
from tests.service.tournaments.http_calls import NOBODY, get


@pytest.fixture(scope="module")
def decided(ada: Organiser) -> str:
    path = ada.experiment(**SHORT)
    ada.wait(path)
    return path


def test_the_event_stream_shows_an_experiment_until_its_verdict(ada: Organiser) -> None:
    events = ada.wait(ada.experiment(**SHORT))
    blocks = [event["reading"]["blocks"] for _, event in events]
    assert blocks == sorted(blocks)
    assert all(event["reading"]["verdict"] == "undecided" for _, event in events if event["reading"]["blocks"] < 10)
    last = events[-1][1]
    assert (last["progress"]["state"], last["reading"]["verdict"]) == ("finished", "better")
    assert last["reading"]["llr"] >= last["reading"]["upper"]
    assert last["reading"]["interval"]["low"] > 0
    assert last["reading"]["variance_ratio"] > 0


def test_the_verdict_follows_from_the_played_blocks(api: httpx.Client, decided: str) -> None:
    shown = get(api, decided)
    tournament = f"/v1/tournaments/{shown['id']}"
    found: list[float] = []
    for block in get(api, f"{tournament}/blocks?limit=100")["blocks"]:
        games = get(api, f"{tournament}/blocks/{block['block']}")["played"]
        new, old = ([_points(game, number) for game in games if number in game["seating"]] for number in (0, 1))
        found.append(sum(new) / len(new) - sum(old) / len(old))
    told = reading(after(Design(least=10, cap=60), found))
    assert (shown["reading"]["verdict"], shown["reading"]["blocks"]) == (told.verdict, told.blocks)
    assert shown["reading"]["llr"] == pytest.approx(told.llr)
    assert shown["secret"]


def _points(game: Any, number: int) -> float:
    return game["scores"][game["seating"].index(number)][0]


def test_the_dump_of_an_experiment_reproduces_its_verdict(api: httpx.Client, decided: str) -> None:
    shown = get(api, decided)
    dump = read_dump(BytesIO(api.get(f"/v1/tournaments/{shown['id']}/dump").content))
    assert (dump.head.kind, dump.head.secret) == ("experiment", shown["secret"])
    assert dump.head.blocks == len(dump.ledger) == shown["progress"]["done"]
    assert dump.head.question == Experiment(new="planner", old="random", field=("greedy",), **SHORT["question"])
    differences = [difference(entry, "points") for entry in dump.ledger]
    assert after(Design(least=10, cap=60), differences).verdict == shown["reading"]["verdict"]


def by_its_dice(ask: Any) -> Any:
    return {"index": int(ask["seed"], 16) % len(ask["moves"])}


def test_two_bots_with_the_same_code_have_a_difference_of_exactly_0(api: httpx.Client) -> None:
    """Both bots answer over HTTP, and draw their moves from the seeds of the asks; so does the bot of the house."""
    mine = Ada(api)
    new, old = (Polling(mine, games=["splitter"]) for _ in range(2))
    wanted = SHORT | {"new": new.id, "old": old.id, "field": ["random"], "question": {"least": 3, "cap": 3}}
    urls = [str(api.base_url)]
    with polling(new, urls, by_its_dice, 1), polling(old, urls, by_its_dice, 1):
        path = mine.ask("POST", "/v1/experiments", wanted).headers["Location"]
        shown = eventually(  # the reading of a busy service may be that of some moments ago
            lambda: get(api, path),
            lambda shown: (shown["progress"]["state"], shown["reading"]["blocks"]) == ("finished", 3),
        )
    found = shown["reading"]
    assert (found["estimate"]["mean"], found["effect"]) == (0, None)
    dump = read_dump(BytesIO(api.get(f"/v1/tournaments/{shown['id']}/dump").content))
    for entry in dump.ledger:
        for one, other in zip(entry.games[::2], entry.games[1::2], strict=True):
            assert one.record.turns == other.record.turns


def test_an_experiment_shows_its_bots_question_and_list_entry(api: httpx.Client, ada: Organiser, decided: str) -> None:
    shown = get(api, decided)
    assert (shown["new"]["bot"], shown["old"]["bot"]) == ("planner", "random")
    assert [bot["bot"] for bot in shown["field"]] == ["greedy"]
    assert shown["question"]["cap"] == 60
    page = get(api, f"/v1/experiments?owner={ada.id}&state=finished&game=splitter")
    assert shown["id"] in [one["id"] for one in page["experiments"]]
    assert (shown["id"] in [one["id"] for one in get(api, "/v1/tournaments")["tournaments"]]) is False
    again = api.get(f"{decided}/events", headers={"Last-Event-ID": list(watch(api, decided))[-1]["id"]})
    assert again.status_code == 204


def test_a_finished_experiment_can_be_deleted_by_its_owner(api: httpx.Client, ada: Organiser) -> None:
    path = ada.experiment(**SHORT | {"question": {"cap": 10_000, "least": 10_000}})
    problem(ada.ask("DELETE", path), 409, "not-over")
    ada.ask("PUT", f"{path}/state", {"state": "cancelled"})
    problem(ada.ask("DELETE", path.replace("experiments", "tournaments")), 404, "unknown-tournament")
    problem(Organiser(api, "Bob").ask("DELETE", path), 403, "wrong-owner")
    assert ada.ask("DELETE", path).status_code == 204
    problem(api.get(path), 404, "unknown-tournament")


def test_an_experiment_can_be_paused_and_cancelled(api: httpx.Client, ada: Organiser) -> None:
    path = ada.experiment(**SHORT | {"question": {"high": 0.01, "cap": 10_000, "least": 10_000}})
    paused = ada.ask("PUT", f"{path}/state", {"state": "paused"}).json()
    assert paused["progress"]["state"] == "paused"
    assert ada.ask("PUT", f"{path}/state", {"state": "running"}).json()["progress"]["state"] == "running"
    eventually(lambda: get(api, path)["reading"]["blocks"], bool)
    problem(Organiser(api, "Bob").ask("PUT", f"{path}/state", {"state": "cancelled"}), 403, "wrong-owner")
    assert ada.ask("PUT", f"{path}/state", {"state": "cancelled"}).json()["reading"]["verdict"] == "undecided"
    problem(ada.ask("PUT", f"{path}/state", {"state": "running"}), 409, "already-over")


REFUSED: list[tuple[dict[str, Any], int, str]] = [
    ({"game": "chess"}, 400, "bad-request"),
    ({"field": []}, 400, "bad-request"),
    ({"question": {"alpha": 0}}, 400, "bad-request"),
    ({"question": {"measure": "luck"}}, 400, "bad-request"),
    ({"question": {"low": 0.3}}, 409, "bad-option"),
    ({"question": {"least": 50, "cap": 40}}, 409, "bad-option"),
    ({"new": "marvin"}, 409, "bad-bot"),
    ({"old": "planner"}, 409, "bad-bot"),
    ({"name": "\n"}, 409, "bad-name"),
]


@pytest.mark.parametrize("refused", REFUSED, ids=lambda refused: str(refused[0]))
def test_an_invalid_experiment_is_refused(ada: Organiser, refused: tuple[dict[str, Any], int, str]) -> None:
    changes, status, code = refused
    problem(ada.ask("POST", "/v1/experiments", SHORT | changes), status, code)


def test_an_experiment_with_bots_of_another_owner_is_refused(api: httpx.Client, ada: Organiser) -> None:
    theirs = [Polling(Ada(api), games=["splitter"]).id for _ in range(2)]
    wanted = SHORT | {"new": theirs[0], "old": theirs[1]}
    problem(ada.ask("POST", "/v1/experiments", wanted), 403, "wrong-owner")


@pytest.mark.parametrize("path", ["", "/events"])
def test_an_unknown_experiment_is_answered_with_404(api: httpx.Client, path: str) -> None:
    problem(api.get(f"/v1/experiments/{NOBODY}{path}"), 404, "unknown-tournament")


def test_an_experiment_is_not_readable_as_a_tournament(api: httpx.Client, decided: str) -> None:
    number = decided.rpartition("/")[2]
    problem(api.get(f"/v1/tournaments/{number}"), 404, "unknown-tournament")
    problem(api.get(f"/v1/tournaments/{number}/standings"), 404, "unknown-tournament")
