"""Tests of the bot: run `pytest` or `python test_my_bot.py`. They need no service: `asks.json` has asks of an arena."""

import time
from base64 import b64encode
from pathlib import Path

from my_bot import ABOUT
from server import answers, read
from signatures import Gate, Refusal, sign

ASKS = read(Path(__file__).with_name("asks.json").read_bytes()).asks
KEY = b"a key of a test, 32 bytes long.."


def test_there_is_an_ask_of_every_game_that_the_bot_claims() -> None:
    assert {ask.game for ask in ASKS} >= {*ABOUT["games"]}


def test_several_asks_get_the_same_legal_moves_as_each_alone() -> None:
    together = answers(ASKS)
    assert [answer["ask"] for answer in together] == [ask.id for ask in ASKS]
    assert together == [answers([ask])[0] for ask in ASKS]
    assert all(0 <= answer["index"] < len(ask.moves) for answer, ask in zip(together, ASKS, strict=True))


def test_only_the_arena_is_let_in_and_each_request_once() -> None:
    now, gate = int(time.time()), Gate([f"whsec_{b64encode(KEY).decode()}"])
    cases = [("one", now, KEY), ("one", now, KEY), ("old", now - 301, KEY), ("two", now, b"another key")]
    assert [verdict(gate, *case) for case in cases] == ["", "replayed", "stale-message", "wrong-signature"]


def verdict(gate: Gate, message_id: str, when: int, key: bytes) -> str:
    """Return the code with which a signed request is refused; nothing if it is let in."""
    headers = {"webhook-id": message_id, "webhook-timestamp": str(when)}
    headers["webhook-signature"] = "v1," + sign(key, f"{message_id}.{when}.".encode() + b"{}")
    try:
        gate.admit(headers, b"{}", time.time())
    except Refusal as refusal:
        return refusal.code
    return ""


if __name__ == "__main__":
    test_there_is_an_ask_of_every_game_that_the_bot_claims()
    test_several_asks_get_the_same_legal_moves_as_each_alone()
    test_only_the_arena_is_let_in_and_each_request_once()
    print(f"{len(ASKS)} asks, all answered with a legal move")
