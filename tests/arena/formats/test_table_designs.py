"""Round robins that are too large to be played in full are still fair: counted for many sizes."""

from collections import Counter
from itertools import combinations
from math import comb

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from splito_arena.formats.table_designs import Table, design

BIBD = {
    (7, 3, 7): 1,
    (13, 4, 13): 1,
    (13, 3, 26): 1,
    (7, 4, 7): 2,
    (11, 5, 11): 2,
    (6, 2, 15): 1,
    (8, 4, 70): 15,
}
"""Bots, bots at a table, tables: where every pair can meet equally often, and how often."""


def games(bots: int, tables: tuple[Table, ...]) -> list[int]:
    played = Counter(bot for table in tables for bot in table)
    return [played[bot] for bot in range(bots)]


def meetings(bots: int, tables: tuple[Table, ...]) -> list[int]:
    met = Counter(pair for table in tables for pair in combinations(table, 2))
    return [met[pair] for pair in combinations(range(bots), 2)]


@st.composite
def sizes(draw: st.DrawFn, most_bots: int = 40, most_players: int = 8) -> tuple[int, int, int]:
    bots = draw(st.integers(2, most_bots))
    size = draw(st.integers(1, min(bots, most_players)))
    return bots, size, draw(st.integers(1, min(comb(bots, size), 300)))


@settings(max_examples=30, deadline=None)
@given(sizes())
def test_numbers_of_tables_of_two_bots_differ_by_at_most_one(sizes: tuple[int, int, int]) -> None:
    bots, size, tables = sizes
    planned = design(bots, size, tables)
    played = games(bots, planned)
    assert len(planned) == tables
    assert max(played) - min(played) <= 1


@settings(max_examples=30, deadline=None)
@given(sizes())
def test_no_table_is_planned_twice_and_all_are_of_different_bots(sizes: tuple[int, int, int]) -> None:
    bots, size, tables = sizes
    planned = design(bots, size, tables)
    assert len({*planned}) == tables
    assert all(len({*table}) == size and {*table} <= {*range(bots)} for table in planned)


@settings(max_examples=30, deadline=None)
@example((36, 4, 211))
@example((57, 3, 6889))
@given(sizes(most_players=4))
def test_hardly_a_pair_of_up_to_four_meets_more_than_once_more_often_than_another(sizes: tuple[int, int, int]) -> None:
    """One more is the least there can be unless all are equal, which it takes a rare design to have."""
    bots, size, tables = sizes
    met = meetings(bots, design(bots, size, tables))
    assert not met or max(met) - min(met) <= 4
    fair = sum(met) // max(1, len(met))
    assert sum(times not in {fair, fair + 1} for times in met) <= len(met) / 5


@pytest.mark.parametrize(("sizes", "times"), BIBD.items())
def test_every_pair_meets_equally_often_where_that_is_easy(sizes: tuple[int, int, int], times: int) -> None:
    assert {*meetings(sizes[0], design(*sizes))} == {times}


@pytest.mark.parametrize("bots", [50, 97, 200, 1000])
def test_in_a_large_field_no_pair_meets_twice_while_there_are_other_pairs(bots: int) -> None:
    assert max(meetings(bots, design(bots, 4, 2 * bots))) == 1


@pytest.mark.parametrize(("bots", "size"), [(4, 4), (6, 3), (8, 4), (9, 2)])
def test_all_tables_are_played_if_there_are_no_more_than_wanted(bots: int, size: int) -> None:
    assert {*design(bots, size, 1000)} == {*combinations(range(bots), size)}


def test_a_table_left_out_changes_balance_by_one_at_most() -> None:
    planned = design(8, 4, 69)
    assert sorted(Counter(games(8, planned)).items()) == [(34, 4), (35, 4)]
