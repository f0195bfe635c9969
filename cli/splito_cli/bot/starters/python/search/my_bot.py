"""A bot that searches: it imagines the hidden cards, plays on at random to the end, and takes the best move."""

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, inf, log2
from random import Random
from statistics import fmean
from time import monotonic
from typing import Any, NamedTuple

import msgspec

from splito_bot import AnyAsk, AnyMove, BotInfo
from splito_engine.game import AnyGame, Seat
from splito_engine.registry import find_game

INFO = BotInfo(name="MY-BOT", author="me", version="1", games=["splito", "splitit", "splitter"])

SHARE = 0.02
"""Share of the free time of a turn (`ask.time.turn_ms`) that the search takes. With more of it the bot is better, and
`splito bot check` takes longer: add `--limit 600`."""
USUAL_MS = 1000  # free time of a turn in a match without a clock


class Turn(NamedTuple):
    """A turn as the search needs it. View and moves are JSON, because SDK and engine have types of their own."""

    game: str
    seat: Seat
    seed: str
    view: bytes
    moves: bytes
    seconds: float


def choose(ask: AnyAsk) -> AnyMove:
    seconds = SHARE * (ask.time.turn_ms if ask.time else USUAL_MS) / 1000
    view, moves = msgspec.json.encode(ask.view), msgspec.json.encode(ask.moves)
    return ask.moves[best_index(Turn(ask.game, ask.seat, ask.seed, view, moves, seconds))]


@lru_cache(1024)  # an ask that comes again gets the same answer, though there may be time for more matches now
def best_index(turn: Turn) -> int:
    """Return the index of the best move, by sequential halving: each stage tries the better half of the last one."""
    game, rng = find_game(turn.game), Random(turn.seed)
    view = msgspec.json.decode(turn.view, type=game.View)
    moves = msgspec.json.decode(turn.moves, type=list[game.Move])
    leads: list[list[int]] = [[] for _ in moves]
    left = rng.sample(range(len(moves)), len(moves))  # mixed, because the time may be over before all were tried
    begin, stages = monotonic(), ceil(log2(len(moves)))
    for stage in range(1, stages + 1):
        end = begin + turn.seconds * stage / stages
        while monotonic() < end:
            world = game.imagine(view, rng)  # the same for all moves, which makes them easier to compare
            for index in left:
                leads[index].append(lead_at_the_end(game, world, turn.seat, moves[index], rng))
                if monotonic() >= end:
                    break
        left.sort(key=lambda index: fmean(leads[index]) if leads[index] else -inf, reverse=True)
        del left[ceil(len(left) / 2) :]
    return left[0]


def lead_at_the_end(game: AnyGame, world: Any, seat: Seat, move: Any, rng: Random) -> int:
    """Return the seat's points less those of its best rival, after the move and a random rest of the match."""
    chosen = {seat: game.from_wire(world, move)}
    while actors := game.actors(world):
        world = game.apply(world, {one: rng.choice(game.moves(world, one)) for one in actors} | chosen)
        chosen = {}
    return lead(game.scores(world), seat)


def lead(scores: Sequence[tuple[int, ...]], seat: Seat) -> int:
    return scores[seat][0] - max((other[0] for place, other in enumerate(scores) if place != seat), default=0)
