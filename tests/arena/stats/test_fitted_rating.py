"""The published table: does it find strengths that are known, and is it as sure as it says?"""

from itertools import permutations
from math import log, sqrt

import numpy as np
import pytest

from splito_arena.blocks.placings import Placings
from splito_arena.errors import BadPlacings
from splito_arena.stats.fitted_rating import CENTRE, POINTS, Strength, refit
from tests.arena.ranked import placed, tournament

SIX = [-1.0, -0.6, -0.2, 0.2, 0.6, 1.0]


def by_bot(ledger: list[Placings]) -> dict[str, Strength]:
    return {row.bot: row for row in refit(ledger)}


def covered(row: Strength, truth: float) -> bool:
    assert row.rating.margin is not None
    return abs(row.rating.mean - truth) <= row.rating.margin


def test_known_strengths_are_found_again() -> None:
    table = by_bot(tournament(SIX, 3000, 4, np.random.default_rng(7)))
    for bot, strength in zip("abcdef", SIX, strict=True):
        assert table[bot].rating.mean == pytest.approx(CENTRE + POINTS * strength, abs=4 * POINTS * 0.03)
        assert table[bot].rating.margin == pytest.approx(POINTS * 1.96 * 0.025, rel=0.3)


def test_two_bots_are_as_far_apart_as_their_wins_say() -> None:
    """30 of 40, a tie being half: log(30 / 10), but for the prior, which is weak."""
    wins = [placed(f"w{block}", "ab", (1, 2)) for block in range(28)]
    ties = [placed(f"t{block}", "ab", (1.5, 1.5)) for block in range(4)]
    losses = [placed(f"l{block}", "ab", (2, 1)) for block in range(8)]
    table = by_bot(wins + ties + losses)
    assert table["a"].rating.mean - table["b"].rating.mean == pytest.approx(POINTS * log(3), rel=0.01)


def test_tied_bots_stand_for_all_their_orders() -> None:
    """Six blocks with three tied bots are the six orders of the three, each once."""
    orders = [(1, 2, 3), (1, 3, 2), (2, 1, 3), (2, 3, 1), (3, 1, 2), (3, 2, 1)]
    others = tournament([0, 1, 2, 3], 20, 4, np.random.default_rng(3))
    tied = [placed(f"t{block}", "abcd", (3, 3, 3, 1)) for block in range(6)]
    apart = [placed(f"t{block}", "abcd", (*(1 + place for place in order), 1)) for block, order in enumerate(orders)]
    assert [row.bot for row in refit(others + tied)] == [row.bot for row in refit(others + apart)]
    for row, same in zip(refit(others + tied), refit(others + apart), strict=True):
        assert row.rating.mean == pytest.approx(same.rating.mean, abs=1e-6)


def test_many_tied_bots_count_nearly_as_all_their_orders() -> None:
    """Six tied bots have 720 orders. Even if every tenth block is such a tie, ratings change by a few points."""
    others = tournament(SIX, 6480, 4, np.random.default_rng(4))
    tied = [placed(f"t{block}", "abcdef", (3.5,) * 6) for block in range(720)]
    apart = [placed(f"t{block}", "abcdef", order) for block, order in enumerate(permutations(range(1, 7)))]
    near, exact = by_bot(others + tied), by_bot(others + apart)
    for bot in "abcdef":
        assert near[bot].rating.mean == pytest.approx(exact[bot].rating.mean, abs=10)


@pytest.mark.parametrize("bots", ["ab", "abc", "abcd", "abcdefgh", "abcdefghijkl"])
def test_bots_that_always_tie_have_equal_ratings(bots: str) -> None:
    tie = (len(bots) + 1) / 2
    table = refit([placed(f"{block}", bots, (tie,) * len(bots)) for block in range(5)])
    assert [row.rating.mean for row in table] == pytest.approx([CENTRE] * len(bots))
    assert [row.rating.margin for row in table] == pytest.approx([table[0].rating.margin] * len(bots))


@pytest.mark.parametrize(("strengths", "blocks", "seats"), [(SIX, 60, 4), ([-2, 0, 2], 40, 2), ([0, 0, 0, 0], 25, 3)])
def test_intervals_hold_the_truth_as_often_as_they_say(strengths: list[float], blocks: int, seats: int) -> None:
    """In 200 tournaments each, but for three standard errors below; where blocks are few they are a little wide."""
    rng, runs = np.random.default_rng(11), 200
    hits = [
        [covered(row, CENTRE + POINTS * strengths[ord(row.bot) - ord("a")]) for row in refit(played)]
        for played in (tournament(strengths, blocks, seats, rng) for _ in range(runs))
    ]
    assert 0.95 - 3 * sqrt(0.95 * 0.05 / runs) <= np.mean(hits) <= 0.985


def test_the_order_of_the_blocks_changes_nothing() -> None:
    blocks = tournament(SIX, 200, 4, np.random.default_rng(5))
    mixed = [blocks[int(number)] for number in np.random.default_rng(6).permutation(len(blocks))]
    assert refit(blocks) == refit(mixed) == refit(blocks[::-1])


def test_other_block_ids_change_nothing_that_matters() -> None:
    """The sums are taken in another order."""
    blocks = tournament(SIX, 200, 4, np.random.default_rng(5))
    renamed = [Placings(placings.block[::-1], placings.bots, placings.games) for placings in blocks]
    for row, same in zip(refit(blocks), refit(renamed), strict=True):
        assert (row.bot, row.rating.mean) == (same.bot, pytest.approx(same.rating.mean, abs=1e-6))


def test_copies_of_one_bot_overlap() -> None:
    """Four of the six are the same bot by other names; differences beyond both intervals would tell them apart."""
    strengths = [0.5, 0.5, 0.5, 0.5, -1.0, 1.0]
    table = by_bot(tournament(strengths, 400, 4, np.random.default_rng(9)))
    copies = [table[bot].rating for bot in "abcd"]
    highest = max(rating.mean - (rating.margin or 0) for rating in copies)
    assert highest < min(rating.mean + (rating.margin or 0) for rating in copies)
    assert not any(covered(table[bot], table["a"].rating.mean) for bot in "ef")


def test_a_bot_that_always_wins_has_a_finite_rating_with_a_wide_interval() -> None:
    ledger = [placed(f"{block:03}", "ab", (1, 2)) for block in range(100)]
    winner, loser = refit(ledger)
    assert (winner.bot, loser.bot) == ("a", "b")
    assert CENTRE + 200 < winner.rating.mean < CENTRE + 1000
    assert winner.rating.margin is not None
    assert winner.rating.margin > 100
    assert refit(ledger[:3])[0].rating.mean < winner.rating.mean


def test_more_blocks_make_intervals_narrower() -> None:
    blocks = tournament(SIX, 400, 4, np.random.default_rng(5))
    few, many = by_bot(blocks[:100])["a"].rating.margin, by_bot(blocks)["a"].rating.margin
    assert few is not None
    assert many == pytest.approx(few / 2, rel=0.2)


def test_repeated_games_in_a_block_change_neither_rating_nor_interval() -> None:
    once = tournament(SIX, 100, 4, np.random.default_rng(5))
    often = [Placings(placings.block, placings.bots, placings.games * 4) for placings in once]
    for row, same in zip(refit(once), refit(often), strict=True):
        assert row.rating == same.rating
        assert (row.blocks, row.games * 4) == (same.blocks, same.games)


def test_blocks_that_go_together_do_not_count_as_independent_luck() -> None:
    """`a` is first or last by turns, which no strength explains: the blocks differ by more than the model has it."""
    moody = [placed(f"{block:03}", "abc", (1, 2.5, 2.5) if block % 2 else (3, 1.5, 1.5)) for block in range(100)]
    mild = [placed(f"{block:03}", "abc", (2, 2, 2)) for block in range(100)]
    unsure, sure = by_bot(moody)["a"].rating.margin, by_bot(mild)["a"].rating.margin
    assert unsure is not None
    assert sure is not None
    assert unsure > 1.1 * sure


def test_bots_that_never_met_are_not_compared() -> None:
    """`x`, `y` and `z` met by way of `y`; `a` beat `b`."""
    ledger = [placed("1", "ab", (1, 2)), placed("2", "xy", (1, 2)), placed("3", "yz", (1, 2))]
    table = by_bot(ledger)
    assert {bot: row.group for bot, row in table.items()} == {"x": 1, "y": 1, "z": 1, "a": 2, "b": 2}
    assert [row.bot for row in refit(ledger)] == [*"xyzab"]
    for group in ("xyz", "ab"):
        assert np.mean([table[bot].rating.mean for bot in group]) == pytest.approx(CENTRE)


def test_groups_do_not_disturb_each_other() -> None:
    one = tournament([-1, 0, 1], 50, 3, np.random.default_rng(1))
    other = [placed(f"x{block:03}", "yz", (1, 2)) for block in range(30)]
    alone, beside = by_bot(one), by_bot(one + other)
    for bot in "abc":
        assert beside[bot].rating.mean == pytest.approx(alone[bot].rating.mean, abs=1e-6)
        assert beside[bot].rating.margin == pytest.approx(alone[bot].rating.margin, rel=0.02)


def test_tables_of_different_sizes_are_one_ledger() -> None:
    rng = np.random.default_rng(8)
    pairs = tournament(SIX, 1500, 2, rng)
    fives = [Placings(f"x{placings.block}", placings.bots, placings.games) for placings in tournament(SIX, 500, 5, rng)]
    table = by_bot(pairs + fives)
    for bot, strength in zip("abcdef", SIX, strict=True):
        assert table[bot].rating.mean == pytest.approx(CENTRE + POINTS * strength, abs=30)


def test_an_empty_ledger_gives_no_ratings() -> None:
    with pytest.raises(BadPlacings, match="no blocks"):
        refit([])
