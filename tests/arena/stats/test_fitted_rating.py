"""The published table: does it find strengths that are known, and is it as sure as it says?"""

from collections.abc import Mapping, Sequence
from itertools import permutations
from math import exp, log, sqrt
from statistics import fmean

import numpy as np
import pytest

from splito_arena.blocks.placings import Placings
from splito_arena.errors import BadPlacings
from splito_arena.stats import fitted_rating, plackett_luce
from splito_arena.stats.fitted_rating import Strength, refit
from splito_arena.stats.intervals import student_t
from splito_arena.stats.scale import CENTRE, POINTS
from tests.arena.ranked import placed, tournament
from tests.conftest import QUICK

SIX = [-1.0, -0.6, -0.2, 0.2, 0.6, 1.0]


def by_bot(ledger: list[Placings]) -> dict[str, Strength]:
    return {row.bot: row for row in refit(ledger)}


def truth_of(table: Sequence[Strength], strengths: Mapping[str, float]) -> dict[str, float]:
    """Return the true ratings on the scale of a table, whose 1500 is a mean of its bots."""
    mean = sum(row.weight * strengths[row.bot] for row in table)
    return {row.bot: CENTRE + POINTS * (strengths[row.bot] - mean) for row in table}


def covered(row: Strength, truth: float) -> bool:
    low, high = row.rating.low, row.rating.high
    return (low is None or low <= truth) and (high is None or truth <= high)


def mean(row: Strength) -> float:
    assert row.rating.mean is not None
    return row.rating.mean


def width(row: Strength) -> float:
    assert row.rating.low is not None
    assert row.rating.high is not None
    return row.rating.high - row.rating.low


def test_known_strengths_are_found_again() -> None:
    table = by_bot(tournament(SIX, 3000, 4, np.random.default_rng(7)))
    truth = truth_of([*table.values()], dict(zip("abcdef", SIX, strict=True)))
    for bot, row in table.items():
        assert row.rating.mean == pytest.approx(truth[bot], abs=4 * POINTS * 0.03)
        assert width(row) == pytest.approx(2 * POINTS * 1.96 * 0.025, rel=0.4)


def test_two_bots_are_as_far_apart_as_their_wins_say() -> None:
    """30 of 40, a tie being half: log(30 / 10)."""
    wins = [placed(f"w{block}", "ab", (1, 2)) for block in range(28)]
    ties = [placed(f"t{block}", "ab", (1.5, 1.5)) for block in range(4)]
    losses = [placed(f"l{block}", "ab", (2, 1)) for block in range(8)]
    table = by_bot(wins + ties + losses)
    assert mean(table["a"]) - mean(table["b"]) == pytest.approx(POINTS * log(3), rel=1e-4)


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
    assert [*map(width, table)] == pytest.approx([width(table[0])] * len(bots))


@pytest.mark.parametrize(
    ("strengths", "blocks", "seats"),
    [(SIX, 60, 4), ([-2, 0, 2], 40, 2), ([0, 0, 0, 0], 25, 3), ([0, 0, 0, 7], 60, 4), ([0, 0, 0, 12], 60, 4)],
)
def test_intervals_hold_the_truth_as_often_as_they_say(strengths: list[float], blocks: int, seats: int) -> None:
    """In many tournaments each, within three standard errors, also beside a bot that hardly ever loses."""
    rng, runs = np.random.default_rng(11), 50 if QUICK else 200
    known = dict(zip("abcdef", strengths, strict=False))
    hits = list[bool]()
    for table in (refit(tournament(strengths, blocks, seats, rng)) for _ in range(runs)):
        truth = truth_of(table, known)
        hits += [covered(row, truth[row.bot]) for row in table if None not in (row.rating.low, row.rating.high)]
    assert abs(np.mean(hits) - 0.95) <= 3 * sqrt(0.95 * 0.05 / runs)


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
    assert max(rating.low or 0 for rating in copies) < min(rating.high or 0 for rating in copies)
    assert not any(covered(table[bot], mean(table["a"])) for bot in "ef")


@pytest.mark.parametrize("games", [1, 6])
def test_a_bot_that_was_never_beaten_has_a_lower_end_only(games: int) -> None:
    """Of n wins and no loss, the likelihood of a chance p is p^n: the end is where n log p is as low as allowed."""
    ledger = [placed(f"{block:03}", "ab", *[(1, 2)] * games) for block in range(100)]
    winner, loser = refit(ledger)
    chance = exp(-(1.96**2) / 2 / (100 * games))
    difference = POINTS * log(chance / (1 - chance))
    assert (winner.bot, winner.rating.high, loser.rating.low) == ("a", None, None)
    assert winner.rating.low == winner.rating.mean == pytest.approx(CENTRE + difference / 2, abs=0.2)
    assert loser.rating.high == loser.rating.mean == pytest.approx(CENTRE - difference / 2, abs=0.2)


def test_an_unbeaten_bot_does_not_move_the_others() -> None:
    others = tournament([-0.5, 0, 0.5], 60, 3, np.random.default_rng(3))
    with_winner = [
        Placings(one.block, (*one.bots, "w"), tuple((*(place + 1 for place in game), 1.0) for game in one.games))
        for one in others
    ]
    alone, beside = by_bot(others), by_bot(with_winner)
    assert beside["w"].rating.high is None
    assert beside["w"].weight == 0
    for bot in "abc":
        assert beside[bot].rating.mean == pytest.approx(alone[bot].rating.mean, abs=0.1)
        assert width(beside[bot]) == pytest.approx(width(alone[bot]), rel=0.01)


def test_two_bots_that_only_beat_each_other_and_never_lose_to_the_rest_have_lower_ends_only() -> None:
    below = tournament([-0.5, 0, 0.5], 60, 3, np.random.default_rng(3))
    top = [placed(f"x{block}", "vw", (1, 2) if block % 2 else (2, 1)) for block in range(10)]
    link = [placed(f"y{block}", "va", (1, 2)) for block in range(10)]
    table = by_bot(below + top + link)
    for bot in "vw":
        assert (table[bot].rating.low is None, table[bot].rating.high) == (False, None)
    for bot in "abc":
        assert width(table[bot]) > 0


def test_a_bot_between_others_that_it_always_beats_or_never_beats_has_no_rating() -> None:
    """The bots are ordered, and have no distances: any rating of `b` would be made up."""
    table = refit([placed(f"{block}", "abc", (1, 2, 3)) for block in range(30)])
    ends = [(row.rating.low is None, row.rating.high is None) for row in table]
    assert ends == [(False, True), (True, True), (True, False)]
    assert [row.bot for row in table] == ["a", "b", "c"]
    assert table[1].rating.mean is None
    assert [row.weight for row in table] == [pytest.approx(1 / 3)] * 3


def test_no_published_figure_depends_on_the_ridge(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chains of bots that never lose, beside compared ones."""
    chain = [placed(f"c{block}", "wxyz", (1, 2, 3, 4)) for block in range(8)]
    below = [placed(f"y{block}", "za", (1, 2)) for block in range(8)] + tournament(
        [0, 1], 40, 2, np.random.default_rng(3)
    )
    tables = list[list[Strength]]()
    for ridge in (1e-6, 1e-7):
        monkeypatch.setattr(plackett_luce, "RIDGE", ridge)
        monkeypatch.setattr(fitted_rating, "RIDGE", ridge)
        tables.append([row for ledger in (chain, chain + below) for row in refit(ledger)])
    for row, same in zip(*tables, strict=True):
        assert (row.bot, row.weight) == (same.bot, pytest.approx(same.weight, abs=1e-5))
        for end in ("mean", "low", "high"):
            assert getattr(row.rating, end) == pytest.approx(getattr(same.rating, end), abs=1)


@pytest.mark.parametrize(("seats", "blocks", "games"), [(4, 60, 6), (2, 120, 2)], ids=["tables of four", "few games"])
def test_intervals_of_large_groups_are_nearly_the_profile(
    monkeypatch: pytest.MonkeyPatch, seats: int, blocks: int, games: int
) -> None:
    """In large groups the games of other bots are taken as a parabola; the exact profile takes minutes there."""
    strengths = [float(one) for one in np.random.default_rng(1).normal(0, 1.2, 24)]
    ledger = tournament(strengths, blocks, seats, np.random.default_rng(2), games=games)
    exact = by_bot(ledger)
    monkeypatch.setattr(fitted_rating, "LARGE", 10)
    ends = list[float]()
    for row in refit(ledger):
        here, there = row.rating, exact[row.bot].rating
        assert (here.low is None, here.high is None) == (there.low is None, there.high is None)
        if here.mean is None or there.mean is None:
            continue
        if None in (here.low, here.high):
            assert here.mean == pytest.approx(there.mean, abs=25)
            continue
        ends += [((here.high or 0) - here.mean) / ((there.high or 0) - there.mean)]
        ends += [((here.low or 0) - here.mean) / ((there.low or 0) - there.mean)]
    assert 0.97 < fmean(ends) < 1.01
    assert min(ends) > 0.8


def test_bots_with_equal_results_have_the_same_figures_and_are_in_the_order_of_their_ids() -> None:
    """The last bits of a sum must not order them."""
    table = refit([placed(f"{block}", "dbca", *[(2.5,) * 4] * 12) for block in range(8)])
    assert [row.bot for row in table] == [*"abcd"]
    assert len({row.rating.mean for row in table}) == 1


def test_after_few_blocks_a_rating_has_no_interval() -> None:
    blocks = [placed(f"{block}", "ab", (1, 2), (2, 1), (1, 2)) for block in range(5)]
    assert [row.rating.low for row in refit(blocks[:4])] == [None, None]
    assert [row.rating.high for row in refit(blocks[:4])] == [None, None]
    assert width(refit(blocks)[0]) > 0


def test_the_interval_of_a_bot_that_lost_once_is_the_profile_of_the_likelihood() -> None:
    """99 wins and a loss: both ends are where the likelihood of 99 log p + log (1 - p) is as low as allowed."""
    ledger = [placed(f"{block:03}", "ab", (1, 2) if block else (2, 1)) for block in range(100)]
    table = by_bot(ledger)
    rating = table["a"].rating
    assert rating.low is not None
    assert rating.high is not None
    drops = [_drop(2 * (end - CENTRE) / POINTS) for end in (rating.low, rating.high)]
    assert drops[0] == pytest.approx(drops[1], rel=1e-3)
    assert drops[0] == pytest.approx(student_t(99) ** 2 / 2, rel=0.03)  # the blocks scatter as the model has it
    assert rating.high - mean(table["a"]) > 1.5 * (mean(table["a"]) - rating.low)


def _drop(difference: float) -> float:
    """Return the log-likelihood that 99 wins and a loss lose against their best strengths."""
    chance = 1 / (1 + exp(-difference))
    return 99 * log(0.99 / chance) + log(0.01 / (1 - chance))


def test_more_blocks_make_intervals_narrower() -> None:
    blocks = tournament(SIX, 400, 4, np.random.default_rng(5))
    few, many = width(by_bot(blocks[:100])["a"]), width(by_bot(blocks)["a"])
    assert many == pytest.approx(few / 2, rel=0.2)


def test_more_games_in_a_block_make_intervals_narrower() -> None:
    rng = np.random.default_rng(5)
    once, often = (tournament(SIX, 100, 4, rng, games=games) for games in (1, 4))
    narrow, wide = (fmean(map(width, refit(ledger))) for ledger in (often, once))
    assert narrow == pytest.approx(wide / 2, rel=0.15)


def test_games_of_a_block_that_repeat_each_other_do_not_make_intervals_narrower() -> None:
    once = tournament(SIX, 100, 4, np.random.default_rng(5))
    often = [Placings(placings.block, placings.bots, placings.games * 4) for placings in once]
    for row, same in zip(refit(once), refit(often), strict=True):
        assert row.rating.mean == pytest.approx(same.rating.mean, abs=0.1)
        assert width(row) == pytest.approx(width(same), rel=0.03)
        assert (row.blocks, row.games * 4) == (same.blocks, same.games)


def test_blocks_that_go_together_do_not_count_as_independent_luck() -> None:
    """`a` is first or last by turns, which no strength explains: the blocks differ by more than the model has it."""
    moody = [placed(f"{block:03}", "abc", (1, 2.5, 2.5) if block % 2 else (3, 1.5, 1.5)) for block in range(100)]
    mild = [placed(f"{block:03}", "abc", (2, 2, 2)) for block in range(100)]
    assert width(by_bot(moody)["a"]) > 1.1 * width(by_bot(mild)["a"])


def test_bots_that_never_met_are_not_compared() -> None:
    """`x`, `y` and `z` met by way of `y`; `a` beat `b`."""
    ledger = [placed("1", "ab", (1, 2)), placed("2", "xy", (1, 2)), placed("3", "yz", (1, 2))]
    table = by_bot(ledger)
    assert {bot: row.group for bot, row in table.items()} == {"x": 1, "y": 1, "z": 1, "a": 2, "b": 2}
    assert [row.bot for row in refit(ledger)] == [*"xyzab"]
    for group in ("xyz", "ab"):
        assert sum(table[bot].weight for bot in group) == pytest.approx(1)


def test_groups_do_not_disturb_each_other() -> None:
    one = tournament([-1, 0, 1], 50, 3, np.random.default_rng(1))
    other = [placed(f"x{block:03}", "yz", (1, 2)) for block in range(30)]
    alone, beside = by_bot(one), by_bot(one + other)
    for bot in "abc":
        assert beside[bot].rating.mean == pytest.approx(alone[bot].rating.mean, abs=1e-6)
        assert width(beside[bot]) == pytest.approx(width(alone[bot]), rel=0.02)


def test_tables_of_different_sizes_have_one_scale() -> None:
    rng = np.random.default_rng(8)
    known = dict(zip("abcdef", SIX, strict=True))
    pairs = tournament(SIX, 1500, 2, rng)
    fives = [Placings(f"x{placings.block}", placings.bots, placings.games) for placings in tournament(SIX, 500, 5, rng)]
    for ledger in (pairs, fives, pairs + fives):
        table = refit(ledger)
        truth = truth_of(table, known)
        assert {row.bot: row.rating.mean for row in table} == pytest.approx(truth, abs=30)


def test_an_empty_ledger_gives_no_ratings() -> None:
    with pytest.raises(BadPlacings, match="no blocks"):
        refit([])
