"""The published table: the same whatever the order of the blocks, and every figure of it by hand."""

from random import Random

import msgspec
import pytest

from splito_arena.blocks.ledger import Entry, placings
from splito_arena.stats.fitted_rating import refit
from splito_arena.stats.intervals import interval, share
from splito_arena.stats.online_rating import leaderboard, replayed
from splito_arena.stats.tournament_table import Line, crosstable, rateable, standings
from tests.arena.tournaments import ledger, written


def by_bot(entries: list[Entry]) -> dict[str, Line]:
    return {line.bot: line for line in standings(entries)}


def test_the_order_of_the_blocks_does_not_change_a_digit() -> None:
    entries = [*ledger(blocks=6)]
    table = standings(entries)
    Random(3).shuffle(entries)
    assert standings(entries) == table


def test_the_best_is_first_and_ratings_are_those_of_the_fit() -> None:
    entries = ledger("greedy random random")
    table, places = standings(entries), rateable(entries)
    assert table[0].bot == "greedy-0@1"
    assert [(line.bot, line.rating, line.group, line.games, line.blocks) for line in table] == [
        (row.bot, row.rating, row.group, row.games, row.blocks) for row in refit(places)
    ]
    online = {row.bot: (row.rating, row.trend) for row in leaderboard(replayed(places))}
    assert {line.bot: (line.online, line.trend) for line in table} == online


def test_points_and_places_are_means_of_blocks_and_wins_a_share_of_games() -> None:
    """Three games in one block and one in another."""
    one = written("1", "ab", (10, 0), (10, 0), (10, 0))
    two = written("2", "ab", (0, 4))
    a = by_bot([one, two])["a"]
    assert (a.points, a.wins, a.place) == (interval([10, 0]), share([[1, 1, 1], [0]]), interval([1, 2]))
    assert (a.games, a.blocks) == (4, 2)


def test_k_winners_share_a_win_and_the_places() -> None:
    table = by_bot([written("1", "abc", (7, 7, 1), (7, 7, 1))])
    assert (table["a"].wins.mean, table["b"].wins.mean, table["c"].wins.mean) == (0.5, 0.5, 0)
    assert (table["a"].place.mean, table["c"].place.mean) == (1.5, 3)


def test_a_replaced_bot_keeps_its_points_and_has_the_last_place() -> None:
    table = by_bot([written("1", "abc", (9, 5, 1), (9, 5, 1), replaced="a", faults="ac")])
    a = table["a"]
    assert (a.points.mean, a.wins.mean, a.place.mean, a.replaced) == (9, 0, 3, 2)
    assert a.faults == table["c"].faults == {"time-out": 2}
    assert table["b"].faults == {}


def test_faults_are_counted_by_their_codes_in_order() -> None:
    entry = written("1", "ab", (1, 0))
    faulty = msgspec.structs.replace(entry.games[0], faults=(("reset", "bad-json", "reset"), ()))
    table = by_bot([msgspec.structs.replace(entry, games=(faulty,))])
    assert [*table["a"].faults.items()] == [("bad-json", 1), ("reset", 2)]


def test_blocks_without_a_rating_do_not_change_the_table() -> None:
    """Skipped ones, and those of experiments, in whose games not everybody sits."""
    entries = [*ledger()]
    skipped = Entry(block="0000-0000-9000", bots=entries[0].bots, skipped="a bot is gone")
    somebody_looks_on = msgspec.structs.replace(entries[0], block="0000-0000-9001", bots=(*entries[0].bots, "x@1"))
    assert placings(somebody_looks_on) is None
    assert standings([*entries, skipped, somebody_looks_on]) == standings(entries)


def test_before_the_first_block_the_table_is_empty() -> None:
    assert standings([]) == ()
    assert crosstable([]) == ()


def test_bots_that_never_met_are_in_different_groups() -> None:
    table = by_bot([written("1", "ab", (2, 1)), written("2", "cde", (3, 2, 1))])
    assert {bot: line.group for bot, line in table.items()} == {"c": 1, "d": 1, "e": 1, "a": 2, "b": 2}


def test_the_crosstable_has_the_share_of_blocks_in_which_a_bot_was_ahead() -> None:
    (pair,) = crosstable([written("1", "ab", (5, 3)), written("2", "ab", (5, 5)), written("3", "ab", (9, 5))])
    assert (pair.one, pair.other, pair.blocks) == ("a", "b", 3)
    assert pair.ahead.mean == pytest.approx(2.5 / 3)
