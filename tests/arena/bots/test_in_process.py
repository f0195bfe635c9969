"""A function returns a move, its index, or an `Answer` with either; from Python as over the wire."""

from typing import Any

import pytest

from splito_arena.bots.in_process import as_answer
from splito_arena.faults import Fault
from splito_bot.bot import as_answer as sdk_answer
from splito_bot.contract import Answer as SentAnswer
from splito_engine.player import Answer
from tests.sdk.asks import ask_of

MOVES = ("left", "right")
SAID: dict[str, tuple[Any, Answer]] = {
    "a move": ("right", Answer("right")),
    "an index": (1, Answer("right")),
    "an Answer": (Answer("left", "play:left", "note"), Answer("left", "play:left", "note")),
    "an Answer of the SDK": (SentAnswer(move="left", debug="note"), Answer("left", None, "note")),
    "an Answer of the SDK with an index": (SentAnswer(index=1), Answer("right")),
    "True, which is no index": (True, Answer(move=True)),
}


@pytest.mark.parametrize("name", SAID)
def test_the_answer_of_a_function_is_understood(name: str) -> None:
    said, answer = SAID[name]
    assert as_answer(said, MOVES) == answer


WRONG: dict[str, tuple[Any, str, str]] = {
    "an index too large": (2, "illegal-move", "index 2, but there are 2 moves, counted from 0"),
    "a negative index": (-1, "illegal-move", "index -1, but there are 2 moves, counted from 0"),
    "neither move nor index": (SentAnswer(), "wrong-schema", "name either `move` or `index`"),
    "both": (SentAnswer(move="left", index=0), "wrong-schema", "name either `move` or `index`"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_index_is_a_fault_with_the_reason(name: str) -> None:
    said, code, detail = WRONG[name]
    with pytest.raises(Fault) as fault:
        as_answer(said, MOVES)
    assert (fault.value.code, fault.value.detail) == (code, detail)


def test_in_a_game_whose_moves_are_numbers_a_number_is_a_move() -> None:
    assert as_answer(7, (5, 7)) == Answer(7)


def test_the_sdk_sends_a_number_as_an_index() -> None:
    ask = ask_of("splitter")
    assert sdk_answer(1, ask).index == 1
    assert sdk_answer(ask.moves[1], ask).move == ask.moves[1]
