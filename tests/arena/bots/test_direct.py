"""A match between bots of this process, and what happens when one of them misbehaves."""

from typing import Any

import pytest

from splito_arena.bots.direct import Bot, ask_bot, dice_seed, house_bot, play_match
from splito_arena.bots.find import find_bot
from splito_engine.errors import BadBot, WrongPlayers
from splito_engine.game import AnyGame
from splito_engine.games import splitter
from splito_engine.match import legal_moves, start
from splito_engine.player import Ask

GAME: AnyGame = splitter
RANDOM = Bot("random", find_bot("random"))
FIRST = Bot("first", lambda ask: ask.moves[0])


def test_bots_play_a_match_to_its_end() -> None:
    match = play_match(GAME, [RANDOM, FIRST], "7")
    assert match.over
    assert len(match.turns) == 22
    assert match.turns[0].moves[1] == legal_moves(start(GAME, 2, "7"), 1)[0]


def test_the_same_seed_gives_the_same_match() -> None:
    one, again, other = (play_match(GAME, [RANDOM, RANDOM], seed) for seed in ("7", "7", "8"))
    assert one.turns == again.turns != other.turns


def test_options_reach_the_game() -> None:
    assert play_match(GAME, [FIRST], "7", {"sheet": "B"}).options.sheet == "B"


def test_the_number_of_bots_must_be_the_number_of_players() -> None:
    with pytest.raises(WrongPlayers):
        play_match(GAME, [], "7")


def test_every_ask_has_its_own_seed() -> None:
    seeds: list[str] = []

    def note(ask: Ask) -> Any:
        seeds.append(ask.seed)
        return ask.moves[0]

    match = play_match(GAME, [Bot("note", note)] * 3, "secret")
    assert len({*seeds}) == len(seeds) == 3 * len(match.turns)
    assert not any("secret" in seed for seed in seeds)
    assert seeds[1] == dice_seed(start(GAME, 3, "secret"), 1)


@pytest.mark.parametrize("answer", ["a3=1", None, {"row": 1, "column": 1, "left": 1}, splitter.SplitterMove(1, 1, 1)])
def test_an_illegal_answer_names_bot_seat_and_answer(answer: object) -> None:
    with pytest.raises(BadBot) as caught:
        play_match(GAME, [FIRST, Bot("rogue", lambda _: answer)], "7")
    assert caught.value.seat == 1
    assert caught.value.message == f"bot 'rogue' in seat 1, turn 0 answered {answer!r}, which is not one of its moves"


def test_a_long_answer_is_shortened_in_the_error() -> None:
    with pytest.raises(BadBot) as caught:
        play_match(GAME, [Bot("talker", lambda _: "x" * 10_000)], "7")
    assert len(caught.value.message) < 200


def test_a_bot_that_fails_is_named_with_its_error() -> None:
    def fail(_: Ask) -> Any:
        raise ZeroDivisionError("division by zero")

    with pytest.raises(BadBot, match="bot 'fails' in seat 0, turn 0 failed with ZeroDivisionError") as caught:
        play_match(GAME, [Bot("fails", fail)], "7")
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_bot_that_does_not_play_the_game_says_so_itself() -> None:
    def decline(_: Ask) -> Any:
        raise BadBot("I only play chess")

    with pytest.raises(BadBot, match="bot 'chess' in seat 0, turn 0: I only play chess") as caught:
        play_match(GAME, [Bot("chess", decline)], "7")
    assert caught.value.seat == 0


def test_the_house_has_a_bot_for_every_position() -> None:
    match = start(GAME, 2, "7")
    assert ask_bot(match, 1, house_bot(match)) in GAME.moves(match.state, 1)
