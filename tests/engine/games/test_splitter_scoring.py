"""Scores of Splitter sheets, in pictures."""

from collections import Counter
from random import Random
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splito_engine.games import splitter
from splito_engine.games.splitter import SplitterMove, SplitterOptions, SplitterState
from splito_engine.games.splitter.sheets import PADS, SheetName

SHEETS: tuple[SheetName, ...] = get_args(SheetName)

BEST: dict[SheetName, str] = {
    "A": "..2255.. .133555. 66344331 66445536 66555666 .224466. ..1441..",
    "B": "225..241 15553244 .451334. .46..21. .466426. 24644466 266..666",
}


def over(sheet: SheetName, *pictures: str) -> SplitterState:
    """Return a finished match with these sheets."""
    return SplitterState(SplitterOptions(sheet), (), tuple("".join(picture.split()) for picture in pictures))


PICTURES: dict[tuple[str, SheetName, int, str], str] = {
    ("T4", "A", 0, "a blank sheet scores nothing"): """
        . . _ _ _ _ . .
        . _ _ _ _ _ _ .
        _ _ _ _ _ _ _ _
        _ _ _ _ _ _ _ _
        _ _ _ _ _ _ _ _
        . _ _ _ _ _ _ .
        . . _ _ _ _ . .
    """,
    ("T4", "A", 1 + 2 + 3 + 4 + 5 + 6, "one group of every number in its exact size"): """
        . . 1 _ 2 2 . .
        . 3 3 3 _ 4 4 .
        _ _ _ _ _ _ 4 4
        _ 5 5 5 5 5 _ _
        _ _ _ _ _ _ _ _
        . 6 6 6 6 6 _ .
        . . _ 6 _ _ . .
    """,
    ("T4", "A", 0, "groups that are one cell too small"): """
        . . _ _ 2 _ . .
        . 3 3 _ _ 4 4 .
        _ _ _ _ _ _ 4 _
        _ 5 5 5 5 _ _ _
        _ _ _ _ _ _ _ _
        . 6 6 6 _ _ _ .
        . . 6 6 _ _ . .
    """,
    ("T4", "A", 0, "groups that are one cell too large"): """
        . . 1 1 _ _ . .
        . _ _ _ 2 2 2 .
        3 3 3 3 _ _ _ _
        _ _ _ _ 4 4 4 4
        _ 5 5 5 _ _ _ 4
        . 5 5 5 _ 6 6 .
        . . _ 6 6 6 . .
    """,
    ("T4", "A", 2 + 4, "groups across the centre line"): """
        . . _ _ _ _ . .
        . _ _ _ _ _ _ .
        _ _ _ 2 2 _ _ _
        _ _ _ _ _ _ _ _
        _ _ 3 3 3 3 _ _
        . _ _ 4 4 _ _ .
        . . _ 4 4 _ . .
    """,
    ("T4", "A", 3 + 5, "groups with bends"): """
        . . _ _ 3 _ . .
        . _ _ _ 3 3 _ .
        _ _ _ _ _ _ _ _
        _ 5 _ _ _ _ _ _
        _ 5 5 5 _ _ _ _
        . _ 5 _ _ _ _ .
        . . _ _ _ _ . .
    """,
    ("T4", "A", 5 * 1, "corners do not connect"): """
        . . 1 _ 1 _ . .
        . 1 _ 1 _ 1 _ .
        _ _ _ _ _ _ _ _
        _ 2 _ _ _ _ _ _
        _ _ 2 _ _ _ _ _
        . _ _ _ _ _ _ .
        . . _ _ _ _ . .
    """,
    ("T4", "A", 2 + 2, "corners do not make a group too large"): """
        . . _ _ _ _ . .
        . 2 2 _ _ _ _ .
        _ _ _ 2 2 _ _ _
        _ _ _ _ _ _ _ _
        _ _ _ _ _ _ _ _
        . _ _ _ _ _ _ .
        . . _ _ _ _ . .
    """,
    ("T4", "A", 4 * 3, "any number of groups of the same number"): """
        . . 3 3 _ _ . .
        . _ 3 _ 3 3 _ .
        _ _ _ _ _ 3 _ _
        _ 3 3 _ _ _ _ _
        _ 3 _ _ _ 3 _ _
        . _ _ _ 3 3 _ .
        . . _ _ _ _ . .
    """,
    ("T4", "B", 0, "a gap in the sheet does not connect"): """
        _ _ 2 . . 2 _ _
        _ _ _ _ _ _ _ _
        . _ _ _ _ _ _ .
        . _ _ . . _ _ .
        . _ _ _ _ _ _ .
        _ _ _ _ _ _ _ _
        _ _ _ . . _ _ _
    """,
    ("T4", "B", 0, "the end of a row does not touch the start of the next"): """
        _ _ _ . . _ _ 2
        2 _ _ _ _ _ _ _
        . _ _ _ _ _ _ .
        . _ _ . . _ _ .
        . _ _ _ _ _ _ .
        _ _ _ _ _ _ _ _
        _ _ _ . . _ _ _
    """,
    ("T5", "A", 2 * 4 + 2 * 2, "a star doubles the group that covers it"): """
        . . _ _ _ _ . .
        . _ _ _ _ _ _ .
        _ _ _ _ _ _ _ 2
        4 4 4 _ _ _ _ 2
        4 _ _ _ _ _ _ _
        . _ _ _ _ _ _ .
        . . _ _ _ _ . .
    """,
    ("T5", "A", 2 + 2 * 1, "a star doubles no other group"): """
        . . _ _ _ _ . .
        . _ _ _ _ _ _ .
        2 2 _ _ _ _ _ _
        3 3 _ _ _ _ _ 1
        _ _ _ _ _ _ _ _
        . _ _ _ _ _ _ .
        . . _ _ _ _ . .
    """,
    ("T5", "A", 0, "a star does not save a group of the wrong size"): """
        . . _ _ _ _ . .
        . _ _ _ _ _ _ .
        _ _ _ _ _ _ _ 2
        4 4 _ _ _ _ _ 2
        4 _ _ _ _ _ _ 2
        . _ _ _ _ _ _ .
        . . _ _ _ _ . .
    """,
    ("T5", "B", 2 * 2 + 2 * 3, "the stars of sheet B are in the bottom row"): """
        _ _ _ . . _ _ _
        _ _ _ _ _ _ _ _
        . _ _ _ _ _ _ .
        . _ _ . . _ _ .
        . _ _ _ _ _ _ .
        _ _ _ _ _ _ 3 _
        2 2 _ . . 3 3 _
    """,
    ("T6", "B", 5, "hearts alike, in groups that score nothing"): """
        _ _ _ . . _ 6 _
        _ _ _ _ _ _ _ _
        . 6 _ _ _ _ _ .
        . _ _ . . _ _ .
        . _ _ _ 6 _ _ .
        _ _ _ _ _ _ _ _
        _ _ _ . . _ _ _
    """,
    ("T6", "B", 5 + 3 * 1, "hearts alike, in groups that score"): """
        _ _ _ . . _ 1 _
        _ _ _ _ _ _ _ _
        . 1 _ _ _ _ _ .
        . _ _ . . _ _ .
        . _ _ _ 1 _ _ .
        _ _ _ _ _ _ _ _
        _ _ _ . . _ _ _
    """,
    ("T6", "B", 0, "two hearts alike, the third one free"): """
        _ _ _ . . _ 6 _
        _ _ _ _ _ _ _ _
        . 6 _ _ _ _ _ .
        . _ _ . . _ _ .
        . _ _ _ _ _ _ .
        _ _ _ _ _ _ _ _
        _ _ _ . . _ _ _
    """,
    ("T6", "B", 0, "two hearts alike, the third one different"): """
        _ _ _ . . _ 6 _
        _ _ _ _ _ _ _ _
        . 6 _ _ _ _ _ .
        . _ _ . . _ _ .
        . _ _ _ 5 _ _ .
        _ _ _ _ _ _ _ _
        _ _ _ . . _ _ _
    """,
    ("T6", "A", 0, "sheet A has no hearts"): """
        . . _ _ _ 6 . .
        . _ _ _ _ _ _ .
        _ 6 _ _ _ _ _ _
        _ _ _ _ _ _ _ _
        _ _ _ _ 6 _ _ _
        . _ _ _ _ _ _ .
        . . _ _ _ _ . .
    """,
}

CASES = [
    pytest.param(sheet, points, picture, id=name, marks=pytest.mark.clause(clause))
    for (clause, sheet, points, name), picture in PICTURES.items()
]


@pytest.mark.parametrize(("sheet", "points", "picture"), CASES)
def test_a_drawn_sheet_has_the_expected_points(sheet: SheetName, points: int, picture: str) -> None:
    assert splitter.scores(over(sheet, picture)) == ((points,),)


@pytest.mark.clause("T8")
@pytest.mark.parametrize(("sheet", "points"), [("A", 56), ("B", 61)])
def test_the_maximum_can_be_played_with_the_right_dice(sheet: SheetName, points: int) -> None:
    target = "".join(BEST[sheet].split())
    steps = [(place, int(target[left]), int(target[right])) for place, (left, right) in PADS[sheet].pairs.items()]
    Random(8).shuffle(steps)
    state = SplitterState(SplitterOptions(sheet), tuple((b, a) for _, a, b in steps), (PADS[sheet].blank,))
    for (row, column), left, _ in steps:
        state = splitter.apply(state, {0: SplitterMove(row, column, left)})
    assert state.sheets == (target,)
    assert splitter.scores(state) == ((points,),)


@pytest.mark.clause("T7")
def test_points_decide_and_equal_points_share_the_place() -> None:
    blank = PADS["B"].blank
    first, second, third = splitter.scores(over("B", BEST["B"], blank, BEST["B"]))
    assert first > second
    assert first == third


def naive_points(sheet: SheetName, written: str) -> int:
    """Return the score by another algorithm: every cell takes the smallest label around it until no label changes."""
    numbers = {(i // 8, i % 8): int(mark) for i, mark in enumerate(written) if mark in "123456"}
    label = {place: place for place in numbers}
    while True:
        smaller = {place: min(label[near] for near in touching(place, numbers)) for place in numbers}
        if smaller == label:
            break
        label = smaller
    stars = {"A": {(3, 0), (3, 7)}, "B": {(6, 1), (6, 6)}}[sheet]
    starred = {label[star] for star in stars if star in label}
    sizes = Counter(label.values())
    groups = sum(numbers[name] * (1 + (name in starred)) for name, size in sizes.items() if size == numbers[name])
    one, two, three = (numbers.get(heart) for heart in ((0, 6), (2, 1), (4, 4)))
    bonus = 5 if sheet == "B" and one is not None and one == two == three else 0
    return groups + bonus


def touching(place: tuple[int, int], numbers: dict[tuple[int, int], int]) -> list[tuple[int, int]]:
    """Return the cell and its neighbours with the same number."""
    row, column = place
    around = ((row, column), (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return [near for near in around if numbers.get(near) == numbers[place]]


@st.composite
def written_sheets(draw: st.DrawFn, marks: str) -> tuple[SheetName, str]:
    """Draw a sheet; few different numbers make large groups, many make small ones."""
    sheet = draw(st.sampled_from(SHEETS))
    some = st.sampled_from(draw(st.sampled_from([marks, marks[:3], marks[-3:]])))
    return sheet, "".join("." if mark == "." else draw(some) for mark in PADS[sheet].blank)


@pytest.mark.clause("T4", "T5", "T6")
@given(written_sheets("123456"))
def test_full_sheets_score_what_a_naive_scorer_says(case: tuple[SheetName, str]) -> None:
    assert splitter.scores(over(*case)) == ((naive_points(*case),),)


@pytest.mark.clause("T4", "T5", "T6")
@given(written_sheets("123_456"))
def test_sheets_with_free_cells_score_what_a_naive_scorer_says(case: tuple[SheetName, str]) -> None:
    assert splitter.scores(over(*case)) == ((naive_points(*case),),)
