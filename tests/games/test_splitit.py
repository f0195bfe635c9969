"""*Split it!*, clause by clause.

Rows are drawn as they lie: `3 7 | J 7 | 9` is split in white, pink and black, `3 7 J` is not split. What a player has
won is written as `8 8 J8 5 J`: two eights with a joker on them, a five, and a joker that waits.
"""

from collections import Counter
from typing import Any, cast

import pytest

from engine.errors import BadMove, IllegalMove, MissingMove, NotYourTurn, UnknownMove, WrongPlayers
from engine.game import Game
from engine.games import splitit
from engine.games.splitit import (
    SplititBet,
    SplititMove,
    SplititOptions,
    SplititPlace,
    SplititPlayer,
    SplititRemove,
    SplititSplit,
    SplititState,
    SplititView,
    SplititZones,
    actors,
    apply,
    move_text,
    moves,
    parse_move,
    scores,
    setup,
    view,
)

GAME: Game[SplititOptions, SplititState, SplititMove, SplititView] = splitit
"""A line for the type checker: the module is a game."""

PLAIN = SplititOptions()
ALWAYS_REMOVE = SplititOptions(remove_at_every_split=True)
THE_NINES = "9 9 9 9 9 9 9"


def cards(text: str) -> Any:
    return tuple(text.split())


def player(text: str) -> SplititPlayer:
    tokens = text.split()
    return SplititPlayer(
        numbers=tuple(tokens.count(str(n)) for n in range(1, 11)),
        jokers=tuple(tokens.count(f"J{n}") for n in range(1, 11)),
        waiting=tokens.count("J"),
    )


def position(  # noqa: PLR0913 (a picture has many parts)
    row: str,
    *,
    players: int = 3,
    splitter: int = 0,
    table: tuple[str, ...] = (),
    inside: tuple[int, ...] | None = None,
    pile: str = THE_NINES,
    splits: int = 0,
    standoffs: int = 0,
    options: SplititOptions = PLAIN,
) -> SplititState:
    """The state of a picture; a row with dividers awaits the bets, one without awaits the split."""
    zones = [cards(zone) for zone in row.split("|")] if "|" in row else []
    return SplititState(
        players=players,
        options=options,
        pile=cards(pile),
        table=tuple(map(player, table or ("",) * players)),
        round=splitter + 1,
        phase="bet" if zones else "split",
        row=cards(row.replace("|", "")),
        zones=SplititZones(*zones),
        inside=tuple(range(players)) if inside is None else inside,
        splits=splits + bool(zones),
        standoffs=standoffs,
    )


def drawn(state: SplititState) -> str:
    """The row of a state, as a picture."""
    if state.zones == SplititZones():
        return " ".join(state.row)
    zones = (state.zones.white, state.zones.pink, state.zones.black)
    return " | ".join(" ".join(zone) for zone in zones)


def act(state: SplititState, texts: str) -> SplititState:
    """Everybody who must moves, in the order of the seats: `pink white pink`, `2|5`, `J8`."""
    return apply(state, dict(zip(actors(state), map(parse_move, texts.split()), strict=True)))


def play(state: SplititState, *turns: str) -> SplititState:
    for texts in turns:
        state = act(state, texts)
    return state


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
def test_nobody_removes_anything_with_more_players(players: int) -> None:
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
def test_a_round_ends_when_everybody_has_won() -> None:
    state = play(position("3 7 7 | 5 7 | 9 9", pile=THE_NINES), "white pink white", "1|2", "white black")
    assert state.round == 2
    assert state.table == (player("3"), player("5 7"), player("7"))
    assert state.discard == cards("9 9 7")


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
    assert splitit.explain(state, "en").totals[0] == "8 + 5 + 2 = 15, 4 columns"


# What is refused

SPLITTING = position("3 7 J 7 9")
REMOVING = act(position("3 7 J 7 9", players=2), "2|4")
BETTING = position("3 | 7 |")
PLACING = act(position("J | 1 | 1", table=("3 7", "", "")), "white pink pink")
OVER = act(position("1 | 2 | 3", pile=""), "white pink black")


@pytest.mark.parametrize(
    ("state", "given", "kind", "seat"),
    [
        pytest.param(SPLITTING, {1: SplititSplit(1, 2)}, NotYourTurn, 1, id="not the splitter"),
        pytest.param(SPLITTING, {0: SplititSplit(1, 2), 1: SplititBet("pink")}, NotYourTurn, 1, id="too early"),
        pytest.param(SPLITTING, {}, MissingMove, 0, id="no move"),
        pytest.param(SPLITTING, {0: SplititSplit(0, 1)}, IllegalMove, 0, id="an empty white zone"),
        pytest.param(SPLITTING, {0: SplititSplit(2, 2)}, UnknownMove, 0, id="an empty pink zone"),
        pytest.param(SPLITTING, {0: SplititSplit(1, 5)}, IllegalMove, 0, id="an empty black zone"),
        pytest.param(SPLITTING, {0: SplititSplit(4, 2)}, UnknownMove, 0, id="dividers crossed"),
        pytest.param(SPLITTING, {0: SplititSplit(-4, -1)}, UnknownMove, 0, id="dividers from the end"),
        pytest.param(SPLITTING, {0: SplititSplit(1, 99)}, UnknownMove, 0, id="a divider off the table"),
        pytest.param(SPLITTING, {0: SplititBet("white")}, IllegalMove, 0, id="a bet before the split"),
        pytest.param(SPLITTING, {0: "1|2"}, UnknownMove, 0, id="a text is no move"),
        pytest.param(SPLITTING, {0: None}, UnknownMove, 0, id="nothing is no move"),
        pytest.param(REMOVING, {0: SplititRemove("pink")}, NotYourTurn, 0, id="the splitter does not remove"),
        pytest.param(REMOVING, {1: SplititBet("pink")}, IllegalMove, 1, id="a bet before the removal"),
        pytest.param(
            BETTING, {s: SplititBet("black") for s in range(3)}, IllegalMove, 0, id="a bet on a zone without cards"
        ),
        pytest.param(
            BETTING,
            {0: SplititBet("pink"), 1: SplititRemove("pink"), 2: SplititBet("pink")},
            IllegalMove,
            1,
            id="a removal for a bet",
        ),
        pytest.param(
            BETTING,
            {0: SplititBet("pink"), 1: SplititBet("pink"), 2: SplititBet(cast("Any", "green"))},
            UnknownMove,
            2,
            id="a colour that does not exist",
        ),
        pytest.param(BETTING, {0: SplititBet("pink"), -1: SplititBet("pink")}, NotYourTurn, -1, id="a negative seat"),
        pytest.param(PLACING, {0: SplititPlace(8)}, IllegalMove, 0, id="a joker on no column"),
        pytest.param(PLACING, {0: SplititPlace(0)}, UnknownMove, 0, id="a column that does not exist"),
        pytest.param(PLACING, {0: SplititPlace(3), 1: SplititPlace(3)}, NotYourTurn, 1, id="without a joker"),
        pytest.param(OVER, {0: SplititBet("white")}, NotYourTurn, None, id="after the end"),
        pytest.param(OVER, {}, NotYourTurn, None, id="nothing after the end"),
    ],
)
def test_a_bad_move_is_refused_with_its_seat_and_changes_nothing(
    state: SplititState, given: Any, kind: type[BadMove], seat: int | None
) -> None:
    before = splitit.view(state, None), state.pile
    with pytest.raises(BadMove) as error:
        apply(state, given)
    assert (type(error.value), error.value.seat) == (kind, seat)
    assert (splitit.view(state, None), state.pile) == before


@pytest.mark.parametrize("players", [-1, 0, 1, 5])
def test_it_is_a_game_for_two_to_four(players: int) -> None:
    with pytest.raises(WrongPlayers):
        setup(players, "seed", PLAIN)


@pytest.mark.parametrize("seat", [-1, 3, 99])
def test_a_seat_that_does_not_exist_sees_and_does_nothing(seat: int) -> None:
    with pytest.raises(WrongPlayers) as error:
        view(BETTING, seat)
    assert error.value.seat == seat
    assert moves(BETTING, seat) == ()
