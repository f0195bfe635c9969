"""Formats that come to an end: as many games as announced, full tables, and no waiting for a bot."""

from collections import Counter
from math import ceil, comb
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splito_arena.formats import (
    Elimination,
    Entrant,
    Expected,
    Format,
    Gauntlet,
    Past,
    RoundRobin,
    Swiss,
    TableResult,
    expected,
    next_round,
    placing,
)
from tests.arena.formats.formats_played import by_rating, field, met, played, somehow
from tests.conftest import QUICK

FIXED: dict[str, Format] = {
    "round robin": RoundRobin(blocks=2),
    "round robin, few tables": RoundRobin(tables=30),
    "gauntlet": Gauntlet(bot="b001", tables=40),
    "swiss": Swiss(blocks=3),
    "swiss, many rounds": Swiss(rounds=9),
    "single elimination": Elimination(),
    "single elimination, one goes on": Elimination(advance=1),
    "double elimination": Elimination(double=True),
    "double elimination, one goes on": Elimination(double=True, advance=1),
}
SIZES = st.tuples(st.integers(2, 6), st.integers(0, 30)).map(lambda drawn: (drawn[0], drawn[0] + drawn[1]))
"""Players of a table, and bots."""
several = settings(max_examples=3 if QUICK else 10, deadline=None)


@pytest.mark.parametrize("kind", FIXED.values(), ids=FIXED)
@several
@given(SIZES, st.randoms(use_true_random=False))
def test_a_tournament_has_as_many_tables_as_its_dry_run_says(kind: Format, sizes: tuple[int, int], rng: Random) -> None:
    players, bots = sizes
    told = expected(kind, players, field(bots))
    end = played(kind, players, field(bots), somehow(rng))
    assert told.rounds == len(end.rounds)
    assert told.tables == len(end.tables)
    assert told.blocks == sum(len(planned.tables) * planned.blocks for planned in end.rounds)


@pytest.mark.parametrize("kind", FIXED.values(), ids=FIXED)
@several
@given(SIZES, st.randoms(use_true_random=False))
def test_a_tournament_ends_and_places_every_bot_however_many_drop_out(
    kind: Format, sizes: tuple[int, int], rng: Random
) -> None:
    """A withdrawn entrant gets no table, which is checked in every round."""
    players, bots = sizes
    share = rng.choice((0.03, 0.2, 0.6))
    end = played(kind, players, field(bots), somehow(rng), drop=lambda _: rng.random() < share)
    placed = placing(kind, players, end.entrants, end.past, "seed")
    assert sorted(line.bot for line in placed.lines) in ([one.bot for one in end.entrants], [])


@pytest.mark.parametrize("kind", FIXED.values(), ids=FIXED)
def test_a_tournament_is_over_with_too_few_active_bots(kind: Format) -> None:
    entrants = [Entrant("b000"), Entrant("b001"), Entrant("b002"), Entrant("b003", active=False)]
    assert next_round(kind, 4, entrants, Past(), "seed") is None
    assert next_round(kind, 3, entrants, Past(), "seed") is not None


@pytest.mark.parametrize("kind", FIXED.values(), ids=FIXED)
def test_the_seed_decides_the_draw_and_not_the_order_of_entry(kind: Format) -> None:
    entrants = [Entrant(one.bot) for one in field(13)]
    one, again, other = (
        played(kind, 4, order, by_rating, seed=seed).tables
        for order, seed in ((entrants, "a"), (entrants[::-1], "a"), (entrants, "b"))
    )
    assert one == again != other


@pytest.mark.parametrize(
    ("kind", "players", "bots", "told"),
    [
        (RoundRobin(), 4, 8, Expected(1, 70, 70, 840)),
        (RoundRobin(tables=20, blocks=5), 4, 8, Expected(1, 20, 100, 1200)),
        (Gauntlet(bot="b000"), 2, 8, Expected(1, 7, 7, 14)),
        (Gauntlet(bot="b000"), 4, 8, Expected(1, 35, 35, 420)),
        (Swiss(), 4, 16, Expected(2, 8, 8, 96)),
        (Swiss(rounds=5), 4, 18, Expected(5, 20, 20, 240)),
        (Elimination(), 4, 16, Expected(3, 7, 7, 84)),
        (Elimination(), 2, 8, Expected(3, 7, 7, 14)),
        (Elimination(double=True), 2, 8, Expected(6, 14, 14, 28)),
        (Elimination(double=True), 4, 16, Expected(6, 14, 14, 168)),
    ],
)
def test_the_worked_examples_are_right(kind: Format, players: int, bots: int, told: Expected) -> None:
    assert expected(kind, players, field(bots)) == told


@pytest.mark.parametrize("players", range(2, 7))
def test_a_single_elimination_has_as_many_tables_as_its_formula_says(players: int) -> None:
    for advance in range(1, players):
        for bots in range(players, 30):
            told = expected(Elimination(advance=advance), players, field(bots))
            assert told.tables == ceil((bots - players) / (players - advance)) + 1


def test_in_a_full_round_robin_all_pairs_meet_equally_often() -> None:
    tables = played(RoundRobin(), 4, field(9), by_rating).tables
    assert len({frozenset(table) for table in tables}) == comb(9, 4)
    assert {*met(tables).values()} == {comb(7, 2)}


def test_the_bot_of_a_gauntlet_sits_at_every_table_and_meets_all_bots_equally_often() -> None:
    tables = played(Gauntlet(bot="b003", tables=20), 4, field(11), by_rating).tables
    others = Counter(bot for table in tables for bot in table if bot != "b003")
    assert len(tables) == 20
    assert all("b003" in table for table in tables)
    assert {*others.values()} == {6}


def test_without_its_bot_a_gauntlet_is_over() -> None:
    entrants = [Entrant("b000", active=False), *field(8)[1:]]
    assert next_round(Gauntlet(bot="b000"), 4, entrants, Past(), "seed") is None


def test_winners_meet_winners_in_a_swiss_tournament() -> None:
    end = played(Swiss(rounds=2), 4, field(16), by_rating)
    first, second = (planned.tables for planned in end.rounds)
    assert first[0] == ("b000", "b001", "b002", "b003")
    assert {frozenset(table) for table in second} == {
        frozenset(f"b{number:03}" for number in range(place, 16, 4)) for place in range(4)
    }


@pytest.mark.parametrize(("players", "bots", "rounds"), [(2, 16, 6), (3, 27, 5), (4, 40, 5), (4, 64, 8), (5, 50, 4)])
@several
@given(rng=st.randoms(use_true_random=False))
def test_few_pairs_meet_twice_in_a_large_swiss_tournament(players: int, bots: int, rounds: int, rng: Random) -> None:
    """In one of some hundreds of tournaments there are two who do: exchanges of two bots find nearly all ways out."""
    times = met(played(Swiss(rounds=rounds), players, field(bots), somehow(rng)).tables).values()
    assert sum(times) - len(times) <= 1


@several
@given(SIZES, st.randoms(use_true_random=False))
def test_no_bot_sits_out_twice_before_all_have_once(sizes: tuple[int, int], rng: Random) -> None:
    players, bots = sizes
    end = played(Swiss(rounds=8), players, field(bots), somehow(rng))
    times = Counter({one.bot: 0 for one in end.entrants})
    times.update(bot for table in end.tables for bot in table)
    assert max(times.values()) - min(times.values()) <= 1


def test_a_bot_that_sits_out_gets_half_a_point() -> None:
    """The last of five sits out, and comes between the better and the worse ones of the table."""
    end = played(Swiss(rounds=1), 4, field(5), by_rating)
    assert placing(Swiss(), 4, end.entrants, end.past, "seed").groups == (
        ("b000",),
        ("b001",),
        ("b004",),
        ("b002",),
        ("b003",),
    )


@pytest.mark.parametrize("double", [False, True])
@several
@given(SIZES)
def test_the_best_bot_wins_an_elimination_in_which_the_better_always_wins(double: bool, sizes: tuple[int, int]) -> None:
    players, bots = sizes
    kind = Elimination(double=double)
    end = played(kind, players, field(bots), by_rating)
    assert placing(kind, players, end.entrants, end.past, "seed", final=True).winners == ("b000",)


def test_byes_are_for_the_best_seeds_and_only_in_the_first_round() -> None:
    end = played(Elimination(), 4, field(12), by_rating)
    assert [len(planned.tables) for planned in end.rounds] == [2, 2, 1]
    assert {bot for table in end.rounds[0].tables for bot in table} == {f"b{number:03}" for number in range(4, 12)}


@several
@given(st.integers(2, 6), st.integers(0, 20), st.randoms(use_true_random=False))
def test_a_second_loss_puts_out_and_not_the_first(players: int, more: int, rng: Random) -> None:
    """Only who comes back to fill a table has more losses than that."""
    end = played(Elimination(double=True), players, field(players + more), somehow(rng))
    losses = Counter[str]()
    for tables in end.past.rounds[:-1]:
        for table in tables:
            assert table.places is not None
            losses.update(bot for bot, place in zip(table.bots, table.places, strict=True) if place > players // 2)
    out = {one.bot for one in end.entrants} - {*end.rounds[-1].tables[0]}
    assert sum(losses[bot] < 2 for bot in out) <= players // 2


def test_good_seeds_meet_late() -> None:
    first = played(Elimination(), 4, field(16), by_rating).rounds[0]
    assert [min(table) for table in first.tables] == ["b000", "b001", "b002", "b003"]


def test_the_better_half_of_a_table_goes_on() -> None:
    end = played(Elimination(), 4, field(8), by_rating)
    went_on = {bot for table in end.past.rounds[0] for bot in sorted(table.bots)[:2]}
    assert {*end.rounds[1].tables[0]} == went_on


def test_a_final_is_filled_with_the_best_bots_of_the_round_before() -> None:
    """If a finalist drops out, the better of the two third-placed bots takes its place."""
    kind, entrants = Elimination(), field(8)
    first = next_round(kind, 4, entrants, Past(), "seed")
    assert first is not None
    one, other = first.tables
    past = Past(((TableResult(one, (1.0, 2.0, 3.2, 3.8)), TableResult(other, (1.0, 2.0, 3.0, 4.0))),))
    without = [Entrant(each.bot, rating=each.rating, active=each.bot != one[0]) for each in entrants]
    final = next_round(kind, 4, without, past, "seed")
    assert final is not None
    assert {*final.tables[0]} == {one[1], other[0], other[1], other[2]}


def test_a_final_that_a_bot_dropped_out_of_is_played_by_others() -> None:
    kind, entrants = Elimination(), field(5)
    first = next_round(kind, 4, entrants, Past(), "seed")
    assert first is not None
    past = Past((tuple(by_rating(table) for table in first.tables),))
    second = next_round(kind, 4, entrants, past, "seed")
    assert second is not None
    gone = second.tables[0][0]
    left = [Entrant(each.bot, rating=each.rating, active=each.bot != gone) for each in entrants]
    past = Past((*past.rounds, (TableResult(second.tables[0], None),)))
    again = next_round(kind, 4, left, past, "seed")
    assert again is not None
    assert {*again.tables[0]} == {each.bot for each in entrants} - {gone}
