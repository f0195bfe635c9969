"""The variance that blocks remove: the estimate on numbers whose answer is known."""

from math import inf
from random import Random

import pytest

from arena.seatings import seatings
from arena.simulate import Plan
from arena.variance import Factor, Games, lead, main, measured, play_blocks, removed
from engine.errors import WrongPlayers

SEATS = (3.0, 0.0, -3.0)
"""What three seats are worth in a made-up game."""


def made_up(deals: int, seat: float, deal: float, rest: float) -> list[Games]:
    """One bot, once in each of three seats: the luck of the seat, of the deal for this bot, and what is left."""
    rng = Random(7)
    blocks: list[Games] = []
    for _ in range(deals):
        suits = rng.gauss(0, deal)
        blocks.append([(seat * worth + suits + rng.gauss(0, rest),) for worth in SEATS])
    return blocks


KNOWN = {
    "independent games": (made_up(4000, 0, 0, 1), 1.0),
    "luck of the seat, of variance 6, beside a rest of 1": (made_up(4000, 1, 0, 1), 7.0),
    "half of it": (made_up(4000, 0.5, 0, 1), 2.5),
    "deals that suit the bot in all seats: 5 / 3 single, 4 + 1 / 3 as a block": (made_up(4000, 0, 2, 1), 5 / 13),
}


@pytest.mark.parametrize(("blocks", "factor"), KNOWN.values(), ids=KNOWN.keys())
def test_the_factor_is_that_of_the_made_up_variances(blocks: list[Games], factor: float) -> None:
    found = removed(blocks)
    assert found.factor == pytest.approx(factor, rel=0.06)
    assert found.low < found.factor < found.high
    assert (found.low, found.high) == pytest.approx((factor, factor), rel=0.15)


def test_a_worked_example() -> None:
    """Means 1, 2, 3: variance 1. Within the blocks 1, 4 and 4: mean 3. One game: 1 + 3; two single games: 4 / 2."""
    assert removed([[(0,), (2,)], [(0,), (4,)], [(1,), (5,)]]).factor == pytest.approx(2)


def test_variances_of_all_bots_are_added() -> None:
    """The second bot has means 0, 2, 4, variance 4, and nothing within: (1 + 3 + 4) / 2 beside 1 + 4."""
    blocks: list[Games] = [[(0, 0), (2, 0)], [(0, 2), (4, 2)], [(1, 4), (5, 4)]]
    assert removed(blocks).factor == pytest.approx(4 / 5)


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    rng = Random(3)
    runs = [[[(rng.gauss(0, 1),), (rng.gauss(0, 1),)] for _ in range(60)] for _ in range(200)]
    found = [removed(run) for run in runs]
    held = sum(factor.low <= 1 <= factor.high for factor in found)
    assert 176 <= held <= 199


def test_without_any_luck_left_the_factor_has_no_end() -> None:
    assert removed([[(1,), (0,)]] * 3) == Factor(inf, inf, inf)


def test_one_block_that_makes_all_the_difference_gives_no_interval() -> None:
    assert removed([[(1,), (0,)], [(1,), (0,)], [(1,), (2,)]])[1:] == (0, inf)


def test_a_lead_is_what_is_beyond_the_mean_of_the_table() -> None:
    assert [lead(((7, 1), (3, 9), (2, 0)), bot) for bot in range(3)] == [3, -1, -2]


def test_blocks_are_played_in_their_seatings_and_told_by_bot() -> None:
    """Greedy is much better than random in every seat; were scores told by seat, it would win a third."""
    blocks = [*play_blocks(Plan("splitter", ("greedy", "random", "random"), "7", 2))]
    assert [len(block) for block in blocks] == [len(seatings(3))] * 2
    wins = [max(range(3), key=lambda bot: scores[bot]) for block in blocks for scores in block]
    assert wins.count(0) >= 9


def test_the_same_seed_gives_the_same_figures(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["splitter", "random,random", "3", "7"]
    main(arguments)
    first = capsys.readouterr().out
    main(arguments)
    assert capsys.readouterr().out == first
    assert first.startswith("3 blocks of 2 games\nshare of wins: ")
    assert set(measured([*play_blocks(Plan("splitter", ("random", "random"), "7", 3))])) == {
        "share of wins",
        "lead in points",
    }


def test_what_is_missing_on_the_command_line_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["splito"])
    assert "bots, deals, seed" in capsys.readouterr().err


def test_what_cannot_be_played_is_said_before_the_first_game() -> None:
    with pytest.raises(WrongPlayers):
        play_blocks(Plan("splito", ("random",), "7", 3))
