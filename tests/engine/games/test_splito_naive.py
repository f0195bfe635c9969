"""Random games of Splito, scored by the engine and by a naive scorer that was written from the clauses alone."""

from collections.abc import Iterator
from random import Random

import pytest

from splito_engine.games import splito
from tests.conftest import LONG_RUNS, QUICK
from tests.engine.games.naive_splito import naive_scores

BATCH = 300 if QUICK else 1_000
GAMES = BATCH * (1 if QUICK else 10 if LONG_RUNS else 3)
"""Games for every number of players; `make journeys` plays 10,000."""


def random_game(players: int, seed: str) -> Iterator[splito.State]:
    """Yield the state after every round."""
    choice = Random(seed).choice
    state = splito.setup(players, seed, splito.Options())
    while seats := splito.actors(state):
        state = splito.apply(state, {seat: choice(splito.moves(state, seat)) for seat in seats})
        yield state


def scored_naively(state: splito.State) -> list[tuple[int, int]]:
    table = splito.view(state, None)
    return naive_scores(table.players, list(table.commons), list(map(list, table.zones)))


@pytest.mark.clause("S4", "S12", "S13", "S14", "S15", "S16", "S19")
@pytest.mark.parametrize("first", range(0, GAMES, BATCH))
@pytest.mark.parametrize("players", range(2, 9))
def test_random_games_score_what_the_naive_scorer_says(players: int, first: int) -> None:
    for number in range(first, first + BATCH):
        states = list(random_game(players, f"{number}"))
        for state in states[::-4] if number % 10 == 0 else states[-1:]:
            assert list(splito.scores(state)) == scored_naively(state), f"{players} players, seed {number}"
