"""Sign-up, start and series over HTTP, attended to by a real service."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

from tests.service.holding import SMALL, Organiser
from tests.service.matches.test_api import problem
from tests.service.polling import eventually
from tests.service.tournaments.http_calls import get


def at(**ahead: float) -> str:
    return (datetime.now(UTC) + timedelta(**ahead)).isoformat()


def state_of(api: httpx.Client, path: str) -> Any:
    return get(api, path)["progress"]["state"]


def test_a_cup_opens_takes_bots_and_starts_by_itself(api: httpx.Client, ada: Organiser) -> None:
    path = ada.hold(bots=["greedy"], starts=at(hours=1))
    shown = get(api, path)
    assert (shown["progress"]["state"], shown["progress"]["bots"], shown["started"]) == ("open", 1, None)
    assert ada.ask("PUT", f"{path}/bots/random").json()["progress"]["bots"] == 2
    assert ada.ask("PUT", f"{path}/times", {"starts": at(seconds=2)}).status_code == 200
    events = ada.wait(path)
    seen = [event["progress"]["state"] for _, event in events]
    assert (seen[0], seen[-1]) == ("open", "finished")
    assert get(api, path)["started"] is not None
    problem(ada.ask("PUT", f"{path}/times", {"starts": at(hours=1)}), 409, "already-over")


def test_a_cup_without_bots_is_cancelled_at_its_time_with_a_reason(api: httpx.Client, ada: Organiser) -> None:
    path = ada.hold(bots=["greedy"], starts=at(seconds=1))
    eventually(lambda: state_of(api, path), lambda state: state == "cancelled")
    assert get(api, path)["progress"]["reason"] == "it could not start: 1 bot does not fill a table of 2"


def test_states_refuse_what_does_not_fit_them(api: httpx.Client, ada: Organiser) -> None:
    later = ada.hold(opens=at(hours=1), starts=at(hours=2), bots=["greedy"])
    problem(ada.ask("PUT", f"{later}/bots/random"), 409, "not-open")
    problem(ada.ask("PUT", f"{later}/state", {"state": "paused"}), 409, "not-begun")
    problem(ada.ask("PUT", f"{later}/state", {"state": "running"}), 409, "bad-option")
    problem(ada.ask("PUT", f"{later}/times", {"starts": at(days=4000)}), 409, "bad-option")
    problem(Organiser(api, "Eve").ask("PUT", f"{later}/times", {"starts": at(hours=3)}), 403, "wrong-owner")
    running = ada.hold(format={"kind": "round-robin", "blocks": 2000})
    problem(ada.ask("PUT", f"{running}/times", {"starts": at(hours=1)}), 409, "already-begun")
    for path in (later, running):
        assert ada.ask("PUT", f"{path}/state", {"state": "cancelled"}).status_code == 200


def test_a_dry_run_says_when_and_what_is_lacking(ada: Organiser) -> None:
    starts = at(hours=1)
    found = ada.ask("POST", "/v1/tournaments/dry-run", SMALL | {"bots": ["greedy"], "starts": starts}).json()
    assert found["lacks"] == "1 bot does not fill a table of 2"
    assert datetime.fromisoformat(found["starts"]) <= datetime.fromisoformat(starts)
    assert ada.ask("POST", "/v1/tournaments/dry-run", SMALL).json()["lacks"] is None


def test_a_series_creates_its_tournament_by_itself(api: httpx.Client, ada: Organiser) -> None:
    wanted = {"tournament": SMALL, "rule": {"kind": "hourly", "hours": 1}, "sign_up_minutes": 120, "count": 1}
    made = ada.ask("POST", "/v1/series", wanted)
    path = made.headers["Location"]
    settings = made.json()["settings"]
    assert {name: settings[name] for name in wanted} == wanted | {"tournament": settings["tournament"]}
    assert settings["tournament"]["bots"] == SMALL["bots"]
    last = eventually(lambda: get(api, path), lambda shown: shown["last"] is not None)
    assert (last["state"], last["done"], last["problem"]) == ("ended", 1, None)
    cup = get(api, f"/v1/tournaments/{last['last']}")
    assert (cup["series"], cup["progress"]["state"]) == (last["id"], "open")
    assert path.rpartition("/")[2] in [one["id"] for one in get(api, f"/v1/series?owner={ada.id}")["series"]]
    problem(Organiser(api, "Eve").ask("DELETE", path), 403, "wrong-owner")
    assert ada.ask("DELETE", path).status_code == 204
    problem(api.get(path), 404, "unknown-series")
    ada.ask("PUT", f"/v1/tournaments/{cup['id']}/state", {"state": "cancelled"})
