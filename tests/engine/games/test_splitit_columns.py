"""Cards won in *Split it!*, clause by clause: columns, jokers and scores."""

import pytest

from splito_engine.games import splitit
from splito_engine.games.splitit import actors, move_text, moves, scores
from tests.engine.games.splitit_pictures import act, drawn, play, player, position

# The columns and the jokers


@pytest.mark.clause("I9")
@pytest.mark.parametrize(
    ("before", "won", "after"),
    [
        ("", "7 3 7", "3 7 7"),
        ("", "J 7 J", "7 J7 J7"),
        ("7", "J", "7 J7"),
        ("", "J J", "J J"),
        ("J J", "J", "J J J"),
        ("J", "7 7", "7 7 J7"),
        ("J J", "J 7", "7 J7 J7 J7"),
        ("J J", "7 3 7", "3 7 7 J7 J7"),
        ("J", "3 7", "3 7 J3"),
    ],
    ids=[
        "numbers open columns",
        "the numbers are laid first",
        "one column: nothing to ask",
        "no column: jokers wait",
        "they go on waiting",
        "they join the first column opened",
        "all join the only column",
        "of several columns the first in the row",
        "which need not be the largest",
    ],
)
def test_cards_won_are_laid_without_asking(before: str, won: str, after: str) -> None:
    state = act(position(f"{won} | 1 | 1", table=(before, "", "")), "white pink pink")
    assert state.table[0] == player(after)
    assert state.phase != "place"


@pytest.mark.clause("I9")
@pytest.mark.parametrize(
    ("before", "won", "after", "columns"),
    [
        ("3 7", "J", "3 7 J", ["J3", "J7"]),
        ("", "10 J 2 J", "2 10 J J", ["J2", "J10"]),
        ("J", "10 J 2", "2 10 J10 J", ["J2", "J10"]),
    ],
    ids=["a choice of two", "columns of the same win", "only the new joker is asked for"],
)
def test_a_joker_is_asked_for_where_there_is_a_choice(before: str, won: str, after: str, columns: list[str]) -> None:
    state = act(position(f"1 | {won} | 1", table=("", before, "")), "white pink white")
    assert (state.phase, actors(state)) == ("place", (1,))
    assert state.table[1] == player(after)
    assert [move_text(move) for move in moves(state, 1)] == columns


@pytest.mark.clause("I9")
def test_jokers_of_one_win_go_one_by_one_on_any_columns_before_the_round_goes_on() -> None:
    state = position("5 5 5 | J J | J", players=4, splitter=3, table=("3 7", "1 2", "", ""))
    state = act(state, "pink black white white")
    assert (state.phase, actors(state), drawn(state)) == ("place", (0, 1), "5 5 5")
    state = act(state, "J7 J2")
    assert (state.phase, actors(state)) == ("place", (0,))
    state = act(state, "J3")
    assert state.table[:2] == (player("3 7 J3 J7"), player("1 2 J2"))
    assert (state.phase, actors(state)) == ("split", (3,))


@pytest.mark.clause("I9")
def test_a_joker_counts_as_a_card_of_its_column() -> None:
    state = play(position("J | 1 | 1", table=("3 7", "7", ""), pile=""), "white pink pink", "J7")
    assert scores(state)[0] == (3 + 7, 2)
    assert scores(state)[1] == (0, 1)


# The scores


@pytest.mark.clause("I10")
@pytest.mark.parametrize(
    ("table", "points"),
    [
        (("", "", ""), (0, 0, 0)),
        (("8 8", "8", ""), (8, 0, 0)),
        (("8 8", "8 J8", "8"), (8, 8, 0)),
        (("10", "10", "10"), (10, 10, 10)),
        (("J J J", "1", ""), (0, 1, 0)),
        (("9 9", "9 J9 J9", "10 J10"), (0, 9, 10)),
    ],
    ids=["nobody", "most", "tied", "all tied", "waiting jokers", "jokers decide"],
)
def test_most_cards_score_the_number_once_and_ties_score_in_full(table: tuple[str, ...], points: tuple[int]) -> None:
    assert tuple(score[0] for score in scores(position("1 1 1", table=table))) == points


@pytest.mark.clause("I10")
def test_the_game_ends_with_the_round_that_used_up_the_pile() -> None:
    state = act(position("1 | 2 | 3", pile=""), "white pink black")
    assert (state.phase, actors(state), state.inside) == ("over", (), ())
    assert scores(state) == ((1, 1), (2, 1), (3, 1))


@pytest.mark.clause("I10")
def test_the_last_jokers_are_placed_before_the_end() -> None:
    state = act(position("1 | 2 | J", table=("", "", "3 4"), pile=""), "white pink black")
    assert state.phase == "place"
    assert act(state, "J4").phase == "over"


@pytest.mark.clause("I11")
def test_columns_break_ties() -> None:
    one, other, third = scores(position("1 1 1", table=("10", "7 2 1", "9 1")))
    assert (one, other, third) == ((10, 1), (10, 3), (10, 2))
    assert other > third > one


@pytest.mark.clause("I12")
def test_the_example_of_the_rules_gives_15_points() -> None:
    state = position("1 1 1", table=("8 8 J8 5 5 2 9", "8 8 5 2 9 9", "9 9"))
    assert scores(state)[0] == (15, 4)
    assert splitit.explain(state, "en").totals[0] == "Seat 0: 8 + 5 + 2 = 15, 4 columns"
