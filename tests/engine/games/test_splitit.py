"""A round of *Split it!*, clause by clause: the row, the split, the removal, the bets and the cards that stay."""

from collections import Counter

import pytest

from splito_engine.errors import IllegalMove, MissingMove
from splito_engine.game import Game
from splito_engine.games import splitit
from splito_engine.games.splitit import (
    SplititBet,
    SplititMove,
    SplititOptions,
    SplititState,
    SplititView,
    actors,
    apply,
    move_text,
    moves,
    setup,
    view,
)
from tests.engine.games.splitit_pictures import (
    ALWAYS_REMOVE,
    PLAIN,
    THE_NINES,
    act,
    cards,
    drawn,
    play,
    player,
    position,
)

GAME: Game[SplititOptions, SplititState, SplititMove, SplititView] = splitit
"""A line for the type checker: the module is a game."""

# The cards and the rounds


@pytest.mark.clause("I1")
def test_there_are_n_cards_of_each_number_n_and_15_jokers() -> None:
    deck = Counter(splitit.pieces(setup(3, "seed", PLAIN)))
    assert deck == {**{str(n): n for n in range(1, 11)}, "J": 15}
    assert deck.total() == 70


@pytest.mark.clause("I2")
@pytest.mark.parametrize(
    ("players", "rows"),
    [(2, [7] * 10), (3, [7] * 10), (4, [9] * 7 + [7])],
    ids=["two players", "three players", "four players"],
)
def test_the_rows_use_up_the_pile_and_the_splitter_goes_round(players: int, rows: list[int]) -> None:
    state = setup(players, "rows", PLAIN)
    lengths: list[int] = []
    splitters: list[int] = []
    while actors(state):
        if state.phase == "split" and state.splits == 0:
            assert state.round == len(lengths) + 1
            lengths.append(len(state.row))
            splitters.extend(actors(state))
        state = apply(state, {seat: moves(state, seat)[-1] for seat in actors(state)})
    assert lengths == rows
    assert splitters == [n % players for n in range(len(rows))]
    assert view(state, None).rounds == len(rows)


@pytest.mark.clause("I2")
def test_a_row_is_the_top_of_the_pile_from_left_to_right() -> None:
    state = play(position("1 | 2 | 3", pile="10 9 8 7 6 5 4 3 2 1"), "white pink black")
    assert drawn(state) == "10 9 8 7 6 5 4"
    assert state.pile == cards("3 2 1")


# The split


@pytest.mark.clause("I3")
@pytest.mark.parametrize(
    ("split", "picture"),
    [
        ("1|2", "3 | 7 | J 7 9"),
        ("2|4", "3 7 | J 7 | 9"),
        ("3|4", "3 7 J | 7 | 9"),
        ("1|4", "3 | 7 J 7 | 9"),
    ],
)
def test_the_splitter_cuts_the_row_in_three(split: str, picture: str) -> None:
    state = act(position("3 7 J 7 9"), split)
    assert drawn(state) == picture
    assert actors(state) == (0, 1, 2)


@pytest.mark.clause("I3")
@pytest.mark.parametrize(("length", "ways"), [(3, 1), (4, 3), (5, 6), (7, 15), (9, 28)])
def test_every_zone_of_a_split_has_a_card(length: int, ways: int) -> None:
    state = position(" ".join("5" * length))
    splits = moves(state, 0)
    assert len(splits) == len(set(splits)) == ways
    for split in splits:
        zones = apply(state, {0: split}).zones
        assert all((zones.white, zones.pink, zones.black))


# The removal, for two players


@pytest.mark.clause("I4")
def test_of_two_players_the_other_one_removes_a_zone() -> None:
    state = act(position("3 7 J 7 9", players=2, splitter=0), "2|4")
    assert (state.phase, actors(state)) == ("remove", (1,))
    assert [move_text(move) for move in moves(state, 1)] == ["-white", "-pink", "-black"]

    state = act(state, "-pink")
    assert drawn(state) == "3 7 |  | 9"
    assert (state.row, state.discard) == (cards("3 7 9"), cards("J 7"))
    assert (state.phase, actors(state)) == ("bet", (0, 1))


@pytest.mark.clause("I4")
def test_bets_go_only_on_zones_that_hold_cards() -> None:
    state = play(position("3 7 J 7 9", players=2, splitter=1), "2|4", "-white")
    assert drawn(state) == " | J 7 | 9"
    assert [move_text(move) for move in moves(state, 0)] == ["pink", "black"]
    with pytest.raises(IllegalMove):
        act(state, "white pink")


@pytest.mark.clause("I4")
def test_a_zone_is_removed_once_a_round() -> None:
    state = play(position("3 7 J 7 9", players=2), "2|4", "-black", "white white")
    assert drawn(state) == "3 7"
    assert act(state, "1|2").phase == "bet"


@pytest.mark.clause("I4")
def test_a_new_round_has_a_removal_again() -> None:
    state = play(position("3 7 J", players=2, pile=THE_NINES), "1|2", "-black", "white pink")
    assert drawn(state) == THE_NINES
    assert act(state, "1|2").phase == "remove"


@pytest.mark.clause("I4")
def test_with_the_option_a_zone_is_removed_at_every_split() -> None:
    state = play(position("3 7 J 7 9 9", players=2, options=ALWAYS_REMOVE), "4|5", "-black", "white white")
    assert drawn(state) == "3 7 J 7"
    state = play(state, "1|2", "-white", "black black")
    assert drawn(state) == "J 7"
    state = play(state, "0|1", "-pink")
    assert drawn(state) == " |  | 7"
    assert act(state, "black black").discard == cards("9 9 3 7 J 7")


@pytest.mark.clause("I4")
@pytest.mark.parametrize("players", [3, 4])
def test_no_zone_is_removed_with_more_than_two_players(players: int) -> None:
    state = position("3 7 J 7 9", players=players, options=ALWAYS_REMOVE)
    assert act(state, "2|4").phase == "bet"


# The bets


@pytest.mark.clause("I5")
def test_all_still_in_the_round_bet_together() -> None:
    state = position("3 7 | J 7 | 9", players=4, inside=(1, 2, 3))
    assert actors(state) == (1, 2, 3)
    with pytest.raises(MissingMove) as error:
        apply(state, {1: SplititBet("white"), 2: SplititBet("white")})
    assert error.value.seat == 3


@pytest.mark.clause("I6")
@pytest.mark.parametrize(
    ("bets", "stays", "won", "discard"),
    [
        ("white pink black", "", {0: "3 7 7", 1: "5 7", 2: "9 9"}, ""),
        ("white white pink", "3 7 7", {2: "5 7"}, "9 9"),
        ("pink white pink", "5 7", {1: "3 7 7"}, "9 9"),
        ("black black white", "9 9", {2: "3 7 7"}, "5 7"),
        ("black black black", "9 9", {}, "3 7 7 5 7"),
    ],
    ids=["one bet each", "two on white", "two on pink", "two on black", "all on black"],
)
def test_no_bet_discards_a_zone_one_wins_it_and_more_leave_it(
    bets: str, stays: str, won: dict[int, str], discard: str
) -> None:
    state = act(position("3 7 7 | 5 7 | 9 9", pile=""), bets)
    assert drawn(state) == stays
    assert state.table == tuple(player(won.get(seat, "")) for seat in range(3))
    assert state.discard == cards(discard)
    if stays:
        assert state.inside == tuple(seat for seat in range(3) if seat not in won)


@pytest.mark.clause("I6")
def test_of_four_players_two_pairs_may_leave_two_zones() -> None:
    state = act(position("3 7 | 5 7 | 9 9", players=4), "black white white black")
    assert drawn(state) == "3 7 9 9"
    assert state.inside == (0, 1, 2, 3)


@pytest.mark.clause("I6", "I7")
def test_a_splitter_who_is_out_still_splits_again_but_does_not_bet() -> None:
    state = act(position("3 7 7 | 5 7 | 9 9", splitter=1), "white pink white")
    assert (state.phase, actors(state), drawn(state)) == ("split", (1,), "3 7 7")
    state = act(state, "1|2")
    assert actors(state) == (0, 2)
    assert moves(state, 1) == ()


# What stays


@pytest.mark.clause("I7")
def test_two_zones_that_stay_close_up_in_the_same_order() -> None:
    state = act(position("3 7 | 5 8 | 9 9", players=4), "white black black white")
    assert drawn(state) == "3 7 9 9"
    assert drawn(act(state, "1|3")) == "3 | 7 9 | 9"


@pytest.mark.clause("I7")
@pytest.mark.parametrize(
    ("split", "picture", "bets"),
    [("1|2", "3 | 7 | ", ["white", "pink"]), ("0|1", " | 3 | 7", ["pink", "black"])],
    ids=["the left divider", "the right divider"],
)
def test_a_row_of_two_has_one_divider_of_the_splitters_choice(split: str, picture: str, bets: list[str]) -> None:
    state = position("3 7")
    assert [move_text(move) for move in moves(state, 0)] == ["1|2", "0|1"]
    state = act(state, split)
    assert drawn(state) == picture
    assert [move_text(move) for move in moves(state, 2)] == bets


@pytest.mark.clause("I7", "I8")
@pytest.mark.parametrize(
    ("bets", "discard"),
    [("white white white", "7 3"), ("white pink pink", "7"), ("white white pink", "3")],
)
def test_a_single_card_that_stays_is_discarded_and_the_round_ends(bets: str, discard: str) -> None:
    state = act(position("3 | 7 |"), bets)
    assert state.discard == cards(discard)
    assert (state.round, drawn(state), state.inside) == (2, THE_NINES, (0, 1, 2))


@pytest.mark.clause("I7")
def test_four_players_may_leave_a_row_of_two_unchanged_but_not_three_times_running() -> None:
    state = position("3 7", players=4)
    for standoffs in (1, 2):
        state = play(state, "1|2", "white white pink pink")
        assert (state.round, drawn(state), state.standoffs) == (1, "3 7", standoffs)
        assert view(state, None).standoffs == standoffs
    state = play(state, "0|1", "black pink black pink")
    assert (state.round, state.discard, state.standoffs) == (2, cards("3 7"), 0)


@pytest.mark.clause("I7")
def test_only_betting_that_leaves_the_whole_row_counts_as_a_stand_off() -> None:
    state = play(position("5 | 3 | 7", players=4), "pink pink black black")
    assert (drawn(state), state.standoffs) == ("3 7", 0)


@pytest.mark.clause("I8")
def test_a_round_ends_when_every_player_has_won_cards() -> None:
    state = play(position("3 7 7 | 5 7 | 9 9", pile=THE_NINES), "white pink white", "1|2", "white black")
    assert state.round == 2
    assert state.table == (player("3"), player("5 7"), player("7"))
    assert state.discard == cards("9 9 7")
