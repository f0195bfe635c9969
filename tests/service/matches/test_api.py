"""The service over HTTP, as its clients meet it."""

from typing import Any

import httpx
import pytest

from splito_engine.record import verify

GAMES = ("splito", "splitit", "splitter")
PERSON = {"kind": "person", "name": "Ann"}
GREEDY = {"kind": "bot", "bot": "greedy"}
OPEN = {"kind": "open"}


class Table:
    """A match, and the tokens of its persons."""

    def __init__(self, api: httpx.Client, game: str, seats: list[dict[str, Any]], **terms: Any) -> None:
        made = api.post(f"/v1/{game}/matches", json={"seats": seats, **terms})
        assert made.status_code == 201, made.text
        self.api = api
        self.path = made.headers["Location"]
        self.made = made.json()
        self.tokens: list[str | None] = self.made["tokens"]

    def auth(self, seat: int) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens[seat]}"}

    def get(self, seat: int | None = None, query: str = "") -> Any:
        answer = self.api.get(self.path + query, headers={} if seat is None else self.auth(seat))
        assert answer.status_code == 200, answer.text
        return answer.json()

    def seal(self, turn: int, seat: int, move: Any, by: int | None = None, nudge: str | None = None) -> httpx.Response:
        body = {"move": move} if nudge is None else {"move": move, "nudge": nudge}
        headers = self.auth(seat if by is None else by)
        return self.api.put(f"{self.path}/turns/{turn}/seats/{seat}", json=body, headers=headers)

    def play_turn(self, index: int = 0) -> None:
        public = self.get()
        for seat in public["acting"]:
            own = self.get(seat)
            assert self.seal(public["turn"], seat, own["legal_moves"][index]).status_code == 200

    def play_out(self, index: int = 0) -> Any:
        while self.get()["status"] != "over":
            self.play_turn(index)
        return self.get()


def persons(count: int) -> list[dict[str, Any]]:
    return [{"kind": "person", "name": f"person {seat}"} for seat in range(count)]


def problem(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    assert answer.headers["content-type"] == "application/problem+json"
    said = answer.json()
    assert (answer.status_code, said["status"], said["code"]) == (status, status, code), said
    assert said["title"]
    assert said["detail"]
    assert said["type"] == f"/v1/problems#{code}"
    return said


@pytest.mark.parametrize("game", GAMES)
def test_persons_play_a_whole_match_and_its_record_verifies_against_the_commitment(
    api: httpx.Client, game: str
) -> None:
    table = Table(api, game, persons(3))
    over = table.play_out()
    assert over["scores"]
    record = api.get(f"{table.path}/record")
    checked, match = verify(record.content)
    assert checked.commitment == table.made["match"]["commitment"]
    assert checked.names == ("person 0", "person 1", "person 2")
    assert [list(points) for points in match.scores] == over["scores"]
    turns = api.get(f"{table.path}/turns").json()["turns"]
    assert [turn["turn"] for turn in turns] == [*range(len(match.turns))]
    assert turns[0]["moves"][0]["seat"] == min(match.turns[0].moves)
    explained = api.get(f"{table.path}/explanation", params={"lang": "de"})
    assert explained.headers["content-language"] == "de"
    assert len(explained.json()["totals"]) == 3


@pytest.mark.parametrize("game", GAMES)
def test_house_bots_answer_a_person_in_every_turn(api: httpx.Client, game: str) -> None:
    table = Table(api, game, [PERSON, GREEDY, {"kind": "bot"}])
    turn = -1
    while (own := table.get(0, f"?after={turn}&wait=30"))["status"] != "over":
        assert own["turn"] > turn, "no bot moved for half a minute"
        turn = own["turn"]
        if own["legal_moves"]:
            assert table.seal(turn, 0, own["legal_moves"][-1]).status_code == 200
    assert [seat["name"] for seat in own["seats"]] == ["Ann", "greedy", "planner"]


def test_a_match_with_open_seats_shows_no_cards_and_accepts_no_moves(api: httpx.Client) -> None:
    table = Table(api, "splito", [PERSON, OPEN, OPEN])
    for own in (table.get(), table.get(0)):
        assert (own["status"], own["turn"], own["view"], own["legal_moves"]) == ("open", -1, None, [])
    cards = [card["id"] for card in api.get("/v1/splito/cards").json()["cards"]]
    answers = {table.seal(0, 0, {"card": card, "side": "left"}).content for card in cards}
    assert len(answers) == 1, "the answer must not depend on the cards of the hand"
    problem(table.seal(0, 0, {"card": "r4", "side": "left"}), 409, "not-begun")
    joined = api.post(f"{table.path}/seats", json={"name": "Bob", "seat": 2})
    assert (joined.status_code, joined.json()["seat"]) == (201, 2)
    problem(api.post(f"{table.path}/seats", json={"name": "Cy", "seat": 2}), 409, "seat-taken")
    problem(api.post(f"{table.path}/seats", json={"name": "Cy", "seat": 3}), 409, "unknown-seat")
    last = api.post(f"{table.path}/seats", json={"name": "Cy"}).json()
    assert (last["seat"], last["match"]["status"], last["match"]["seat"]) == (1, "running", 1)
    assert len(last["match"]["legal_moves"]) > 0
    problem(api.post(f"{table.path}/seats", json={"name": "Di"}), 409, "seat-taken")
    assert [seat["name"] for seat in table.get()["seats"]] == ["Ann", "Cy", "Bob"]


def test_leaving_before_the_start_frees_the_seat_and_leaving_later_seats_a_bot(api: httpx.Client) -> None:
    table = Table(api, "splito", [PERSON, *persons(1), OPEN])
    assert api.delete(f"{table.path}/seats/1", headers=table.auth(1)).status_code == 204
    assert [seat["kind"] for seat in table.get()["seats"]] == ["person", "open", "open"]
    problem(api.delete(f"{table.path}/seats/1", headers=table.auth(1)), 403, "wrong-token")
    for name in ("Bea", "Cy"):
        joined = api.post(f"{table.path}/seats", json={"name": name}).json()
        table.tokens[joined["seat"]] = joined["token"]
    assert api.delete(f"{table.path}/seats/1", headers=table.auth(1)).status_code == 204
    assert table.get()["seats"][1] == {"kind": "bot", "name": "Bea", "bot": "planner"}
    for seat in (0, 2):
        assert table.seal(0, seat, table.get(seat)["legal_moves"][0]).status_code == 200
    assert table.get(None, "?after=0&wait=30")["turn"] == 1


def test_a_sealed_move_can_be_repeated_but_not_changed(api: httpx.Client) -> None:
    table = Table(api, "splito", persons(2))
    first, second = table.get(0)["legal_moves"][:2]
    for _ in range(2):
        said = table.seal(0, 0, first)
        assert said.status_code == 200
        assert said.json()["next"] == 0
    problem(table.seal(0, 0, second), 409, "already-sealed")
    assert table.get()["sealed"] == [0]
    assert table.seal(0, 1, table.get(1)["legal_moves"][0]).json()["next"] == 1
    assert table.seal(0, 0, first).json()["next"] == 1
    problem(table.seal(0, 0, second), 409, "wrong-turn")
    problem(table.seal(5, 0, second), 409, "wrong-turn")


def test_the_refusal_of_an_illegal_move_lists_the_legal_moves(api: httpx.Client) -> None:
    table = Table(api, "splito", persons(2))
    legal = table.get(0)["legal_moves"]
    held = {move["card"] for move in legal}
    foreign = next(card["id"] for card in api.get("/v1/splito/cards").json()["cards"] if card["id"] not in held)
    said = problem(table.seal(0, 0, {"card": foreign, "side": "left"}), 409, "illegal-move")
    assert said["legal_moves"] == legal
    said = problem(table.seal(0, 0, {"card": "ace", "side": "left"}), 409, "unknown-move")
    assert (said["legal_moves"], said["card"]) == (legal, "ace")
    assert table.get()["sealed"] == []


def test_nudges_are_accepted_only_in_matches_with_the_option_talk(api: httpx.Client) -> None:
    quiet, loud = Table(api, "splito", persons(3)), Table(api, "splito", persons(3), options={"talk": True})
    assert quiet.get(0)["nudges"] == []
    problem(quiet.seal(0, 0, quiet.get(0)["legal_moves"][0], nudge="play:left"), 409, "bad-nudge")
    assert "play:left" in loud.get(0)["nudges"]
    assert loud.seal(0, 0, loud.get(0)["legal_moves"][0], nudge="play:left").status_code == 200
    for seat in (1, 2):
        loud.seal(0, seat, loud.get(seat)["legal_moves"][0])
    revealed = api.get(f"{loud.path}/turns").json()["turns"][0]["moves"]
    assert [move.get("nudge") for move in revealed] == ["play:left", None, None]


def test_only_the_token_of_the_seat_may_move_and_leave(api: httpx.Client) -> None:
    table, other = Table(api, "splito", persons(2)), Table(api, "splito", persons(2))
    move = table.get(0)["legal_moves"][0]
    place = f"{table.path}/turns/0/seats/0"
    bare = api.put(place, json={"move": move})
    assert bare.headers["www-authenticate"] == "Bearer"
    problem(bare, 401, "no-token")
    problem(api.put(place, json={"move": move}, headers={"Authorization": "Bearer seat-0-1-x"}), 401, "no-token")
    problem(api.put(place, json={"move": move}, headers=other.auth(0)), 401, "no-token")
    problem(table.seal(0, 0, move, by=1), 403, "wrong-token")
    problem(api.get(table.path, headers=other.auth(0)), 401, "no-token")
    problem(api.delete(f"{table.path}/seats/0", headers=table.auth(1)), 403, "wrong-token")


def test_an_unchanged_view_is_answered_with_304(api: httpx.Client) -> None:
    table = Table(api, "splito", persons(2))
    tags: set[str] = set()
    for headers in ({}, table.auth(0), table.auth(1)):
        tag = api.get(table.path, headers=headers).headers["etag"]
        again = api.get(table.path, headers={**headers, "If-None-Match": tag})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
        assert api.get(table.path, headers={**headers, "If-None-Match": f'"x", W/{tag}'}).status_code == 304
        tags.add(tag)
    assert len(tags) == 3
    table.seal(0, 0, table.get(0)["legal_moves"][0])
    assert all(api.get(table.path, headers={"If-None-Match": tag}).status_code == 200 for tag in tags)


def test_a_long_poll_ends_with_the_turn_or_after_the_wait(api: httpx.Client) -> None:
    table = Table(api, "splito", persons(2))
    assert table.get(None, "?after=0&wait=1")["turn"] == 0
    table.play_turn()
    assert table.get(None, "?after=0&wait=30")["turn"] == 1
    assert table.get(None, "?after=-1&wait=30")["turn"] == 1


def test_matches_are_listed_page_by_page_and_filtered(api: httpx.Client) -> None:
    made = [Table(api, "splitit", persons(2 + number % 2)).made["match"]["id"] for number in range(5)]
    hidden = Table(api, "splitit", persons(2), listed=False).made["match"]["id"]
    found, cursor = list[str](), None
    while cursor is not None or not found:
        page = api.get("/v1/splitit/matches", params={"limit": 2, **({"cursor": cursor} if cursor else {})}).json()
        found += [match["id"] for match in page["matches"]]
        cursor = page["next"]
    assert found == sorted(found, reverse=True)
    assert {*made} <= {*found}
    assert hidden not in found
    pairs = api.get("/v1/splitit/matches", params={"players": 2, "limit": 100}).json()["matches"]
    assert {len(match["seats"]) for match in pairs} == {2}
    lobby = Table(api, "splitit", [PERSON, OPEN]).made["match"]["id"]
    waiting = api.get("/v1/splitit/matches", params={"status": "open"}).json()["matches"]
    assert lobby in [match["id"] for match in waiting]


@pytest.mark.parametrize(
    ("asked", "accepted", "given"),
    [
        (None, None, "en"),
        (None, "de", "de"),
        (None, "fr-CA, en;q=0.5", "fr"),
        (None, "en;q=0.3, de;q=0.9, fr;q=0.8", "de"),
        (None, "es, it;q=0.9", "en"),
        (None, "fr;q=0, nonsense;q=x, *", "en"),
        ("de", "fr", "de"),
    ],
)
def test_rules_and_cards_are_in_the_language_of_the_query_or_accept_language(
    api: httpx.Client, asked: str | None, accepted: str | None, given: str
) -> None:
    headers = {} if accepted is None else {"Accept-Language": accepted}
    for what in ("rules", "cards"):
        answer = api.get(f"/v1/splito/{what}", params={"lang": asked} if asked else {}, headers=headers)
        assert (answer.json()["language"], answer.headers["content-language"]) == (given, given)


def test_the_catalogue_lists_games_house_bots_cards_and_problems(api: httpx.Client) -> None:
    games = {game["id"]: game for game in api.get("/v1/games").json()["games"]}
    assert {*games} >= {*GAMES}
    assert games["splito"]["reconstructed_players"] == [2]
    assert games["splitter"]["reconstructed_players"] == []
    assert {"greedy", "planner", "random"} <= {*api.get("/v1/house").json()["bots"]}
    codes = {kind["code"] for kind in api.get("/v1/problems").json()["problems"]}
    assert {"illegal-move", "unavailable"} <= codes
    assert len(api.get("/v1/splito/cards").json()["cards"]) == 73


def test_unknown_games_matches_paths_and_methods_are_answered_with_404_and_405(api: httpx.Client) -> None:
    table = Table(api, "splito", persons(2))
    match_id = table.made["match"]["id"]
    problem(api.get("/v1/chess/matches"), 404, "unknown-game")
    problem(api.post("/v1/chess/matches", json={}), 404, "unknown-game")
    for path in (f"/v1/splitter/matches/{match_id}", "/v1/splito/matches/nowhere", f"/v1/splito/matches/{'0' * 24}"):
        problem(api.get(path), 404, "unknown-match")
    problem(api.get("/v2"), 404, "not-found")
    wrong = api.patch(table.path)
    problem(wrong, 405, "wrong-method")
    assert "GET" in wrong.headers["allow"]
    told = api.options("/v1/splito/matches")
    assert (told.status_code, told.headers["allow"]) == (204, "GET, OPTIONS, POST")


def test_record_and_explanation_are_refused_before_the_end(api: httpx.Client) -> None:
    table = Table(api, "splito", persons(2))
    for what in ("record", "explanation"):
        problem(api.get(f"{table.path}/{what}"), 409, "not-over")


BAD_BODIES = {
    "not JSON": b"{",
    "not an object": b"[]",
    "a field too many": b'{"seats": [{"kind": "open"}, {"kind": "open"}], "seed": "mine"}',
    "a seat of no kind": b'{"seats": [{"name": "Ann"}, {"kind": "open"}]}',
    "too many seats": b'{"seats": [' + b", ".join([b'{"kind": "open"}'] * 9) + b"]}",
    "a name that is none": b'{"seats": [{"kind": "person", "name": ""}, {"kind": "open"}]}',
    "an option too large": b'{"seats": [{"kind": "open"}, {"kind": "open"}], "options": {"deals": 10}}',
    "a deck of one's own": b'{"seats": [{"kind": "open"}, {"kind": "open"}], "options": {"deck": "/etc/passwd"}}',
    "a clock that stands still": b'{"seats": [{"kind": "open"}, {"kind": "open"}], "clock": {"kind": "turn"}}',
    "not UTF-8": b'{"seats": "\xff"}',
    "very deep": b"[" * 5000,
    "a number of no size": b'{"seats": [], "listed": 1e999}',
}


@pytest.mark.parametrize("body", BAD_BODIES.values(), ids=BAD_BODIES)
def test_a_body_that_violates_the_contract_is_a_bad_request(api: httpx.Client, body: bytes) -> None:
    answer = api.post("/v1/splito/matches", content=body, headers={"Content-Type": "application/json"})
    problem(answer, 400, "bad-request")


def test_an_unknown_bot_or_unprintable_name_is_a_conflict(api: httpx.Client) -> None:
    for seat, code in (
        ({"kind": "bot", "bot": "nobody"}, "bad-bot"),
        ({"kind": "bot", "bot": "os:getcwd"}, "bad-bot"),
        ({"kind": "person", "name": "\x1b[31m"}, "bad-name"),
        ({"kind": "person", "name": "   "}, "bad-name"),
    ):
        problem(api.post("/v1/splito/matches", json={"seats": [seat, OPEN]}), 409, code)


def test_a_body_that_is_not_json_or_too_large_is_refused(api: httpx.Client) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        answer = api.post("/v1/splito/matches", content=b"{}", headers={"Content-Type": kind})
        problem(answer, 415, "wrong-type")
    problem(api.post("/v1/splito/matches", content=b"{}"), 415, "wrong-type")
    large = b'{"seats": "' + b"x" * 20_000 + b'"}'
    problem(
        api.post("/v1/splito/matches", content=large, headers={"Content-Type": "application/json"}), 413, "too-large"
    )
    dripped = (large[place : place + 1000] for place in range(0, len(large), 1000))
    answer = api.post("/v1/splito/matches", content=dripped, headers={"Content-Type": "application/json"})
    problem(answer, 413, "too-large")


def test_an_invalid_query_parameter_is_a_bad_request(api: httpx.Client) -> None:
    path = Table(api, "splito", persons(2)).path
    for query in ("limit=0", "limit=101", "limit=x", "status=lost", "players=x", "cursor=(x"):
        problem(api.get(f"/v1/splito/matches?{query}"), 400, "bad-request")
    for query in ("wait=31", "wait=-1", "after=-2", "after=x"):
        problem(api.get(f"{path}?{query}"), 400, "bad-request")
    problem(api.get("/v1/splito/rules?lang=es"), 400, "bad-request")


def test_cors_allows_every_origin_without_credentials(api: httpx.Client) -> None:
    asked = {"Origin": "https://example.org", "Access-Control-Request-Method": "PUT"}
    asked["Access-Control-Request-Headers"] = "authorization, content-type"
    allowed = api.options("/v1/splito/matches", headers=asked)
    assert allowed.is_success
    assert allowed.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in allowed.headers
