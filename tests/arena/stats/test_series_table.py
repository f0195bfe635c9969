"""Winners, ranks, and what a bot has over several blocks."""

import pytest

from splito_arena.blocks.results import Block, Result
from splito_arena.blocks.seatings import Seating
from splito_arena.match.places import rank, share_of_win, winners
from splito_arena.stats.series_table import summary
from splito_engine.game import Scores


def a_result(seating: Seating, *points: int) -> Result:
    """Return a match in which each seat had these points and took two moves of half a second each."""
    seats = len(points)
    return Result(seating, tuple((p,) for p in points), ((0.25, 0.75),) * seats, ((),) * seats, (False,) * seats)


@pytest.mark.parametrize(
    ("scores", "best"),
    [
        (((3,), (5,), (4,)), (1,)),
        (((5,), (5,), (4,)), (0, 1)),
        (((5, -20), (5, -18), (9, -30)), (2,)),
        (((5, -20), (5, -18)), (1,)),
        (((5, -18), (5, -18)), (0, 1)),
        (((0,),), (0,)),
    ],
)
def test_winners_have_the_highest_scores_compared_left_to_right(scores: Scores, best: tuple[int, ...]) -> None:
    assert winners(scores) == best


def test_a_shared_win_counts_in_parts() -> None:
    scores: Scores = ((7,), (7,), (2,), (7,))
    assert [share_of_win(scores, seat) for seat in range(4)] == pytest.approx([1 / 3, 1 / 3, 0, 1 / 3])


def test_tied_seats_share_the_mean_of_their_places() -> None:
    scores: Scores = ((7,), (9,), (7,), (2,))
    assert [rank(scores, seat) for seat in range(4)] == [2.5, 1, 2.5, 4]


def test_a_summary_follows_the_bots_through_the_seats() -> None:
    blocks = [
        Block(0, (a_result((0, 1), 10, 20), a_result((1, 0), 6, 30))),
        Block(1, (a_result((0, 1), 8, 8), a_result((1, 0), 4, 4))),
    ]
    one, two = summary(["one", "two"], blocks)
    assert (one.bot, one.games, two.bot, two.games) == ("one", 4, "two", 4)
    assert one.points.mean == pytest.approx(((10 + 30) / 2 + (8 + 4) / 2) / 2)
    assert two.points.mean == pytest.approx(((20 + 6) / 2 + (8 + 4) / 2) / 2)
    assert (one.wins.mean, two.wins.mean) == (0.5, 0.5)
    assert (one.rank.mean, two.rank.mean) == (1.5, 1.5)
    assert (one.ms_per_move, one.ms_p99, one.ms_slowest) == pytest.approx((500, 750, 750))


def test_intervals_are_taken_over_blocks_not_over_matches() -> None:
    """Within each block the points differ wildly, between the blocks not at all."""
    block = Block(0, (a_result((0, 1), 0, 100), a_result((1, 0), 0, 100)))
    one, two = summary(["one", "two"], [block] * 5)
    assert (one.points.mean, one.points.margin) == (50, 0)
    assert (two.points.mean, two.points.margin) == (50, 0)
