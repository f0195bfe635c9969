"""Benchmarks of the engine: random play-outs, replaying a record, views, and OpenSpiel's goofspiel beside them."""

from collections.abc import Callable
from importlib import import_module
from itertools import count
from random import Random
from typing import Any

import msgspec

from splito_engine import record
from splito_engine.game import AnyGame
from splito_engine.match import legal_moves, play, start

RNG = Random(1)


def playout(game: AnyGame, players: int) -> Callable[[], object]:
    """Return a function that plays one random match through the public step API, from the deal to the scores."""
    options, seeds, choice = game.Options(), count(), RNG.choice

    def run() -> object:
        state = game.setup(players, str(next(seeds)), options)
        while seats := game.actors(state):
            state = game.apply(state, {seat: choice(game.moves(state, seat)) for seat in seats})
        return game.scores(state)

    return run


def goofspiel(players: int) -> Callable[[], object]:
    """Return the same for OpenSpiel's Python API over its C++ core: 13 cards, random order of the point cards."""
    pyspiel: Any = import_module("pyspiel")  # only `make bench` installs it
    game, choice, choices = pyspiel.load_game(f"goofspiel(players={players})"), RNG.choice, RNG.choices

    def run() -> object:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(choices(outcomes, chances)[0])
            else:
                state.apply_actions([choice(state.legal_actions(seat)) for seat in range(players)])
        return state.returns()

    return run


def goofspiel_short(players: int) -> Callable[[], object]:
    """Return a faster play-out, which takes all outcomes of chance nodes as equally likely; here they are."""
    pyspiel: Any = import_module("pyspiel")
    game, choice = pyspiel.load_game(f"goofspiel(players={players})"), RNG.choice

    def run() -> object:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(choice(state.legal_actions()))
            else:
                state.apply_actions([choice(state.legal_actions(seat)) for seat in range(players)])
        return state.returns()

    return run


def replay(game: AnyGame, players: int) -> Callable[[], object]:
    """Return a function that verifies a record, from its bytes to the result."""
    match = start(game, players, "bench")
    while not match.over:
        match = play(match, {seat: RNG.choice(legal_moves(match, seat)) for seat in match.actors})
    raw = record.encode(record.record_of(match, ("bench",) * players, "0" * 32))
    return lambda: record.verify(raw)


def views(game: AnyGame, players: int) -> Callable[[], object]:
    """Return a function that builds and encodes the view of one seat in the middle of a match."""
    state: Any = game.setup(players, "bench", game.Options())
    for _ in range(6):
        state = game.apply(state, {seat: RNG.choice(game.moves(state, seat)) for seat in game.actors(state)})
    encode = msgspec.json.Encoder().encode
    return lambda: encode(game.view(state, 0))
