"""Answers of the running service match the contract: every body, every header, every code."""

import json
from typing import Any

import httpx
import pytest

from splito_service.http.contract.document import HOUSE
from tests.contract.caller import Caller
from tests.contract.reader import Document

NOBODY = "000000000000000000000000"
TOKEN = "seat-0-1-example-example-example-example-"  # noqa: S105 (nobody's)


@pytest.fixture(params=HOUSE)
def call(request: pytest.FixtureRequest, api: httpx.Client, document: Document) -> Caller:
    return Caller(api, document, request.param)


class Table:
    """A match in which persons sit everywhere but where the example has a bot."""

    def __init__(self, call: Caller, example: str) -> None:
        made = call("create{Game}Match", 201, body=call.example("create{Game}Match", example))
        self.call, self.tokens, self.id = call, made["tokens"], made["match"]["id"]

    def look(self, seat: int | None = None) -> Any:
        token = None if seat is None else self.tokens[seat]
        return self.call("get{Game}Match", 200, match=self.id, token=token)

    def seal(self, status: int, turn: int, seat: int, body: Any) -> Any:
        return self.call(
            "seal{Game}Move", status, match=self.id, turn=turn, seat=seat, token=self.tokens[seat], body=body
        )

    def play_out(self) -> None:
        """The bot has its own time: we wait for it as everybody does."""
        now = self.look()
        while now["status"] != "over":
            for seat in now["acting"]:
                if self.tokens[seat] and (moves := self.look(seat)["legal_moves"]):
                    self.seal(200, now["turn"], seat, {"move": moves[0]})
            now = self.call("get{Game}Match", 200, match=self.id, after=now["turn"], wait=30)


def test_every_answer_of_a_whole_match_fits_the_contract(call: Caller) -> None:
    table = Table(call, "open")
    joined = call("join{Game}Match", 201, match=table.id, body=call.example("join{Game}Match", "chosen"))
    table.tokens[joined["seat"]] = joined["token"]
    table.play_out()
    turns = call("list{Game}Turns", 200, match=table.id)["turns"]
    assert len(turns) == table.look()["turn"]
    assert call("get{Game}Record", 200, match=table.id)["players"] == len(table.tokens)
    assert call("explain{Game}Match", 200, match=table.id, lang="de")["totals"]
    page = call("list{Game}Matches", 200, status="over", limit=100, players=3)
    assert table.id in [match["id"] for match in page["matches"]]
    call("leave{Game}Match", 204, match=table.id, seat=0, token=table.tokens[0])


def test_events_of_a_whole_match_fit_the_contract(call: Caller, document: Document) -> None:
    table = Table(call, "full")
    table.play_out()
    stream = call("watch{Game}Match", 200, match=table.id)
    events = [dict(line.split(": ", 1) for line in block.split("\n")) for block in stream.strip().split("\n\n")[1:]]
    assert [event["event"] for event in events] == ["seats", *["turn"] * table.look()["turn"], "over"]
    for event in events:
        read = {**event, "data": json.loads(event["data"])}
        assert (
            document.faults({"$ref": f"#/components/schemas/{table.look()['game'].capitalize()}MatchEvent"}, read) == []
        )
    call("watch{Game}Match", 204, match=table.id, last_event_id=events[-1]["id"])


def test_an_unchanged_match_is_answered_with_304(call: Caller, api: httpx.Client) -> None:
    table = Table(call, "open")
    made = api.get(f"/v1/{table.look()['game']}/matches/{table.id}")
    call("get{Game}Match", 304, match=table.id, if_none_match=made.headers["ETag"])


def test_rules_cards_games_and_health_fit_the_contract(call: Caller) -> None:
    assert call("get{Game}Rules", 200, accept_language="fr-CA, en;q=0.5")["language"] == "fr"
    assert call("list{Game}Cards", 200, lang="de")["language"] == "de"
    assert call("listGames", 200)["games"]
    assert "planner" in call("listHouse", 200)["bots"]
    assert call("listProblems", 200)["problems"]
    assert call("getLiveness", 200) == {"status": "live"}
    assert call("getReadiness", 200) == {"status": "ready"}


REFUSED: list[tuple[str, int, str, dict[str, Any]]] = [
    ("create{Game}Match", 400, "bad-request", {"body": {"seats": []}}),
    ("create{Game}Match", 400, "bad-request", {"body": {"seats": [{"kind": "bot"}] * 2, "colour": "red"}}),
    ("create{Game}Match", 400, "bad-request", {"body": b"{"}),
    ("create{Game}Match", 413, "too-large", {"body": b" " * 20_000}),
    ("create{Game}Match", 409, "bad-bot", {"body": {"seats": [{"kind": "bot", "bot": "marvin"}] * 2}}),
    ("create{Game}Match", 409, "bad-name", {"body": {"seats": [{"kind": "person", "name": "\u202e"}] * 2}}),
    ("list{Game}Matches", 400, "bad-request", {"status": "lost"}),
    ("list{Game}Matches", 400, "bad-request", {"limit": 101}),
    ("list{Game}Matches", 400, "bad-request", {"players": 0}),
    ("list{Game}Matches", 400, "bad-request", {"players": "null"}),
    ("list{Game}Matches", 400, "bad-request", {"cursor": "x"}),
    ("get{Game}Match", 404, "unknown-match", {"match": NOBODY}),
    ("get{Game}Match", 404, "unknown-match", {"match": "x" * 24}),
    ("get{Game}Match", 401, "no-token", {"match": NOBODY, "token": TOKEN}),
    ("get{Game}Match", 400, "bad-request", {"match": NOBODY, "wait": 31}),
    ("get{Game}Match", 400, "bad-request", {"match": NOBODY, "after": -2}),
    ("join{Game}Match", 404, "unknown-match", {"match": NOBODY, "body": {"name": "Grace"}}),
    ("join{Game}Match", 400, "bad-request", {"match": NOBODY, "body": {"name": ""}}),
    ("leave{Game}Match", 401, "no-token", {"match": NOBODY, "seat": 0}),
    ("leave{Game}Match", 404, "not-found", {"match": NOBODY, "seat": "first"}),
    ("leave{Game}Match", 400, "bad-request", {"match": NOBODY, "seat": -1}),
    ("seal{Game}Move", 401, "no-token", {"match": NOBODY, "turn": 0, "seat": 0, "body": {}}),
    ("seal{Game}Move", 400, "bad-request", {"match": NOBODY, "turn": 0, "seat": -1, "body": {}}),
    ("watch{Game}Match", 400, "bad-request", {"match": NOBODY, "after": -2}),
    ("watch{Game}Match", 404, "unknown-match", {"match": NOBODY}),
    ("list{Game}Turns", 404, "unknown-match", {"match": NOBODY}),
    ("get{Game}Record", 404, "unknown-match", {"match": NOBODY}),
    ("explain{Game}Match", 400, "bad-request", {"match": NOBODY, "lang": "la"}),
    ("get{Game}Rules", 400, "bad-request", {"lang": "la"}),
    ("list{Game}Cards", 400, "bad-request", {"lang": "la"}),
]


@pytest.mark.parametrize(("operation", "status", "code", "parameters"), REFUSED)
def test_a_request_is_refused_as_the_contract_says(
    call: Caller, operation: str, status: int, code: str, parameters: dict[str, Any]
) -> None:
    assert call(operation, status, **parameters)["code"] == code


def test_a_match_with_open_seats_refuses_moves_and_record(call: Caller) -> None:
    table = Table(call, "open")
    move = call.example("seal{Game}Move", "move")
    assert table.seal(409, 0, 0, move)["code"] == "not-begun"
    assert call("get{Game}Record", 409, match=table.id)["code"] == "not-over"
    assert call("explain{Game}Match", 409, match=table.id)["code"] == "not-over"
    assert call("join{Game}Match", 409, match=table.id, body={"name": "Grace", "seat": 0})["code"] == "seat-taken"
    assert call("join{Game}Match", 409, match=table.id, body={"name": "\n"})["code"] == "bad-name"
    assert call("join{Game}Match", 409, match=table.id, body={"name": "Grace", "seat": 40})["code"] == "unknown-seat"
    assert call("watch{Game}Match", 400, match=table.id, last_event_id="first")["code"] == "bad-request"


def test_wrong_moves_are_refused_as_the_contract_says(call: Caller) -> None:
    table = Table(call, "full")
    own = table.look(0)
    good = own["legal_moves"][0]
    assert table.seal(409, 0, 0, {"move": good, "nudge": "hurry up"})["code"] == "bad-nudge"
    for turn in (-1, 7, 10**30):
        assert table.seal(409, turn, 0, {"move": good})["code"] == "wrong-turn"
    assert table.seal(400, 0, 0, {"move": {"nothing": 1}})["code"] == "bad-request"
    refused = table.seal(409, 0, 0, call.example("seal{Game}Move", "move") | {"move": _wrong(good)})
    assert refused["code"] in ("illegal-move", "unknown-move")
    assert refused["legal_moves"] == own["legal_moves"]
    wrong = call("seal{Game}Move", 403, match=table.id, turn=0, seat=1, token=table.tokens[0], body={"move": good})
    assert wrong["code"] == "wrong-token"


def test_every_move_of_a_former_player_gets_the_same_refusal(api: httpx.Client, document: Document) -> None:
    call = Caller(api, document, "splito")
    table = Table(call, "full")
    good = table.look(0)["legal_moves"][0]
    call("leave{Game}Match", 204, match=table.id, seat=0, token=table.tokens[0])
    for move in (good, _wrong(good)):
        assert table.seal(403, 0, 0, {"move": move})["code"] == "wrong-token"
        assert table.seal(403, 0, 0, {"move": move, "nudge": "hurry up"})["code"] == "wrong-token"


def _wrong(move: dict[str, Any]) -> dict[str, Any]:
    """Return a move of the right form that is illegal now: no such card, cell or divider."""
    return move | {name: value for name, value in WRONG.items() if name in move}


WRONG = {"card": "r9", "row": 1, "column": 1, "right": 99}


def test_an_integer_may_be_written_with_a_decimal_point(api: httpx.Client) -> None:
    """JSON Schema says so, and some languages write it like that."""
    body = b'{"seats": [{"kind": "bot"}, {"kind": "open"}], "options": {"deals": 3.0}}'
    assert api.post("/v1/splito/matches", content=body, headers={"Content-Type": "application/json"}).status_code == 201
    body = b'{"seats": [{"kind": "bot"}, {"kind": "open"}], "options": {"deals": 3.5}}'
    assert api.post("/v1/splito/matches", content=body, headers={"Content-Type": "application/json"}).status_code == 400


def test_a_body_with_another_content_type_is_refused(api: httpx.Client, document: Document) -> None:
    refusal = api.post("/v1/splito/matches", content=b"{}", headers={"Content-Type": "text/plain"})
    assert (refusal.status_code, refusal.json()["code"]) == (415, "wrong-type")
    assert document.faults({"$ref": "#/components/schemas/Problem"}, refusal.json()) == []
