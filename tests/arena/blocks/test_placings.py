"""Placings of a block: what it says about its bots, and when it says nothing."""

import msgspec
import pytest

from splito_arena.blocks.placings import Placings, behind, check, in_order, mean_places, order
from splito_arena.errors import BadPlacings
from tests.arena.ranked import placed

REFUSED = {
    "a bot alone": (placed("1", "a", (1,)), "bots"),
    "nobody": (placed("1", ""), "bots"),
    "a bot twice": (placed("1", "aa", (1, 2)), "bots"),
    "no games": (placed("1", "ab"), "games"),
    "too few places": (placed("1", "abc", (1, 2)), "games"),
    "too many places": (placed("1", "ab", (1, 2, 3)), "games"),
    "places from nought": (placed("1", "ab", (0, 1)), "games"),
    "a place left out": (placed("1", "abc", (1, 2, 4)), "games"),
    "tied for the better place": (placed("1", "abc", (1, 1, 3)), "games"),
    "tied for the worse place": (placed("1", "abc", (2, 2, 3)), "games"),
    "no number": (placed("1", "ab", (1, float("nan"))), "games"),
    "no end": (placed("1", "ab", (1, float("inf"))), "games"),
    "wrong in a later game": (placed("1", "ab", (1, 2), (1, 1)), "games"),
}


@pytest.mark.parametrize(("placings", "field"), REFUSED.values(), ids=REFUSED)
def test_a_malformed_result_is_refused(placings: Placings, field: str) -> None:
    with pytest.raises(BadPlacings) as refused:
        in_order([placings])
    assert (refused.value.code, refused.value.field) == ("bad-placings", field)


def test_a_block_counts_once() -> None:
    with pytest.raises(BadPlacings, match="block 7 is there twice"):
        in_order([placed("7", "ab", (1, 2)), placed("3", "ab", (1, 2)), placed("7", "ab", (2, 1))])


def test_blocks_come_in_the_order_of_their_ids() -> None:
    blocks = [placed(block, "ab", (1, 2)) for block in ("09", "11", "10")]
    assert [placings.block for placings in in_order(blocks)] == ["09", "10", "11"]


def test_a_block_is_judged_by_mean_places() -> None:
    assert mean_places(placed("1", "abc", (1, 2, 3), (2.5, 1, 2.5))) == (1.75, 1.5, 2.75)


def test_the_order_of_a_block_has_ties_and_no_gaps() -> None:
    assert order(placed("1", "abcd", (1, 2, 3, 4), (4, 3, 1, 2), (2, 3, 1, 4))) == (1, 2, 0, 3)
    assert order(placed("1", "abcd", (1, 2, 3, 4), (4, 2, 3, 1))) == (1, 0, 2, 1)


def test_equal_means_are_equal_by_whatever_games() -> None:
    one, other, _ = mean_places(placed("1", "abc", (1, 2, 3), (2.5, 1, 2.5), (1.5, 1.5, 3), (1, 2.5, 2.5), (2, 1, 3)))
    assert one == other


def test_placings_can_be_written_and_read_as_json() -> None:
    block = placed("1", "abc", (1, 2, 3), (2.5, 1, 2.5))
    assert msgspec.json.decode(msgspec.json.encode(block), type=Placings) == block


def test_a_bot_that_dropped_out_is_last_and_the_others_move_up() -> None:
    block = placed("1", "abcd", (1, 2, 3, 4), (1.5, 1.5, 3, 4))
    left = behind(block, (True, False, False, True))
    assert left.games == ((3.5, 1, 2, 3.5), (3.5, 1, 2, 3.5))
    check(left)
    assert behind(block, (False,) * 4) == block
