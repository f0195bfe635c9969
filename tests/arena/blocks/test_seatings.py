"""Neither a seat nor a neighbour is luck: counted from first principles, for every number of seats."""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splito_arena.blocks.seatings import Seating, is_relabelled, relabelled, seatings
from splito_engine.errors import WrongPlayers


class Balance(NamedTuple):
    """Fewest and most, over all bots and seats, ordered pairs of bots, and pairs."""

    games: int
    in_a_seat: tuple[int, int]
    to_the_right: tuple[int, int]
    neighbours: tuple[int, int]


PROMISED = {
    2: Balance(2, (1, 1), (2, 2), (4, 4)),
    3: Balance(6, (2, 2), (3, 3), (6, 6)),
    4: Balance(12, (3, 3), (4, 4), (8, 8)),
    5: Balance(10, (2, 2), (2, 3), (5, 5)),
    6: Balance(12, (2, 2), (2, 3), (4, 5)),
    7: Balance(21, (3, 3), (3, 4), (7, 7)),
    8: Balance(16, (2, 2), (2, 3), (4, 5)),
    9: Balance(18, (2, 2), (2, 3), (4, 6)),
    10: Balance(10, (1, 1), (1, 2), (2, 4)),
    11: Balance(22, (2, 2), (2, 3), (4, 6)),
    12: Balance(24, (2, 2), (2, 3), (4, 5)),
    13: Balance(26, (2, 2), (2, 3), (4, 6)),
    16: Balance(16, (1, 1), (1, 2), (2, 4)),
}
TABLED = (4, 5, 6, 7, 8, 12)
"""Here nothing is further from equal than the number of games makes it."""


def balance(games: Sequence[Seating]) -> Balance:
    """Counted one by one, zeros included. Two bots alone at a table are neighbours on both sides."""
    bots = range(len(games[0]))
    sits = Counter((bot, seat) for game in games for seat, bot in enumerate(game))
    right = Counter((game[seat - 1], game[seat]) for game in games for seat in bots)
    pairs = [(one, other) for one in bots for other in bots if one != other]
    return Balance(
        len(games),
        _ends([sits[bot, seat] for bot in bots for seat in bots]),
        _ends([right[pair] for pair in pairs]),
        _ends([right[one, other] + right[other, one] for one, other in pairs]),
    )


def _ends(counts: Sequence[int]) -> tuple[int, int]:
    return min(counts), max(counts)


def nearest(total: int, places: int) -> tuple[int, int]:
    """Return the counts of so many games spread as evenly as whole numbers can be."""
    return total // places, -(-total // places)


def rotations(size: int) -> tuple[Seating, ...]:
    return tuple(tuple((seat + turn) % size for seat in range(size)) for turn in range(size))


@pytest.mark.parametrize("size", PROMISED)
def test_seats_and_neighbours_are_as_balanced_as_promised(size: int) -> None:
    assert balance(seatings(size)) == PROMISED[size]


@pytest.mark.parametrize("size", range(1, 25))
def test_every_game_seats_every_bot_and_is_played_once(size: int) -> None:
    games = seatings(size)
    assert all(sorted(game) == list(range(size)) for game in games)
    assert len(set(games)) == len(games)


@pytest.mark.parametrize("size", range(2, 25))
def test_there_are_one_to_three_games_per_seat_and_each_bot_has_each_seat_as_often(size: int) -> None:
    games, rest = divmod(len(seatings(size)), size)
    assert (rest, games in (1, 2, 3)) == (0, True)
    assert balance(seatings(size)).in_a_seat == (games, games)


@pytest.mark.parametrize("size", range(2, 25))
def test_numbers_of_games_with_a_given_right_neighbour_differ_by_at_most_one(size: int) -> None:
    fewest, most = balance(seatings(size)).to_the_right
    assert fewest >= 1
    assert (fewest, most) == nearest(len(seatings(size)), size - 1)


@pytest.mark.parametrize("size", [3, *TABLED])
def test_no_other_design_of_as_many_games_has_neighbours_more_equal(size: int) -> None:
    assert balance(seatings(size)).neighbours == nearest(2 * len(seatings(size)), size - 1)


@pytest.mark.parametrize("size", [3, 4, 5, 7])
def test_all_pairs_are_neighbours_equally_often_where_three_games_per_seat_can_do_it(size: int) -> None:
    possible = [games for games in (size, 2 * size, 3 * size) if 2 * games % (size - 1) == 0]
    assert len(seatings(size)) in possible
    assert len(set(balance(seatings(size)).neighbours)) == 1


@pytest.mark.parametrize("size", [6, 8, 9, 10, 11, 12])
def test_elsewhere_no_three_games_per_seat_make_pairs_equal(size: int) -> None:
    assert all(2 * games % (size - 1) for games in (size, 2 * size, 3 * size))


@pytest.mark.parametrize("size", range(3, 13))
def test_rotations_alone_would_not_pass(size: int) -> None:
    """Rotations put every bot into every seat, but always beside the same two bots."""
    assert balance(rotations(size)) == Balance(size, (1, 1), (0, size), (0 if size > 3 else 3, size))


@given(st.integers(2, 14), st.randoms(use_true_random=False))
def test_it_does_not_matter_which_bot_has_which_number(size: int, rng: Random) -> None:
    names = rng.sample(range(size), size)
    renamed = [tuple(names[bot] for bot in game) for game in seatings(size)]
    assert balance(renamed) == balance(seatings(size))


@given(st.integers(2, 14), st.integers(0, 13))
def test_it_does_not_matter_where_the_circle_begins_nor_from_which_side_it_is_seen(size: int, turn: int) -> None:
    turned = [tuple(game[(seat + turn) % size] for seat in range(size)) for game in seatings(size)]
    mirrored = [game[::-1] for game in seatings(size)]
    assert balance(turned) == balance(mirrored) == balance(seatings(size))


@given(st.sampled_from(TABLED), st.data())
def test_two_bots_changing_places_in_one_game_are_noticed(size: int, data: st.DataObject) -> None:
    games = list(seatings(size))
    number = data.draw(st.integers(0, len(games) - 1))
    one, other = data.draw(st.lists(st.integers(0, size - 1), min_size=2, max_size=2, unique=True))
    game = list(games[number])
    game[one], game[other] = game[other], game[one]
    games[number] = tuple(game)
    assert balance(games) != PROMISED[size]


def test_bots_are_numbered_anew_for_each_deal_and_all_numbers_are_as_likely() -> None:
    first = Counter(relabelled(seatings(3), 3, f"deal {number}")[0] for number in range(600))
    assert len(first) == 6
    assert all(60 < count < 150 for count in first.values())


@given(st.integers(2, 14), st.text("0123456789abcdef", min_size=1))
def test_the_same_seed_gives_the_same_numbers_and_the_balance_stays(size: int, seed: str) -> None:
    games = relabelled(seatings(size), size, seed)
    assert games == relabelled(seatings(size), size, seed)
    assert balance(games) == balance(seatings(size))


def test_the_first_can_keep_their_numbers_and_of_many_others_any_can_sit_down() -> None:
    games = [relabelled(((0, 2, 3), (1, 2, 3)), 5, f"deal {number}", fixed=2) for number in range(100)]
    assert all((one[0], other[0], one[1:]) == (0, 1, other[1:]) for one, other in games)
    assert {bot for one, _ in games for bot in one[1:]} == {2, 3, 4}


@pytest.mark.parametrize("size", [0, -1])
def test_a_block_without_bots_is_refused(size: int) -> None:
    with pytest.raises(WrongPlayers, match="at least one bot"):
        seatings(size)


@given(st.integers(2, 14), st.text("0123456789abcdef", min_size=1), st.integers(0, 2))
def test_games_that_were_numbered_anew_are_recognised_as_the_design(size: int, seed: str, fixed: int) -> None:
    assert is_relabelled(relabelled(seatings(size), size, seed, fixed), seatings(size), size, fixed)


@given(st.sampled_from(TABLED), st.data())
def test_games_that_no_numbering_gives_are_not_recognised(size: int, data: st.DataObject) -> None:
    games = list(relabelled(seatings(size), size, "7"))
    number = data.draw(st.integers(0, len(games) - 1))
    one, other = data.draw(st.lists(st.integers(0, size - 1), min_size=2, max_size=2, unique=True))
    game = list(games[number])
    game[one], game[other] = game[other], game[one]
    assert not is_relabelled([*games[:number], tuple(game), *games[number + 1 :]], seatings(size), size)
    assert not is_relabelled(games[1:], seatings(size), size)
    assert not is_relabelled(games, seatings(size), size - 1)


def test_bots_that_keep_their_numbers_are_recognised_by_them() -> None:
    design = ((0, 2, 3), (1, 2, 3))
    assert is_relabelled(((0, 4, 2), (1, 4, 2)), design, 5, fixed=2)
    assert not is_relabelled(((1, 4, 2), (0, 4, 2)), design, 5, fixed=2)
    assert not is_relabelled(((0, 1, 2), (1, 1, 2)), design, 5, fixed=2)
