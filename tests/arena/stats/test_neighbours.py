"""Results of bots by the neighbours they sat beside."""

from itertools import permutations

import msgspec
import pytest

from splito_arena.blocks.ledger import Entry, Game
from splito_arena.stats.intervals import interval
from splito_arena.stats.neighbours import Beside, neighbours
from tests.arena.tournaments import ledger, written


def beside(*entries: Entry) -> dict[tuple[str, str, str], Beside]:
    return {(one.bot, one.neighbour, one.side): one for one in neighbours(entries)}


def turned(game: Game) -> Game:
    """The same game as it would be told from the other side of the table."""
    record = msgspec.structs.replace(game.record, scores=game.record.scores[::-1])
    return msgspec.structs.replace(game, seating=game.seating[::-1], record=record)


def test_the_left_neighbour_sits_one_seat_before_and_the_last_beside_the_first() -> None:
    """Seats a b c: a has c at its left and b at its right."""
    table = beside(written("1", "abc", (5, 3, 1)))
    assert {key for key in table if key[0] == "a"} == {("a", "c", "left"), ("a", "b", "right")}
    assert table["a", "b", "right"].points.mean == 5
    assert (table["c", "a", "right"].place.mean, table["c", "b", "left"].place.mean) == (3, 3)


def test_sides_are_told_apart_and_gains_are_beside_the_own_mean() -> None:
    """Bot a has 8 points with b at its right and 2 with b at its left: 3 more and 3 less than its mean."""
    one, two = written("1", "abc", (8, 3, 1), (2, 3, 1)).games
    entry = msgspec.structs.replace(written("1", "abc", (8, 3, 1)), games=(one, turned(two)))
    table = beside(entry)
    right, left = table["a", "b", "right"], table["a", "b", "left"]
    assert (right.points.mean, right.gain.mean) == (8, 3)
    assert (left.points.mean, left.gain.mean) == (2, -3)


def test_intervals_are_over_blocks() -> None:
    table = beside(written("1", "abc", (5, 3, 1), (7, 3, 1)), written("2", "abc", (1, 3, 2), (1, 3, 2)))
    a = table["a", "b", "right"]
    assert (a.points, a.place) == (interval([6, 1]), interval([1, 3]))
    assert (a.blocks, a.games) == (2, 4)


def test_every_bot_has_every_other_as_neighbour_in_a_block() -> None:
    entries = ledger("greedy random random random", 2)
    table = beside(*entries)
    assert {key[:2] for key in table} == {*permutations(entries[0].bots, 2)}
    assert {one.games for one in table.values()} == {2 * len(entries[0].games) // 3}
    for bot in entries[0].bots:
        gains = [one.gain.mean * one.games for key, one in table.items() if key[0] == bot and key[2] == "left"]
        assert sum(gains) == pytest.approx(0, abs=1e-9)


def test_skipped_blocks_do_not_count_for_neighbours() -> None:
    assert neighbours([Entry(block="1", bots=("a", "b"), skipped="a is gone")]) == ()
