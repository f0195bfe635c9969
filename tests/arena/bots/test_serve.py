"""What a function of this machine answers to the requests of the contract."""

import json
import sys
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
import pytest

from splito_arena.bots.push_client import proof
from splito_arena.bots.serve import Answering, Request, Response, ask_in
from splito_arena.match.messages import BotInfo, messages_of
from splito_arena.match.question import History, Question, encode, question
from splito_arena.net.signing import Key, new_secret, sign
from splito_engine.errors import BadBot
from splito_engine.game import AnyGame
from splito_engine.games import splito
from splito_engine.games.splito.deck import open_deck
from splito_engine.match import Match, legal_moves, play, start
from splito_engine.player import Answer, Ask, Choose, Cost, Rejection, Time
from splito_engine.registry import games
from splito_service.http.contract.bot.operations import BotProblem

INFO = BotInfo(name="owl", author="me", version="3", games=["splito", "splitter"], batch=2)
TIME = Time(1500, 1000, 500)
NOW = 1_794_830_400.0
OLDER, NEWER = new_secret(), new_secret()


def last(ask: Ask) -> Any:
    return ask.moves[-1]


def fails(_: Ask) -> Any:
    raise KeyError("star-9")


def declines(_: Ask) -> Any:
    raise BadBot("not that one")


def answering(choose: Choose = last, *secrets: str) -> Answering:
    return Answering(choose, INFO, secrets, lambda: NOW)


def post(path: str, body: bytes, headers: Mapping[str, str] | None = None) -> Request:
    return Request("POST", path, {"content-type": "application/json", **(headers or {})}, body)


def asked(match: Match, seat: int = 0) -> Question:
    return question(match, seat, "m-1", History(), time=TIME, last=Cost(12.5, 0, "ok"))


def some_turns_later(game: AnyGame) -> Match:
    match = start(game, 3, "7", {"talk": True} if game is splito else None)
    for turn in range(3):
        talk = {0: "play:left"} if game is splito and turn else {}
        match = play(match, {seat: legal_moves(match, seat)[-1] for seat in match.actors}, talk)
    return match


MATCH = start(splito, 3, "7")
ASK = asked(MATCH).encoded()


@pytest.mark.parametrize("game", games().values(), ids=games())
def test_a_function_is_asked_the_same_over_the_wire_as_here(game: AnyGame) -> None:
    match = some_turns_later(game)
    sent = asked(match, match.actors[0])
    again = msgspec.structs.replace(sent, rejected=Rejection("illegal-move", "no"))
    for one in (sent, again):
        came = ask_in(msgspec.json.decode(one.encoded(), type=messages_of(game).Ask))
        assert encode(came) == encode(one.ask)
        assert [*came.moves] == [*one.ask.moves]
        assert came.history == one.ask.history


def test_the_answer_names_its_ask_and_has_all_that_the_function_said() -> None:
    one = answering(lambda ask: Answer(ask.moves[1], None, "a note")).respond(post("/ask", ASK))
    assert one.status == 200
    assert one.kind == "application/json"
    assert json.loads(one.body) == {
        "ask": "m-1-0-0",
        "move": json.loads(encode(legal_moves(MATCH, 0)[1])),
        "nudge": None,
        "debug": "a note",
    }


def test_a_bot_may_live_at_any_base() -> None:
    assert answering().respond(post("/bots/owl/ask?x=1", ASK)).status == 200


def test_a_batch_has_the_answers_to_all_of_its_asks() -> None:
    asks = [asked(MATCH, seat) for seat in (0, 2)]
    body = b'{"asks":[%b]}' % b",".join(one.encoded() for one in asks)
    said = json.loads(answering().respond(post("/batch", body)).body)
    assert [answer["ask"] for answer in said["answers"]] == ["m-1-0-0", "m-1-0-2"]


def test_who_fails_in_a_batch_is_left_out_so_that_the_others_count() -> None:
    body = b'{"asks":[%b]}' % b",".join(asked(MATCH, seat).encoded() for seat in (0, 2))
    one = answering(lambda ask: last(ask) if ask.seat else fails(ask)).respond(post("/batch", body))
    assert [answer["ask"] for answer in json.loads(one.body)["answers"]] == ["m-1-0-2"]


CRASHES: dict[str, tuple[Choose, str]] = {
    "it raises": (fails, "KeyError: 'star-9'"),
    "it declines": (declines, "not that one"),
    "it wants to end the program": (lambda _: sys.exit(3), "SystemExit: 3"),
    "its move cannot be sent": (lambda _: object(), "TypeError"),
}


@pytest.mark.parametrize("name", CRASHES)
def test_a_function_that_fails_says_so_to_the_arena_and_to_its_author(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    choose, said = CRASHES[name]
    problem = problem_in(answering(choose).respond(post("/ask", ASK)))
    assert (problem.status, problem.code) == (500, "crashed")
    assert said in problem.detail
    assert "the answer to m-1-0-0 failed" in caplog.text
    assert "Traceback" in caplog.text


def test_what_is_illegal_is_for_the_arena_to_say() -> None:
    one = answering(lambda _: {"card": "none", "side": "left"}).respond(post("/ask", ASK))
    assert (one.status, json.loads(one.body)["move"]) == (200, {"card": "none", "side": "left"})


def test_notices_are_taken_and_nothing_is_done_about_them() -> None:
    assert [answering().respond(post(path, b"{}")).body for path in ("/start", "/end")] == [b"{}", b"{}"]


def test_info_is_what_the_bot_tells_of_itself() -> None:
    one = answering().respond(Request("GET", "/info", {}, b""))
    assert msgspec.json.decode(one.body, type=BotInfo) == INFO


def problem_in(response: Response) -> BotProblem:
    assert response.kind == "application/problem+json"
    return msgspec.json.decode(response.body, type=BotProblem)


SPLITIT = asked(start(games()["splitit"], 3, "7")).encoded()
THREE = b'{"asks":[%b]}' % b",".join(asked(MATCH, seat).encoded() for seat in (0, 1, 2))
REFUSED = {
    "nothing there": (post("/move", ASK), 404, "not-found"),
    "the wrong method": (Request("GET", "/ask", {}, b""), 405, "not-allowed"),
    "another type": (post("/ask", ASK, {"content-type": "text/plain"}), 415, "bad-type"),
    "compressed": (post("/ask", ASK, {"content-encoding": "gzip"}), 415, "bad-type"),
    "no JSON": (post("/ask", b"{"), 400, "bad-request"),
    "no ask": (post("/ask", b'{"game":"splito"}'), 400, "bad-request"),
    "another game": (post("/ask", SPLITIT), 400, "unknown-game"),
    "more than it takes": (post("/batch", THREE), 400, "too-many"),
    "an empty batch": (post("/batch", b'{"asks":[]}'), 400, "bad-request"),
    "two games in a batch": (
        post("/batch", b'{"asks":[%b,%b]}' % (ASK, SPLITIT)),
        400,
        "bad-request",
    ),
    "a challenge, without a secret": (post("/challenge", b'{"challenge":"x"}'), 409, "no-secret"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_answered_is_refused_with_a_reason(name: str) -> None:
    request, status, code = REFUSED[name]
    problem = problem_in(answering().respond(request))
    assert (problem.status, problem.code) == (status, code)
    assert problem.detail


@pytest.mark.parametrize("secret", [OLDER, NEWER], ids=["older", "newer"])
def test_whoever_knows_one_of_the_secrets_is_answered_once(secret: str) -> None:
    bot = answering(last, NEWER, OLDER)
    request = post("/ask", ASK, sign(Key(secret), "one", int(NOW), ASK))
    assert [bot.respond(request).status, problem_in(bot.respond(request)).code] == [200, "replayed"]


@pytest.mark.parametrize("secret", [OLDER, NEWER], ids=["older", "newer"])
def test_a_challenge_is_met_with_the_secret_that_signed_it(secret: str) -> None:
    body = b'{"challenge":"who are you"}'
    request = post("/challenge", body, sign(Key(secret), "one", int(NOW), body))
    assert json.loads(answering(last, NEWER, OLDER).respond(request).body) == {"answer": proof(secret, "who are you")}


FORGED: dict[str, tuple[Mapping[str, str], str]] = {
    "not signed": ({}, "missing-header"),
    "by somebody else": (sign(Key(new_secret()), "one", int(NOW), ASK), "wrong-signature"),
    "another body": (sign(Key(NEWER), "one", int(NOW), ASK + b" "), "wrong-signature"),
    "long ago": (sign(Key(NEWER), "one", int(NOW) - 301, ASK), "stale-message"),
}


@pytest.mark.parametrize("name", FORGED)
def test_nobody_else_is_answered(name: str) -> None:
    headers, code = FORGED[name]
    problem = problem_in(answering(last, NEWER).respond(post("/ask", ASK, headers)))
    assert (problem.status, problem.code) == (401, code)


def test_an_ask_makes_a_bot_open_no_file(tmp_path: Path) -> None:
    deck = tmp_path / "deck.toml"
    deck.write_bytes(files("splito_engine.games.splito").joinpath("cards.toml").read_bytes())
    ask = json.loads(ASK)
    ask["view"]["options"]["deck"] = f"{deck}#{sha256(deck.read_bytes()).hexdigest()[:16]}"
    request = post("/ask", json.dumps(ask).encode())
    response = answering().respond(request)
    assert (response.status, json.loads(response.body)["code"]) == (400, "bad-deck")
    assert "is not opened" in json.loads(response.body)["detail"]
    open_deck(deck)
    assert answering().respond(request).status == 200, "the person at this machine has named it"


def test_a_request_that_the_arena_signed_for_another_bot_is_refused() -> None:
    ours = Answering(last, INFO, [OLDER], lambda: NOW, bot_id="owl")
    for number, (recipient, status) in enumerate({"owl": 200, "fox": 401, "": 401}.items()):
        headers = sign(Key(OLDER, recipient=recipient), f"msg_{number}", int(NOW), ASK)
        answer = ours.respond(post("/ask", ASK, headers))
        assert answer.status == status
        assert (b"wrong-recipient" in answer.body) == (status == 401)
