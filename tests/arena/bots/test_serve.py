"""A function of this machine as a bot of the SDK: it gets over HTTP what it gets as a plugin."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from splito_arena.bots.serve import as_bot, ask_in, read_ask
from splito_arena.match.question import History, Question, encode, question
from splito_bot.contract import BotInfo
from splito_bot.serve import serving
from splito_engine.files import may_open_files
from splito_engine.game import AnyGame
from splito_engine.games import splito
from splito_engine.games.splito.deck import open_deck
from splito_engine.match import Match, legal_moves, play, start
from splito_engine.player import Answer, Ask, Choose, Cost, Rejection, Time
from splito_engine.registry import games

INFO = BotInfo(name="owl", author="me", version="3", games=["splito", "splitter"], batch=2)
TIME = Time(1500, 1000, 500)


def last(ask: Ask) -> Any:
    return ask.moves[-1]


@contextmanager
def served(choose: Choose = last) -> Generator[httpx.Client]:
    json_sent = {"Content-Type": "application/json"}
    with serving(as_bot(choose, INFO)) as url, httpx.Client(base_url=url, headers=json_sent, timeout=60) as http:
        yield http


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
def test_a_function_gets_the_same_ask_over_http_as_in_this_process(game: AnyGame) -> None:
    match = some_turns_later(game)
    sent = asked(match, match.actors[0])
    again = msgspec.structs.replace(sent, rejected=Rejection("illegal-move", "no"))
    for one in (sent, again):
        came = ask_in(read_ask(one.encoded()))
        assert encode(came) == encode(one.ask)
        assert [*came.moves] == [*one.ask.moves]
        assert came.history == one.ask.history


def test_the_function_gets_an_ask_of_the_engine_with_a_view_of_the_game() -> None:
    got: list[Ask] = []

    def keep(ask: Ask) -> Any:
        got.append(ask)
        return ask.moves[0]

    with served(keep) as bot:
        assert bot.post("/ask", content=ASK).status_code == 200
    [ask] = got
    assert isinstance(ask, Ask)
    assert isinstance(ask.view, splito.View)
    assert ask.time == TIME


def test_the_answer_has_the_move_and_the_note_of_the_function() -> None:
    with served(lambda ask: Answer(ask.moves[1], None, "a note")) as bot:
        said = bot.post("/ask", content=ASK)
    assert said.json() == {
        "ask": "m-1-0-0",
        "move": json.loads(encode(legal_moves(MATCH, 0)[1])),
        "nudge": None,
        "debug": "a note",
    }


def test_a_batch_has_the_answers_to_all_of_its_asks() -> None:
    body = b'{"asks":[%b]}' % b",".join(asked(MATCH, seat).encoded() for seat in (0, 2))
    with served() as bot:
        said = bot.post("/batch", content=body).json()
    assert [answer["ask"] for answer in said["answers"]] == ["m-1-0-0", "m-1-0-2"]


REFUSED = {
    "a game that the bot does not play": (asked(start(games()["splitit"], 3, "7")).encoded(), "unknown-game"),
    "a game that is not installed": (ASK.replace(b'"splito"', b'"chess"', 1), "unknown-game"),
    "half an ask": (b'{"game":"splito"}', "bad-request"),
    "a seat that is no number": (ASK.replace(b'"seat":0', b'"seat":"x"'), "bad-request"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_ask_that_the_bot_cannot_read_is_refused(name: str) -> None:
    body, code = REFUSED[name]
    with served() as bot:
        said = bot.post("/ask", content=body)
    assert (said.status_code, said.json()["code"]) == (400, code)


def test_an_ask_cannot_make_a_bot_open_a_deck_file(tmp_path: Path) -> None:
    deck = tmp_path / "deck.toml"
    deck.write_bytes(files("splito_engine.games.splito").joinpath("cards.toml").read_bytes())
    ask = json.loads(ASK)
    ask["view"]["options"]["deck"] = f"{deck}#{sha256(deck.read_bytes()).hexdigest()[:16]}"
    with served() as bot:
        said = bot.post("/ask", json=ask)
        assert (said.status_code, said.json()["code"]) == (400, "bad-deck")
        assert "is not opened" in said.json()["detail"]
        open_deck(deck)
        assert bot.post("/ask", json=ask).status_code == 200, "the person at this machine has named it"


def test_a_function_that_is_asked_over_http_may_open_no_deck_file_either() -> None:
    allowed: list[bool] = []

    def look(ask: Ask) -> Any:
        allowed.append(may_open_files())
        return ask.moves[0]

    with served(look) as bot:
        assert bot.post("/ask", content=ASK).status_code == 200
    assert allowed == [False]
