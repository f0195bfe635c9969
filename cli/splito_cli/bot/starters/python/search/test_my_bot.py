"""Tests of the bot: run `pytest` or `python test_my_bot.py`. They need no service: `asks.json` has asks of an arena."""

from pathlib import Path
from time import monotonic

from my_bot import INFO, choose
from splito_bot import read_asks

ASKS = read_asks(Path(__file__).with_name("asks.json").read_bytes())


def test_there_is_an_ask_of_every_game_that_the_bot_claims() -> None:
    assert {ask.game for ask in ASKS} >= {*INFO.games}


def test_every_ask_gets_one_of_its_moves_within_its_time() -> None:
    for ask in ASKS:
        begin = monotonic()
        assert choose(ask) in ask.moves, ask.id
        assert ask.time is None or (monotonic() - begin) * 1000 < ask.time.allowed_ms, ask.id


def test_the_same_ask_gets_the_same_move() -> None:
    for ask in ASKS:
        assert choose(ask) == choose(ask), ask.id


if __name__ == "__main__":
    test_there_is_an_ask_of_every_game_that_the_bot_claims()
    test_every_ask_gets_one_of_its_moves_within_its_time()
    test_the_same_ask_gets_the_same_move()
    print(f"{len(ASKS)} asks, all answered with a legal move in time")
