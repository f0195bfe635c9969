"""The planner for Splitter: plays legally, scores well, and always finds the best last move."""

from random import Random
from statistics import mean

import pytest

from splito_engine.games import splitter
from splito_engine.games.splitter import SplitterMove, SplitterOptions, SplitterState
from splito_engine.games.splitter.sheets import SheetName
from splito_engine.player import ask
from splito_house.planner.splitter import choose

LAST_PAIRS: dict[str, tuple[SheetName, str, tuple[int, int], str]] = {
    "two groups are completed, not broken": (
        "A",
        """
        ..2__5..
        .133555.
        66344331
        66445536
        66555666
        .224466.
        ..1441..
        """,
        (5, 2),
        "a4=2",
    ),
    "the third heart gets the number of the others": (
        "B",
        """
        225..241
        15553244
        .451334.
        .46..21.
        .46__26.
        24644466
        266..666
        """,
        (4, 6),
        "e4=6",
    ),
}


def play(players: int, seed: str, sheet: SheetName) -> tuple[int, ...]:
    """Return the points of each seat after a whole match; `apply` refuses an illegal move."""
    state = splitter.setup(players, seed, SplitterOptions(sheet=sheet))
    while seats := splitter.actors(state):
        state = splitter.apply(state, {seat: _choose(state, seat) for seat in seats})
    return tuple(points for (points,) in splitter.scores(state))


def last_round(seed: int, sheet: SheetName) -> SplitterState:
    """Return a random state with one roll left, and so one free pair."""
    rng = Random(seed)
    state = splitter.setup(1, str(seed), SplitterOptions(sheet=sheet))
    while len(state.rolls) > 1:
        state = splitter.apply(state, {0: rng.choice(splitter.moves(state, 0))})
    return state


def _choose(state: SplitterState, seat: int) -> SplitterMove:
    return choose(ask(splitter, state, seat, len(state.sheets), "any"))


def _points_after(state: SplitterState, move: SplitterMove) -> int:
    return splitter.scores(splitter.apply(state, {0: move}))[0][0]


@pytest.mark.parametrize(("sheet", "at_least"), [("A", 34), ("B", 36)])
def test_the_planner_scores_well_in_solo_splitter(sheet: SheetName, at_least: int) -> None:
    assert mean(play(1, str(seed), sheet)[0] for seed in range(40)) >= at_least


@pytest.mark.parametrize("sheet", ["A", "B"])
def test_the_planner_plays_legal_moves_and_the_same_in_every_seat(sheet: SheetName) -> None:
    assert len(set(play(3, "three", sheet))) == 1


@pytest.mark.parametrize("case", LAST_PAIRS)
def test_the_planner_finds_the_obvious_last_move(case: str) -> None:
    sheet, picture, roll, best = LAST_PAIRS[case]
    state = SplitterState(SplitterOptions(sheet=sheet), (roll,), ("".join(picture.split()),))
    assert splitter.move_text(_choose(state, 0)) == best


@pytest.mark.parametrize("sheet", ["A", "B"])
@pytest.mark.parametrize("seed", range(50))
def test_no_last_move_is_better_than_that_of_the_planner(seed: int, sheet: SheetName) -> None:
    state = last_round(seed, sheet)
    assert _points_after(state, _choose(state, 0)) == max(
        _points_after(state, move) for move in splitter.moves(state, 0)
    )
