"""Ratings while play goes on: what moves them, and what must not."""

from math import hypot

import numpy as np
import pytest

from splito_arena.blocks.placings import Placings
from splito_arena.errors import BadPlacings
from splito_arena.stats.fitted_rating import refit
from splito_arena.stats.online_rating import (
    TREND_BLOCKS,
    UNCERTAINTY,
    Rating,
    leaderboard,
    rated,
    replayed,
    successor,
)
from splito_arena.stats.scale import CENTRE, POINTS
from tests.arena.ranked import placed, tournament


def won(times: int) -> list[Placings]:
    """`a` beats `b`, so often."""
    return [placed(f"{block:03}", "ab", (1, 2)) for block in range(times)]


def test_the_rating_of_the_winner_rises_and_that_of_the_loser_falls() -> None:
    new = rated({}, placed("1", "abc", (1, 2, 3)))
    assert new["a"].mean > CENTRE > new["c"].mean
    assert all(rating.sigma < UNCERTAINTY for rating in new.values())


@pytest.mark.parametrize("bots", ["ab", "abc", "abcd", "abcdefgh", "abcdefghijkl"])
def test_equal_bots_that_tie_stay_equal(bots: str) -> None:
    tie = (len(bots) + 1) / 2
    new = [*rated({}, placed("1", bots, (tie,) * len(bots))).values()]
    assert new == [new[0]] * len(bots)
    assert new[0].mean == pytest.approx(CENTRE)


@pytest.mark.parametrize("places", [(1.5, 1.5, 3, 4), (1, 2.5, 2.5, 4), (1, 2, 3.5, 3.5), (1, 3, 3, 3), (2, 2, 2, 4)])
def test_equal_bots_get_equal_updates_where_they_tie(places: tuple[float, ...]) -> None:
    new = rated({}, placed("1", "abcd", places))
    for bot, place in zip("abcd", places, strict=True):
        for other, its_place in zip("abcd", places, strict=True):
            assert (new[bot] == new[other]) == (place == its_place)


def test_the_order_of_the_bots_does_not_change_ratings() -> None:
    one, other = (
        rated({}, placed("1", "abcd", (1, 2.5, 2.5, 4))),
        rated({}, placed("1", "dcba", (4, 2.5, 2.5, 1))),
    )
    for bot in "abcd":
        assert one[bot].mean == pytest.approx(other[bot].mean, abs=1e-12)
        assert one[bot].sigma == pytest.approx(other[bot].sigma, abs=1e-12)


def test_every_game_of_a_block_counts() -> None:
    one, four = (rated({}, placed("1", "ab", *[(1, 2)] * games))["a"] for games in (1, 4))
    assert four.mean > one.mean
    assert four.sigma < one.sigma
    assert (one.games, one.blocks, four.games, four.blocks) == (1, 1, 4, 1)


def test_a_win_and_a_loss_leave_equal_bots_nearly_equal() -> None:
    new = rated({}, placed("1", "ab", (1, 2), (2, 1)))
    alone = rated({}, placed("1", "ab", (1, 2)))
    assert abs(new["a"].mean - CENTRE) < abs(alone["a"].mean - CENTRE) / 2
    assert new["a"].mean + new["b"].mean == pytest.approx(2 * CENTRE)


def test_after_many_games_ratings_are_those_of_the_fitted_table() -> None:
    """Both have one unit, so that differences agree, at tables of two and of five."""
    for seats in (2, 5):
        blocks = tournament([-1.0, -0.5, 0.0, 0.5, 1.0], 600, seats, np.random.default_rng(4))
        online, fitted = replayed(blocks), {row.bot: row.rating.mean or 0.0 for row in refit(blocks)}
        for bot in "bcde":
            difference = online[bot].mean - online["a"].mean
            assert difference == pytest.approx(fitted[bot] - fitted["a"], abs=0.35 * POINTS)


def test_the_uncertainty_is_that_of_the_ratings() -> None:
    """The means of 100 runs scatter around the truth by about as much as their uncertainty says."""
    rng, found = np.random.default_rng(12), list[float]()
    for _ in range(100):
        ratings = replayed(tournament([-0.5, 0.0, 0.5], 60, 3, rng))
        found += [(ratings["c"].mean - ratings["a"].mean - POINTS) / hypot(ratings["a"].sigma, ratings["c"].sigma)]
    assert 0.7 < np.std(found) < 1.4
    assert abs(np.mean(found)) < 0.6


def test_only_bots_of_the_block_get_a_new_rating() -> None:
    assert rated({"c": Rating()}, placed("1", "ab", (1, 2))).keys() == {"a", "b"}


def test_the_same_blocks_give_the_same_ratings_in_whatever_order_they_came() -> None:
    blocks = tournament([0, 1, 2, 3], 50, 3, np.random.default_rng(1))
    assert replayed(blocks) == replayed(blocks[::-1])


def test_a_replay_is_what_was_rated_block_by_block() -> None:
    blocks = tournament([0, 1, 2, 3], 50, 3, np.random.default_rng(1))
    ratings = dict[str, Rating]()
    for block in blocks:
        ratings |= rated(ratings, block)
    assert replayed(blocks) == ratings


def test_ratings_find_the_stronger_bots() -> None:
    ratings = replayed(tournament([-1.5, -0.5, 0.5, 1.5], 300, 4, np.random.default_rng(2)))
    assert [row.bot for row in leaderboard(ratings)] == [*"dcba"]


def test_a_new_version_starts_as_good_as_the_last_one_but_less_surely_so() -> None:
    old = replayed(won(40))["a"]
    new = successor(old)
    assert new.mean == old.mean
    assert old.sigma < new.sigma <= UNCERTAINTY
    assert (new.games, new.blocks, new.before) == (0, 0, ())


def test_no_rating_is_less_sure_than_that_of_a_new_bot() -> None:
    assert successor(successor(Rating())).sigma == UNCERTAINTY


def test_a_version_without_a_rating_starts_from_its_predecessors() -> None:
    """`y` comes after `x`, which has never played, and `x` after `a`."""
    ratings = replayed(won(40))
    block = placed("9", "yb", (1.5, 1.5))
    assert rated(ratings, block, {"y": "x", "x": "a"}) == rated(ratings | {"y": successor(ratings["a"])}, block)
    assert rated(ratings, block)["y"].mean < rated(ratings, block, {"y": "x", "x": "a"})["y"].mean


def test_a_version_with_a_rating_keeps_it() -> None:
    ratings, block = replayed(won(40)), placed("9", "ab", (1, 2))
    assert rated(ratings, block, {"a": "b"}) == rated(ratings, block)


def test_a_replay_starts_new_versions_where_they_came_in() -> None:
    later = placed("999", "yb", (1, 2))
    assert replayed([*won(40), later], {"y": "a"})["y"] == rated(replayed(won(40)), later, {"y": "a"})["y"]


def test_no_version_comes_before_itself() -> None:
    with pytest.raises(BadPlacings, match="x comes before itself"):
        rated({}, placed("1", "xb", (1, 2)), {"x": "y", "y": "x"})


def test_a_row_has_the_margin_and_the_trend_of_a_rating() -> None:
    ratings, earlier = replayed(won(30)), replayed(won(30 - TREND_BLOCKS))
    best, worst = leaderboard(ratings)
    assert (best.bot, best.games, best.blocks, worst.bot) == ("a", 30, 30, "b")
    assert (best.rating.mean, best.rating.margin) == pytest.approx((ratings["a"].mean, 1.96 * ratings["a"].sigma), 1e-4)
    assert best.trend == pytest.approx(ratings["a"].mean - earlier["a"].mean)
    assert worst.trend < 0 < best.trend


def test_the_trend_of_a_newcomer_is_all_that_it_has_moved() -> None:
    assert leaderboard(replayed(won(3)))[0].trend == pytest.approx(replayed(won(3))["a"].mean - CENTRE)
    assert leaderboard({"a": Rating()})[0].trend == 0


def test_a_block_that_names_a_bot_twice_is_refused() -> None:
    with pytest.raises(BadPlacings):
        rated({}, placed("1", "aa", (1, 2)))
