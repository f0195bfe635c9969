"""Bots take open seats of a match that waits for players."""

import httpx
import pytest

from tests.service.matches.test_api import OPEN, Table, persons, problem
from tests.service.owners.test_keys import UNKNOWN, Ada
from tests.service.polling import eventually


@pytest.fixture
def ada(api: httpx.Client) -> Ada:
    return Ada(api)


def test_a_bot_takes_an_open_seat_and_the_match_begins(api: httpx.Client, ada: Ada) -> None:
    table = Table(api, "splitter", [*persons(1), OPEN, OPEN])
    for seat, wanted in ((2, {"bot": "greedy", "seat": 2}), (1, {"bot": "random"})):
        seated = ada.ask("POST", f"{table.path}/bots", wanted)
        assert (seated.status_code, seated.json()) == (201, {"seat": seat})
    assert table.get(0)["status"] == "running"
    eventually(lambda: table.get(0)["sealed"], lambda sealed: {1, 2} <= {*sealed})
    problem(ada.ask("POST", f"{table.path}/bots", {"bot": "greedy"}), 409, "seat-taken")


def test_the_last_seat_of_a_match_without_a_person_is_not_for_a_bot(api: httpx.Client, ada: Ada) -> None:
    table = Table(api, "splitter", [OPEN, OPEN])
    assert ada.ask("POST", f"{table.path}/bots", {"bot": "greedy"}).status_code == 201
    refused = problem(ada.ask("POST", f"{table.path}/bots", {"bot": "greedy"}), 409, "bad-bot")
    assert "the last seat is for a person" in refused["detail"]
    assert api.post(f"{table.path}/seats", json={"name": "Eve"}).status_code == 201
    assert table.get()["status"] == "running"


def test_a_bot_that_is_not_open_or_unknown_gets_no_seat(api: httpx.Client, ada: Ada) -> None:
    table = Table(api, "splitter", [*persons(1), OPEN])
    bot = Ada(api).ask("POST", "/v1/bots", {"name": "Polly", "kind": "pull", "open_to": "owner"}).json()["bot"]["id"]
    problem(ada.ask("POST", f"{table.path}/bots", {"bot": bot}), 403, "not-allowed")
    problem(ada.ask("POST", f"{table.path}/bots", {"bot": UNKNOWN}), 409, "bad-bot")
    problem(ada.ask("POST", f"{table.path}/bots", {"bot": "greedy", "seat": 9}), 409, "unknown-seat")
    assert table.get(0)["status"] == "open"
