"""Two bots beside each other."""

import pytest

from splito_arena.stats.head_to_head import head_to_head, share
from tests.arena.ranked import placed


def test_a_pair_is_counted_over_the_blocks_of_both() -> None:
    ledger = [
        placed("1", "abc", (1, 2, 3)),
        placed("2", "bac", (1, 2, 3)),
        placed("3", "ca", (1.5, 1.5)),
        placed("4", "ab", (1, 2), (1, 2)),
    ]
    pairs = {(pair.one, pair.other): pair for pair in head_to_head(ledger)}
    assert [*pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert {key: pair.blocks for key, pair in pairs.items()} == {("a", "b"): 3, ("a", "c"): 3, ("b", "c"): 2}
    assert pairs["a", "b"].ahead.mean == pytest.approx(2 / 3)
    assert pairs["a", "b"].places.mean == pytest.approx((1 - 1 + 1) / 3)
    assert pairs["a", "c"].ahead.mean == pytest.approx(2.5 / 3)
    assert pairs["a", "c"].places.mean == pytest.approx((2 + 1 + 0) / 3)


def test_a_share_has_the_interval_of_the_textbooks() -> None:
    """Wilson's for 7 of 10: 0.397 to 0.892."""
    seven = share(7, 10)
    assert (seven.mean, seven.low, seven.high) == pytest.approx((0.7, 0.397, 0.892), abs=5e-4)


@pytest.mark.parametrize("blocks", [1, 3, 30])
def test_a_bot_that_always_wins_still_has_an_interval(blocks: int) -> None:
    always, never = share(blocks, blocks), share(0, blocks)
    assert 0 < always.low < always.high == pytest.approx(1)
    assert (never.low, never.high) == pytest.approx((0, 1 - always.low))
