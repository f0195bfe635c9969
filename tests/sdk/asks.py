"""Real asks: what the arena sends, and as it signs it."""

import itertools
from random import Random
from typing import Any

from splito_arena.match.question import History, Question, question
from splito_arena.net.signing import Key, new_secret, sign
from splito_bot import read_ask
from splito_engine.match import legal_moves, play, start
from splito_engine.player import Time
from splito_engine.registry import find_game

TIME = Time(allowed_ms=60_000, turn_ms=1000, bank_ms=59_000)
NOW = 1_794_830_400
KEY = Key(new_secret())
JSON = {"Content-Type": "application/json"}

_ids = itertools.count()


def question_of(game: str, turn: int = 0, match_id: str = "m1", players: int = 3) -> Question:
    match, rng = start(find_game(game), players, "7"), Random(match_id)
    history = History()
    while len(match.turns) < turn:
        match = play(match, {seat: rng.choice(legal_moves(match, seat)) for seat in match.actors})
    return question(match, match.actors[0], match_id, history, time=TIME)


def ask_of(game: str, turn: int = 0, match_id: str = "m1") -> Any:
    """As a bot gets it."""
    return read_ask(question_of(game, turn, match_id).encoded())


def signed(body: bytes = b"", key: Key = KEY, message_id: str | None = None, now: int = NOW) -> dict[str, str]:
    """The headers of a request; each has another id."""
    return {**sign(key, message_id or f"request-{next(_ids)}", now, body), **JSON}
