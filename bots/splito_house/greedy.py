"""A bot for any game that looks one move ahead: at the scores as if the match ended right after the move.

The bot imagines one state that has its view, lets every other actor move at random there, and chooses the move after
which its lead over the best rival is largest.
"""

from random import Random
from typing import Any

from splito_engine.game import Scores, Seat
from splito_engine.player import Ask
from splito_engine.registry import find_game


def choose(ask: Ask) -> Any:
    """Return the move with the largest lead; one of them at random in a tie."""
    game, rng = find_game(ask.game), Random(ask.seed)
    state = game.imagine(ask.view, rng)
    others = {seat: rng.choice(game.moves(state, seat)) for seat in game.actors(state) if seat != ask.seat}

    def worth(move: Any) -> tuple[int, ...]:
        after = game.apply(state, {**others, ask.seat: game.from_wire(state, move)})
        return _standing(game.scores(after), ask.seat)

    worths = [worth(move) for move in ask.moves]
    best = max(worths)
    return rng.choice([move for move, value in zip(ask.moves, worths, strict=True) if value == best])


def _standing(scores: Scores, seat: Seat) -> tuple[int, ...]:
    """Return the seat's lead over the best rival, if there is one, then its tie-breakers."""
    points, *tie_breakers = scores[seat]
    rival = max((other[0] for place, other in enumerate(scores) if place != seat), default=0)
    return points - rival, *tie_breakers
