"""Names that clients give are checked wherever the service takes one."""

from typing import Any

import httpx
import pytest

from tests.service.holding import SHORT, SMALL
from tests.service.matches.test_api import problem
from tests.service.owners.test_keys import Ada

INFO = {"author": "Ada", "version": "1", "games": ["splitter"]}
BLANK = "\u3164\u2800"
OF_HOUSE = "ＰLАNNЕR"  # noqa: RUF001 (full width and Cyrillic)


@pytest.fixture
def ada(api: httpx.Client) -> Ada:
    return Ada(api)


@pytest.mark.parametrize("name", [BLANK, " ", OF_HOUSE, "house"])
def test_blank_and_reserved_names_of_owners_bots_and_persons_are_refused(ada: Ada, name: str) -> None:
    bot = ada.ask("POST", "/v1/bots", {"name": "Polly", "kind": "pull"}).json()["bot"]["id"]
    seats: Any = [{"kind": "open"}, {"kind": "bot", "bot": "planner"}]
    match = ada.api.post("/v1/splitter/matches", json={"seats": seats}).headers["Location"]
    asked: list[tuple[str, str, Any]] = [
        ("POST", "/v1/owners", {"name": name}),
        ("POST", "/v1/bots", {"name": name, "kind": "pull"}),
        ("PUT", f"/v1/bots/{bot}", {"name": name}),
        ("POST", "/v1/splitter/matches", {"seats": [{"kind": "person", "name": name}, seats[1]]}),
        ("POST", f"{match}/seats", {"name": name}),
    ]
    for method, path, body in asked:
        answer = ada.api.request(method, path, json=body) if "matches" in path else ada.ask(method, path, body)
        assert problem(answer, 409, "bad-name")["field"] == "name", path


@pytest.mark.parametrize("name", [BLANK, " ", "House ladder: Splitter", "HОUSE LADDER"])  # noqa: RUF001 (a Cyrillic O)
def test_blank_and_reserved_names_of_tournaments_and_experiments_are_refused(ada: Ada, name: str) -> None:
    for path, body in (
        ("/v1/tournaments", SMALL),
        ("/v1/tournaments/dry-run", SMALL),
        ("/v1/experiments", SHORT),
    ):
        problem(ada.ask("POST", path, {**body, "name": name}), 409, "bad-name")


def test_a_bot_may_describe_itself_with_the_name_of_a_house_bot_but_not_with_a_blank_name(ada: Ada) -> None:
    path = f"/v1/bots/{ada.ask('POST', '/v1/bots', {'name': 'Polly', 'kind': 'pull'}).json()['bot']['id']}"
    problem(ada.ask("PUT", f"{path}/info", {**INFO, "name": BLANK}), 409, "bad-name")
    told = ada.ask("PUT", f"{path}/info", {**INFO, "name": "planner"}).json()
    assert (told["name"], told["info"]["name"]) == ("Polly", "planner"), "the registered name is the one that is shown"
