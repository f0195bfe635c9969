"""Matches are deleted by their only player, and owners by themselves."""

from typing import Any, NamedTuple

import httpx
import pytest

from tests.service.holding import Organiser
from tests.service.matches.test_api import problem
from tests.service.owners.test_keys import Ada

ADA: Any = {"kind": "person", "name": "Ada"}
BOB: Any = {"kind": "person", "name": "Bob"}
BOT: Any = {"kind": "bot", "bot": "greedy"}
SEAT: Any = {"kind": "open"}


class Table(NamedTuple):
    path: str
    tokens: list[str | None]


def table(api: httpx.Client, *seats: Any) -> Table:
    made = api.post("/v1/splitter/matches", json={"seats": seats})
    assert made.status_code == 201, made.text
    return Table(made.headers["Location"], made.json()["tokens"])


def delete(api: httpx.Client, path: str, token: str | None) -> httpx.Response:
    return api.delete(path, headers={"Authorization": f"Bearer {token}"} if token else {})


def play(api: httpx.Client, path: str, token: str | None, seat: int = 0) -> None:
    """Play the first legal move of a seat until the match is over; bots play the rest."""
    headers = {"Authorization": f"Bearer {token}"}
    turn = 0
    while (seen := api.get(path, headers=headers, params={"after": turn - 1, "wait": 5}).json())["status"] != "over":
        turn = seen["turn"]
        if seen["legal_moves"]:
            api.put(f"{path}/turns/{turn}/seats/{seat}", headers=headers, json={"move": seen["legal_moves"][0]})
        turn += 1


@pytest.mark.parametrize("seats", [(ADA,), (ADA, BOT), (ADA, SEAT), (ADA, BOT, SEAT)])
def test_the_only_person_at_a_match_may_delete_it(api: httpx.Client, seats: Any) -> None:
    made = table(api, *seats)
    assert delete(api, made.path, made.tokens[0]).status_code == 204
    problem(api.get(made.path), 404, "unknown-match")
    problem(delete(api, made.path, made.tokens[0]), 404, "unknown-match")


def test_a_deleted_finished_match_is_gone_from_record_and_list(api: httpx.Client) -> None:
    made = table(api, ADA, BOT)
    play(api, made.path, made.tokens[0])
    assert api.get(f"{made.path}/record").status_code == 200
    assert delete(api, made.path, made.tokens[0]).status_code == 204
    problem(api.get(f"{made.path}/record"), 404, "unknown-match")
    listed = api.get("/v1/splitter/matches", params={"status": "over"}).json()["matches"]
    assert made.path.rpartition("/")[2] not in {one["id"] for one in listed}


def test_a_match_with_two_persons_cannot_be_deleted_by_one(api: httpx.Client) -> None:
    made = table(api, ADA, BOB)
    for token in made.tokens:
        problem(delete(api, made.path, token), 403, "wrong-token")
    problem(delete(api, made.path, None), 401, "no-token")
    problem(delete(api, made.path, table(api, ADA, BOB).tokens[0]), 401, "no-token")
    assert api.get(made.path).status_code == 200


def test_a_former_player_can_delete_neither_the_match_nor_its_record(api: httpx.Client) -> None:
    made = table(api, ADA, BOT, SEAT)
    former = made.tokens[0]
    api.delete(f"{made.path}/seats/0", headers={"Authorization": f"Bearer {former}"})
    token = api.post(f"{made.path}/seats", json={"name": "Bob", "seat": 0}).json()["token"]
    last = api.post(f"{made.path}/seats", json={"name": "Eve", "seat": 2}).json()["token"]
    problem(delete(api, made.path, former), 403, "wrong-token")
    api.delete(f"{made.path}/seats/2", headers={"Authorization": f"Bearer {last}"})
    problem(delete(api, made.path, last), 403, "wrong-token")  # a bot plays on for her
    play(api, made.path, token)
    for old in (former, last):
        problem(delete(api, made.path, old), 403, "wrong-token")
    assert delete(api, made.path, token).status_code == 204


def test_an_owner_is_deleted_with_keys_bots_and_hooks_and_is_a_former_owner_in_results(api: httpx.Client) -> None:
    host = Organiser(api, "Ada Lovelace")
    other = Ada(api)
    bot = host.ask("POST", "/v1/bots", {"name": "Bot", "kind": "pull"}).json()["bot"]["id"]
    theirs = other.ask("POST", "/v1/bots", {"name": "Bot", "kind": "pull"}).json()["bot"]["id"]
    path = host.hold(ranked=False)
    problem(other.make_key("play").ask("DELETE", "/v1/owner"), 403, "wrong-scope")
    problem(api.delete("/v1/owner"), 401, "no-key")
    assert host.ask("DELETE", "/v1/owner").status_code == 204
    problem(host.ask("DELETE", "/v1/owner"), 401, "no-key")
    problem(api.get(f"/v1/bots/{bot}"), 404, "unknown-bot")
    seen = api.get(path).json()
    assert (seen["progress"]["state"], seen["owner"]) == ("cancelled", {"id": host.id, "name": "former owner"})
    assert api.get("/v1/bots", params={"owner": host.id}).json()["bots"] == []
    assert api.get(f"/v1/bots/{theirs}").status_code == 200


def test_a_key_shows_its_last_use_and_its_end(api: httpx.Client) -> None:
    ada = Ada(api)
    made = ada.ask("POST", "/v1/keys", {"scopes": ["play"], "days": 7}).json()["summary"]
    assert made["used"] is None
    assert made["until"] > made["created"]
    first, second = ada.ask("GET", "/v1/keys").json()["keys"]
    assert first["used"] is not None
    assert first["until"] is None
    assert second == made
