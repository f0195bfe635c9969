"""The ladder over hundreds of rounds: every bot plays, no bot plays more than others, owners stay apart."""

from collections import Counter
from itertools import pairwise
from statistics import fmean

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splito_arena.formats import Entrant, Ladder, Past, Round, expected, next_round, waits
from tests.arena.formats.formats_played import by_rating, climbed, field, met
from tests.conftest import QUICK

several = settings(max_examples=3 if QUICK else 10, deadline=None)


def games(past: Past, entrants: tuple[Entrant, ...]) -> list[int]:
    played = Counter(bot for tables in past.rounds for table in tables for bot in table.bots)
    return [played[one.bot] for one in entrants]


def longest_wait(past: Past, entrants: tuple[Entrant, ...]) -> int:
    """Return the most rounds in a row in which an entrant had no table."""
    longest = 0
    for one in entrants:
        sat = [number for number, tables in enumerate(past.rounds) if any(one.bot in table.bots for table in tables)]
        longest = max(longest, *(after - before - 1 for before, after in pairwise([-1, *sat, len(past.rounds)])))
    return longest


def tables(past: Past) -> list[tuple[str, ...]]:
    return [table.bots for planned in past.rounds for table in planned]


def over_quota(past: Past, kind: Ladder) -> int:
    """How many pairs were over it, over all windows."""
    windows = (past.rounds[first : first + kind.window] for first in range(len(past.rounds)))
    counts = (met([table.bots for planned in window for table in planned]).values() for window in windows)
    return sum(times > kind.quota for count in counts for times in count)


@several
@given(st.integers(2, 6), st.integers(0, 40), st.integers(1, 8), st.integers(1, 6))
def test_no_bot_waits_longer_than_the_age_and_all_play_about_equally_often(
    players: int, more: int, age: int, number: int
) -> None:
    """Bots play equally often if no quota is in the way; no bot waits longer than the age in any case."""
    entrants = field(players + more, owners=players + more)
    past, free = (climbed(Ladder(age=age, tables=number, quota=quota), players, entrants, 100) for quota in (3, 200))
    assert max(longest_wait(past, entrants), longest_wait(free, entrants)) <= age
    assert max(games(free, entrants)) - min(games(free, entrants)) <= 4
    assert max(games(past, entrants)) - min(games(past, entrants)) <= 8


@several
@given(st.integers(2, 5), st.integers(24, 60), st.integers(8, 20))
def test_no_two_bots_of_one_owner_sit_at_one_table(players: int, bots: int, owners: int) -> None:
    entrants = field(bots, owners=owners)
    owner = {one.bot: one.owner for one in entrants}
    past = climbed(Ladder(), players, entrants, 100)
    assert all(len({owner[bot] for bot in table}) == players for table in tables(past))
    assert longest_wait(past, entrants) <= 10


def test_bots_of_one_owner_may_sit_together_if_the_organiser_allows_it() -> None:
    entrants = field(12, owners=4)
    past = climbed(Ladder(same_owner=True, wide=1), 4, entrants, 50)
    owner = {one.bot: one.owner for one in entrants}
    assert any(len({owner[bot] for bot in table}) < 4 for table in tables(past))


@pytest.mark.parametrize(("players", "bots"), [(2, 30), (3, 40), (4, 50), (5, 90)])
def test_two_bots_meet_no_more_often_than_their_quota(players: int, bots: int) -> None:
    kind = Ladder(quota=2, window=20)
    past = climbed(kind, players, field(bots), 200)
    assert over_quota(past, kind) == 0


def test_bots_of_about_the_same_rating_meet_and_at_wide_tables_all_do() -> None:
    def spread(wide: float) -> float:
        past = climbed(Ladder(wide=wide), 4, field(60), 200)
        return fmean(int(max(table)[1:]) - int(min(table)[1:]) for table in tables(past))

    near, mixed, wide = spread(0), spread(0.25), spread(1)
    assert near < mixed < wide
    assert near < wide / 2


def test_with_two_owners_only_they_sit_two_and_two_and_nothing_stalls() -> None:
    entrants = field(12, owners=2)
    owner = {one.bot: one.owner for one in entrants}
    past = climbed(Ladder(), 4, entrants, 100)
    assert all(len(planned) == 3 for planned in past.rounds)
    assert {tuple(sorted(Counter(owner[bot] for bot in table).values())) for table in tables(past)} == {(2, 2)}


def test_an_owner_with_most_of_the_bots_waits_rather_than_playing_against_itself() -> None:
    """Its bots take turns at the one table that can be filled in each round."""
    entrants = tuple(Entrant(f"b{number:03}", owner="flood" if number < 20 else f"o{number}") for number in range(24))
    owner = {one.bot: one.owner for one in entrants}
    past = climbed(Ladder(age=5), 4, entrants, 120)
    assert all(sum(owner[bot] == "flood" for bot in table) <= 1 for table in tables(past))
    assert all(planned for planned in past.rounds)
    assert max(games(past, entrants)[:20]) - min(games(past, entrants)[:20]) <= 1


def test_house_bots_have_no_owner_and_may_sit_together() -> None:
    assert all(climbed(Ladder(), 4, field(4), 10).rounds)


def test_a_late_bot_plays_in_every_round_until_it_has_caught_up() -> None:
    past = climbed(Ladder(), 4, field(30), 40)
    waited = waits([*(one.bot for one in field(30)), "late"], past)
    assert waited["late"] == 40
    entrants = [Entrant(one.bot, rating=one.rating, games=20, waited=waited[one.bot]) for one in field(30)]
    planned = next_round(Ladder(), 4, [*entrants, Entrant("late", waited=40)], past, "seed")
    assert planned is not None
    assert any("late" in table for table in planned.tables)


def test_inactive_bots_have_no_table_and_too_few_bots_have_none() -> None:
    entrants = [Entrant("a"), Entrant("b"), Entrant("c"), Entrant("d", active=False)]
    assert next_round(Ladder(), 4, entrants, Past(), "seed") == Round((), 1)
    back = [*entrants[:3], Entrant("d")]
    planned = next_round(Ladder(), 4, back, Past(), "seed")
    assert planned is not None
    assert len(planned.tables) == 1


def test_there_are_more_tables_if_a_bot_would_wait_too_long() -> None:
    entrants = [msgspec.structs.replace(one, waited=3) for one in field(40)]
    assert expected(Ladder(tables=1, age=3), 4, entrants).tables == 10
    assert expected(Ladder(tables=1, age=4), 4, entrants).tables == 3


def test_no_bot_waits_longer_than_the_window() -> None:
    """A result that is not told cannot be counted."""
    kind, entrants = Ladder(age=50, window=5, tables=1), field(40)
    assert longest_wait(climbed(kind, 4, entrants, 60), entrants) <= 5


def test_the_past_and_the_seed_decide_each_round() -> None:
    one, again, other = (climbed(Ladder(), 4, field(30), 20, seed) for seed in ("a", "a", "b"))
    assert one == again != other


def test_rounds_that_are_left_out_of_the_past_are_counted() -> None:
    """Otherwise a long ladder would draw the same luck again and again."""
    recent = Past(tuple((by_rating(("b000", "b001", "b002", "b003")),) for _ in range(20)))
    one, other = (next_round(Ladder(wide=1), 4, field(30), Past(recent.rounds, before), "seed") for before in (0, 7))
    assert one != other
