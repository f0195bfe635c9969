"""Organisers create, watch, pause, extend, cancel and delete tournaments over HTTP, played by a real worker."""

import tomllib
from typing import Any

import httpx
import msgspec
import pytest

from splito_cli.tournament.series import request
from splito_service.tournaments.model import MOST_HELD
from splito_service.tournaments.schemas.tournaments import LARGE_BODY, MOST_BOTS
from tests.service.holding import SHORT, SMALL, Organiser, watch
from tests.service.matches.test_api import problem
from tests.service.owners.test_keys import Ada
from tests.service.permission_calls import in_an_hour
from tests.service.polling import Polling, eventually
from tests.service.tournaments.http_calls import LONG, NOBODY, get
from tests.test_docs import ROOT, blocks


def test_the_event_stream_shows_a_tournament_up_to_its_end(api: httpx.Client, ada: Organiser) -> None:
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
        "opens": None,
        "starts": None,
        "bots": 3,
    }
    assert last["leaders"] == get(api, f"{path}/standings")["lines"]
    again = api.get(f"{path}/events", headers={"Last-Event-ID": events[-1]["id"]})
    assert again.status_code == 204


def test_a_watcher_that_reconnects_receives_only_new_events(api: httpx.Client, played: str) -> None:
    (over,) = watch(api, played)
    (again,) = watch(api, played, last="3-1-running")
    assert again == over


def test_the_dry_run_counts_the_blocks_and_games_that_are_played(
    api: httpx.Client, ada: Organiser, played: str
) -> None:
    estimate = ada.ask("POST", "/v1/tournaments/dry-run", SMALL).json()
    assert (estimate["rounds"], estimate["tables"], estimate["blocks"], estimate["games"]) == (1, 3, 9, 18)
    assert len(get(api, f"{played}/blocks?limit=100")["blocks"]) == estimate["blocks"]


def test_a_tournament_is_listed_by_owner_state_and_game(api: httpx.Client, ada: Organiser, played: str) -> None:
    page = get(api, f"/v1/tournaments?owner={ada.id}&state=finished&game=splitter&limit=100")
    shown = next(one for one in page["tournaments"] if one["id"] == played.rpartition("/")[2])
    assert (shown["name"], shown["bots"], shown["owner"]["name"]) == ("Small", 3, "Ada")
    assert get(api, "/v1/tournaments?game=chess")["tournaments"] == []
    assert get(api, f"/v1/tournaments?owner={NOBODY}")["tournaments"] == []


def test_a_tournament_can_be_paused_and_resumed(api: httpx.Client, ada: Organiser) -> None:
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


def test_a_cancelled_tournament_keeps_its_blocks_and_cannot_be_resumed(api: httpx.Client, ada: Organiser) -> None:
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


def test_a_finished_tournament_can_be_deleted_by_its_organiser(api: httpx.Client, ada: Organiser) -> None:
    path = ada.hold(**LONG)
    problem(ada.ask("DELETE", path), 409, "not-over")
    watching = watch(api, path)
    next(watching)
    ada.ask("PUT", f"{path}/state", {"state": "cancelled"})
    problem(Organiser(api, "Bob").ask("DELETE", path), 403, "wrong-owner")
    problem(api.delete(path), 401, "no-key")
    assert ada.ask("DELETE", path).status_code == 204
    assert {event["event"] for event in watching} <= {"progress", "over"}, "the event stream ends"
    for left in ("", "/standings", "/blocks", "/dump", "/events"):
        problem(api.get(f"{path}{left}"), 404, "unknown-tournament")
    assert path.rpartition("/")[2] not in [one["id"] for one in get(api, "/v1/tournaments")["tournaments"]]


def test_the_number_of_unfinished_tournaments_per_owner_is_limited(api: httpx.Client) -> None:
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


def test_added_blocks_are_played_by_every_table(api: httpx.Client, ada: Organiser) -> None:
    path = ada.hold(format={"kind": "round-robin", "blocks": 8})
    ada.ask("PUT", f"{path}/state", {"state": "paused"})
    grown = ada.ask("PUT", f"{path}/blocks", {"blocks": 10})
    assert grown.json()["added_blocks"] == 2
    assert ada.ask("PUT", f"{path}/blocks", {"blocks": 10}).json()["added_blocks"] == 2
    problem(ada.ask("PUT", f"{path}/blocks", {"blocks": 9}), 409, "bad-option")
    ada.ask("PUT", f"{path}/state", {"state": "running"})
    ada.wait(path)
    assert get(api, path)["progress"]["done"] == 3 * 10


def test_blocks_of_a_withdrawn_bot_are_skipped(api: httpx.Client, ada: Organiser) -> None:
    path = ada.hold(format={"kind": "round-robin", "blocks": 20})
    assert ada.ask("DELETE", f"{path}/bots/planner").status_code == 204
    events = ada.wait(path)
    assert events[-1][1]["progress"]["skipped"] > 0
    gone = {entrant["bot"]: entrant["gone"] for entrant in get(api, path)["entrants"]}
    assert gone == {"greedy": None, "random": None, "planner": "withdrawn"}
    problem(ada.ask("DELETE", f"{path}/bots/nobody"), 409, "already-over")


def test_owners_enter_and_withdraw_their_bots_in_a_ladder(api: httpx.Client, ada: Organiser) -> None:
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


def test_only_the_organiser_may_change_a_tournament(api: httpx.Client, ada: Organiser, played: str) -> None:
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
def test_an_invalid_tournament_is_refused_by_dry_run_and_creation(
    ada: Organiser, refused: tuple[dict[str, Any], int, str]
) -> None:
    changes, status, code = refused
    for path in ("/v1/tournaments", "/v1/tournaments/dry-run"):
        problem(ada.ask("POST", path, SMALL | changes), status, code)


def test_the_number_of_bots_and_the_size_of_the_request_are_limited(ada: Organiser) -> None:
    crowd = [f"{number:024}" for number in range(MOST_BOTS)]
    problem(ada.ask("POST", "/v1/tournaments", SMALL | {"bots": crowd}), 409, "bad-bot")
    problem(ada.ask("POST", "/v1/tournaments", SMALL | {"bots": [*crowd, "greedy"]}), 400, "bad-request")
    problem(ada.ask("POST", "/v1/tournaments", SMALL | {"name": "x" * LARGE_BODY}), 413, "too-large")


def test_the_examples_of_the_tournaments_page_are_valid(ada: Organiser) -> None:
    tournament, experiment = (msgspec.json.decode(block) for block in blocks("docs/tournaments.md", "json"))
    assert ada.ask("POST", "/v1/tournaments/dry-run", tournament).json()["games"] == 2 * 6
    whole, timed, series = (tomllib.loads(block) for block in blocks("docs/tournaments.md", "toml"))
    assert whole == tournament
    shown = ada.ask("POST", "/v1/tournaments/dry-run", timed | {"opens": None, "starts": in_an_hour()})
    assert shown.json()["lacks"] == "1 bot does not fill a table of 3"
    made = ada.ask("POST", "/v1/series", request(tournament, series["series"]))
    assert (made.status_code, made.json()["settings"]["count"]) == (201, 10)
    assert ada.ask("DELETE", made.headers["Location"]).status_code == 204
    assert f"at most {MOST_HELD}\ntournaments and experiments" in (ROOT / "docs" / "tournaments.md").read_text("utf-8")
    made = ada.experiment(**experiment)
    assert ada.ask("PUT", f"{made}/state", {"state": "cancelled"}).status_code == 200


@pytest.mark.parametrize(
    "path",
    ["", "/standings", "/crosstable", "/neighbours", "/blocks", "/events", "/dump", "/report", "/exports/games.csv"],
)
def test_an_unknown_tournament_is_answered_with_404(api: httpx.Client, path: str) -> None:
    problem(api.get(f"/v1/tournaments/{NOBODY}{path}"), 404, "unknown-tournament")
    problem(api.get(f"/v1/tournaments/spring{path}"), 404, "unknown-tournament")
