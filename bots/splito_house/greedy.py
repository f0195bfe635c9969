"""Looks one move ahead, in any game: what would the scores be if the match ended right after it?

It imagines one state that looks like its view, lets every other actor move at random there, and takes the own move that
leads the best rival by most, or trails by least.
"""

from random import Random
from typing import Any

from splito_engine.game import Scores, Seat
from splito_engine.player import Ask
from splito_engine.registry import find_game


def choose(ask: Ask) -> Any:
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
    """Own points less those of the best rival, if there is one; then the own tie-breakers."""
    points, *tie_breakers = scores[seat]
    rival = max((other[0] for place, other in enumerate(scores) if place != seat), default=0)
    return points - rival, *tie_breakers
