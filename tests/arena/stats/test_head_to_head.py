"""Two bots beside each other."""

import pytest

from splito_arena.stats.head_to_head import head_to_head
from tests.arena.ranked import placed


def test_a_pair_is_counted_over_the_games_of_both() -> None:
    ledger = [
        placed("1", "abc", (1, 2, 3)),
        placed("2", "bac", (1, 2, 3)),
        placed("3", "ca", (1.5, 1.5)),
        placed("4", "ab", (1, 2), (1, 2)),
    ]
    pairs = {(pair.one, pair.other): pair for pair in head_to_head(ledger)}
    assert [*pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert {key: pair.blocks for key, pair in pairs.items()} == {("a", "b"): 3, ("a", "c"): 3, ("b", "c"): 2}
    assert {key: pair.games for key, pair in pairs.items()} == {("a", "b"): 4, ("a", "c"): 3, ("b", "c"): 2}
    assert pairs["a", "b"].ahead.mean == pytest.approx(3 / 4)
    assert pairs["a", "b"].places.mean == pytest.approx((1 - 1 + 1) / 3)
    assert pairs["a", "c"].ahead.mean == pytest.approx(2.5 / 3)
    assert pairs["a", "c"].places.mean == pytest.approx((2 + 1 + 0) / 3)
