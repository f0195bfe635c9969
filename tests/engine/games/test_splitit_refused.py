"""Bad moves of *Split it!* are refused with the right error and change nothing."""

from typing import Any, cast

import pytest

from splito_engine.errors import BadMove, IllegalMove, MissingMove, NotYourTurn, UnknownMove, WrongPlayers
from splito_engine.games import splitit
from splito_engine.games.splitit import (
    SplititBet,
    SplititPlace,
    SplititRemove,
    SplititSplit,
    SplititState,
    apply,
    moves,
    setup,
    view,
)
from tests.engine.games.splitit_pictures import PLAIN, act, position

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
def test_split_it_is_for_two_to_four_players(players: int) -> None:
    with pytest.raises(WrongPlayers):
        setup(players, "seed", PLAIN)


@pytest.mark.parametrize("seat", [-1, 3, 99])
def test_a_seat_that_does_not_exist_has_no_moves_and_no_view(seat: int) -> None:
    with pytest.raises(WrongPlayers) as error:
        view(BETTING, seat)
    assert error.value.seat == seat
    assert moves(BETTING, seat) == ()
