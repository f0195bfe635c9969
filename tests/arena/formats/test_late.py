"""Late entry: the tables, rounds and points of bots that enter after the start."""

from itertools import combinations
from math import comb

import pytest

from splito_arena.formats import (
    Elimination,
    Entrant,
    Gauntlet,
    Past,
    RoundRobin,
    Swiss,
    TableResult,
    expected,
    late_until,
    next_round,
    placing,
)
from splito_arena.formats.types import Round

SEED = "2026"


def entrants(early: int, late: int = 0, since: int = 1) -> list[Entrant]:
    names = [f"bot{number:02}" for number in range(early + late)]
    return [Entrant(name, since=since if number >= early else 0) for number, name in enumerate(names)]


def played(planned: Round | None) -> tuple[TableResult, ...]:
    assert planned is not None
    return tuple(
        TableResult(table, tuple(float(place) for place in range(1, len(table) + 1))) for table in planned.tables
    )


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("late", [1, 2, 3])
def test_a_whole_round_robin_is_completed_by_late_bots(players: int, late: int) -> None:
    kind, all_bots = RoundRobin(), entrants(5, late)
    first = played(next_round(kind, players, all_bots[:5], Past(), SEED))
    second = played(next_round(kind, players, all_bots, Past((first,)), SEED))
    tables = {frozenset(table.bots) for table in (*first, *second)}
    assert tables == {frozenset(table) for table in combinations([one.bot for one in all_bots], players)}
    assert len(first) + len(second) == len(tables) == expected(kind, players, all_bots).tables
    assert next_round(kind, players, all_bots, Past((first, second)), SEED) is None


def test_a_late_bot_plays_about_as_often_as_the_others_of_a_sample() -> None:
    kind, all_bots = RoundRobin(tables=60), entrants(20, 1)
    first = played(next_round(kind, 4, all_bots[:20], Past(), SEED))
    second = played(next_round(kind, 4, all_bots, Past((first,)), SEED))
    assert len(second) == 60 * 4 / 20
    assert all("bot20" in table.bots for table in second)
    assert comb(20, 3) > len({frozenset(table.bots) for table in second}) == len(second)


def test_a_round_robin_without_late_bots_ends_after_its_round() -> None:
    first = played(next_round(RoundRobin(), 2, entrants(4), Past(), SEED))
    assert next_round(RoundRobin(), 2, entrants(4), Past((first,)), SEED) is None


def test_a_late_bot_has_no_points_for_the_rounds_before_it_entered() -> None:
    kind, all_bots = Swiss(rounds=3), entrants(4, 1)
    first = played(next_round(kind, 2, all_bots[:4], Past(), SEED))
    second = played(next_round(kind, 2, all_bots, Past((first,)), SEED))
    seated = {bot for table in second for bot in table.bots}
    assert "bot04" in seated, "a bot that has not played rests last"
    found = placing(kind, 2, all_bots, Past((first, second)), SEED)
    points = {line.bot: line.points for line in found.lines}
    won = {table.bots[0] for table in second}
    assert points["bot04"] == (1.0 if "bot04" in won else 0.0)
    resting = next(bot for bot in points if bot not in seated)
    assert points[resting] == (1.0 if resting in {table.bots[0] for table in first} else 0.0) + 0.5


def test_the_number_of_swiss_rounds_follows_from_the_bots_of_the_start() -> None:
    assert expected(Swiss(), 2, entrants(4)).rounds == expected(Swiss(), 2, entrants(4, 5)).rounds == 2


UNTIL = {
    "the last round of a Swiss tournament": (Swiss(rounds=5), 5),
    "the second round of a round robin": (RoundRobin(), 2),
    "never in an elimination": (Elimination(), 0),
    "never in a gauntlet": (Gauntlet(bot="bot00"), 0),
}


@pytest.mark.parametrize("case", UNTIL)
def test_late_entry_ends_with(case: str) -> None:
    kind, number = UNTIL[case]
    assert late_until(kind, 2, entrants(4)) == number
