"""Scores of Splito zones in pictures: `r4 k2 moon-red | b1 | -` are three zones, the last one empty."""

from collections import Counter
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splito_engine.games import splito
from splito_engine.games.splito.scoring import Scored, score_zones
from splito_engine.games.splito.state import SplitoState
from tests.engine.games.naive_splito import naive_scores
from tests.engine.games.splito_pictures import ALL_CARDS, DECK, over, zones

TEN = "r1 r2 r3 r4 r5 b1 b2 b3 b4 b5"
"""Ten cards of two colours and five values."""


def scored(state: SplitoState) -> list[Scored]:
    return score_zones(DECK, state.commons, state.zones)


def points(state: SplitoState) -> list[int]:
    return [zone.points for zone in scored(state)]


FAMILIES = """
    most of a colour                      | r1 r2 moon-red | r3 b1 b2 | r4                   | 3 0 0
    as many of a colour as another zone   | r1 r2 moon-red | r3 r4 | -                       | 0 0 0
    fewer of a colour than another zone   | r1 moon-red | r3 r4 | -                          | 0 0 0
    most of a colour with one card        | o6 moon-orange | - | b1                          | 3 0 0
    no card of the colour anywhere        | b1 moon-red | b2 | -                             | 0 0 0
    most of a value                       | r5 b5 star-5 | k5 r1 | g5                        | 3 0 0
    as many of a value as another zone    | r5 b5 star-5 | k5 y5 | g5                        | 0 0 0
    no card of the value anywhere         | r1 star-5 | r2 | -                               | 0 0 0
    no card of the value here             | r1 r2 none-3 | r3 | -                            | 1 0 0
    no card here at all                   | none-3 | r3 | -                                  | 1 0 0
    one card of an unwanted value         | r1 r3 none-3 | - | -                             | 0 0 0
    exactly two of a value                | r3 k3 two-3 | r3 b3 k3 | -                       | 2 0 0
    the two copies of one card            | r3 r3 two-3 | - | -                              | 2 0 0
    one of the value where two are asked  | r3 two-3 | k3 | -                                | 0 0 0
    three where two are asked             | r3 k3 y3 two-3 | - | -                           | 0 0 0
    none where two are asked              | r1 two-3 | - | -                                 | 0 0 0
    each of three colours                 | r1 b2 y3 trio-rby | - | -                        | 1 0 0
    three colours and others              | r1 b2 y3 k1 g1 trio-rby | - | -                  | 1 0 0
    one of three colours is missing       | r1 b2 b3 k1 trio-rby | y1 | -                    | 0 0 0
    exactly three colours                 | r1 r2 b2 y3 y4 y5 colours-3 | - | -              | 4 0 0
    two colours where three are asked     | r1 r2 b2 colours-3 | - | -                       | 0 0 0
    four colours where three are asked    | r1 b2 y3 k4 colours-3 | - | -                    | 0 0 0
    exactly four colours                  | r1 b2 y3 k4 k5 colours-4 | - | -                 | 3 0 0
    five colours where four are asked     | r1 b2 y3 k4 g5 colours-4 | - | -                 | 0 0 0
    exactly five colours                  | r1 b2 y3 k4 g5 g6 colours-5 | - | -              | 2 0 0
    six colours where five are asked      | r1 b2 y3 k4 g5 o6 colours-5 | - | -              | 0 0 0
    six colours on six cards              | r1 b2 y3 k4 g5 o6 colours-6 | - | -              | 4 0 0
    six colours on nine cards             | r1 r2 r3 r4 b2 y3 k4 g5 o6 colours-6 | - | -     | 4 0 0
    five colours where six are asked      | r1 r2 r3 r4 b2 y3 k4 g5 g6 colours-6 | - | -     | 0 0 0
    six values of one colour              | r1 r2 r3 r4 r5 r6 values-6 | - | -               | 4 0 0
    six values on eight cards             | r1 r2 r3 r4 r5 r6 b1 b1 values-6 | - | -         | 4 0 0
    five values where six are asked       | r1 r2 r3 r4 r5 b1 b2 values-6 | - | -            | 0 0 0
"""


@pytest.mark.clause("S4")
@pytest.mark.parametrize("line", FAMILIES.strip().splitlines(), ids=lambda line: line.split("|")[0].strip())
def test_an_objective_scores_exactly_when_it_is_met(line: str) -> None:
    _, picture = line.split("|", 1)
    board, _, expected = picture.rpartition("|")
    assert points(over(board)) == [int(count) for count in expected.split()]


@pytest.mark.clause("S3")
def test_one_card_serves_every_objective_that_it_fits() -> None:
    board = over("r3 b3 moon-red star-3 two-3 none-1 | - | -")
    assert points(board) == [3 + 3 + 2 + 1, 0, 0]


@pytest.mark.clause("S3")
def test_an_objective_scores_once_however_well_it_is_met() -> None:
    assert points(over("r1 r2 r3 r4 r5 r6 moon-red | b1 | -")) == [3, 0, 0]
    assert points(over("r1 b1 y1 r2 b2 y2 trio-rby | - | -")) == [1, 0, 0]


@pytest.mark.clause("S3", "S15")
def test_a_zone_adds_up_what_it_meets() -> None:
    board = over("r1 b2 y3 trio-rby colours-3 none-4 two-5 | k4 none-4 two-4 | none-1 none-2")
    assert points(board) == [1 + 4 + 1, 0, 2]


@pytest.mark.clause("S13")
def test_an_unmet_objective_scores_nothing_and_stays_in_its_zone() -> None:
    left, _, _ = scored(over("r1 moon-blue two-6 | b1 | -"))
    assert (left.points, left.cards) == (0, 3)


QUANTITIES = {
    "eleven cards, itself included": (f"{TEN} max-11", 2),
    "twelve cards, itself included": (f"{TEN} r6 max-11", 0),
    "twelve with an unmet Objective": (f"{TEN} max-11 two-6", 0),
    "twelve with a met Objective": (f"{TEN} max-11 none-6", 0 + 1),
    "itself alone": ("max-11", 2),
    "fifteen cards, itself included": (f"{TEN} k1 k2 k3 k4 min-15", 2),
    "fourteen cards, itself included": (f"{TEN} k1 k2 k3 min-15", 0),
    "fifteen with an unmet Objective": (f"{TEN} k1 k2 k3 two-6 min-15", 2),
    "fifteen with a met Objective": (f"{TEN} k1 k2 k3 none-6 min-15", 2 + 1),
    "fifteen with four unmet Objectives": (f"{TEN} two-6 star-6 values-6 trio-kgo min-15", 2),
}


@pytest.mark.clause("S13", "S14")
@pytest.mark.parametrize("name", QUANTITIES)
def test_quantity_counts_every_card_of_the_zone(name: str) -> None:
    zone, expected = QUANTITIES[name]
    assert points(over(f"{zone} | - | -")) == [expected, 0, 0]


@pytest.mark.clause("S14")
@pytest.mark.parametrize("objective", ["moon-red", "star-3", "two-3", "trio-rby", "colours-3", "colours-6", "values-6"])
def test_the_other_families_do_not_look_at_objectives(objective: str) -> None:
    others = "moon-blue moon-yellow star-1 star-2 star-4 two-6 trio-kgo colours-4"
    assert points(over(f"{objective} {others} | - | -"))[0] == 0
    assert points(over(f"none-3 star-3 two-3 {others} | - | -"))[0] == 1


COMMONS = """
    the zone that leads gets it               | r1 r2 | r3 | -          | 3 0 0 | 3 1 0
    the leader may have one card              | - | r3 | -              | 0 3 0 | 0 2 0
    nobody gets it in a tie                   | r1 | r3 | -             | 0 0 0 | 1 1 0
    nor in a tie of three                     | r1 | r3 | r2            | 0 0 0 | 1 1 1
    a tie behind the leader does no harm      | r1 | r3 | r2 r4         | 0 0 3 | 1 1 3
    nobody gets it when nobody has the colour | b1 | b2 | -             | 0 0 0 | 1 1 0
    nor when nobody has any card              | - | - | -               | 0 0 0 | 0 0 0
    an Objective of the same colour is no red | moon-blue r1 | r2 | -   | 0 0 0 | 2 1 0
"""


@pytest.mark.clause("S12")
@pytest.mark.parametrize("line", COMMONS.strip().splitlines(), ids=lambda line: line.split("|")[0].strip())
def test_a_common_goes_to_the_zone_that_leads_or_to_no_zone(line: str) -> None:
    _, *board, expected, cards = line.split("|")
    result = scored(over("|".join(board), commons="moon-red"))
    assert [zone.points for zone in result] == [int(count) for count in expected.split()]
    assert [zone.cards for zone in result] == [int(count) for count in cards.split()]


@pytest.mark.clause("S12")
def test_both_commons_may_go_to_one_zone_or_to_two() -> None:
    assert points(over("r4 | b1 | -", commons="star-4 moon-red")) == [6, 0, 0]
    assert points(over("r1 | b4 | -", commons="star-4 moon-red")) == [3, 3, 0]


@pytest.mark.clause("S12", "S14")
@pytest.mark.parametrize(
    ("zone", "without", "with_common"),
    [(f"{TEN} max-11", 2, 0 + 3), (f"{TEN} k1 k2 k3 min-15", 0, 2 + 3)],
    ids=["eleven become twelve", "fourteen become fifteen"],
)
def test_a_common_that_was_won_counts_for_quantity(zone: str, without: int, with_common: int) -> None:
    assert points(over(f"{zone} | - | -"))[0] == without
    assert points(over(f"{zone} | - | -", commons="moon-red"))[0] == with_common


@pytest.mark.clause("S12", "S14")
def test_a_common_that_no_zone_won_counts_for_nothing() -> None:
    assert points(over(f"{TEN} max-11 | {TEN} | -", commons="moon-red"))[0] == 2


@pytest.mark.clause("S15")
def test_a_seat_scores_left_times_right_and_nothing_with_an_empty_side() -> None:
    board = over("none-1 none-2 | none-1 none-2 none-3 | k1 two-5 | none-4")
    assert points(board) == [2, 3, 0, 1]
    assert [score[0] for score in splito.scores(board)] == [1 * 2, 2 * 3, 3 * 0, 0 * 1]


@pytest.mark.clause("S17")
def test_the_example_of_the_rules() -> None:
    board = over(
        "r1 r2 r3 b4 b5 y6 colours-3 values-6 | r1 b2 y3 k4 g5 o6 colours-6 | g1 g1 g2", commons="star-1 moon-green"
    )
    assert points(board) == [8, 4, 6]
    assert [score[0] for score in splito.scores(board)] == [6 * 8, 8 * 4, 4 * 6] == [48, 32, 24]


@pytest.mark.clause("S16")
def test_the_highest_score_wins_however_many_cards_it_took() -> None:
    first, second, third = splito.scores(over("r1 r2 none-6 none-5 | none-1 | b1 b2 b3 none-4"))
    assert (first, second, third) == ((1 * 2, -8), (2 * 1, -5), (1 * 1, -5))
    assert second > first > third


@pytest.mark.clause("S16")
def test_in_a_tie_the_fewest_cards_win_objectives_and_commons_included() -> None:
    board = "none-1 | none-2 | none-3 | none-4"
    assert splito.scores(over(board)) == ((1, -2),) * 4
    assert splito.scores(over(f"two-1 {board}")) == ((1, -3), (1, -3), (1, -2), (1, -2))
    assert splito.scores(over("r2 none-1 | - | - | none-4", commons="moon-red"))[0] == (4 * 1, -4)


@pytest.mark.clause("S16")
def test_players_still_tied_share_the_victory() -> None:
    one, two, three, four = splito.scores(over("none-1 none-2 | r1 | none-1 | none-2 none-3 none-4"))
    assert one == max(one, two, three, four)
    assert splito.scores(over("none-1 | none-2 | none-3")) == ((1, -2), (1, -2), (1, -2))


@st.composite
def tables(draw: st.DrawFn) -> SplitoState:
    """Draw zones that the deck can make, for any number of players."""
    players = draw(st.integers(2, 8))
    commons = [draw(st.sampled_from(names)) for names in (["star-1", "star-6"], ["moon-red", "moon-orange"])]
    cards = draw(st.permutations(sorted((ALL_CARDS - Counter(commons)).elements())))
    laid: list[list[str]] = [["-"] for _ in range(players if players > 2 else 4)]
    for card in cards[: draw(st.integers(0, 60))]:
        laid[draw(st.integers(0, len(laid) - 1))].append(card)
    return over(" | ".join(map(" ".join, laid)), " ".join(commons), players)


@pytest.mark.clause("S12", "S13", "S14", "S15", "S16")
@given(tables())
def test_any_table_scores_what_a_naive_scorer_says(table: SplitoState) -> None:
    view = splito.view(table, None)
    assert list(splito.scores(table)) == naive_scores(view.players, list(view.commons), list(map(list, view.zones)))


@pytest.mark.clause("S12", "S15")
@given(tables())
def test_the_order_in_which_cards_were_played_does_not_matter(table: SplitoState) -> None:
    view = splito.view(table, None)
    backwards = " | ".join(" ".join(reversed(zone)) or "-" for zone in view.zones)
    assert splito.scores(over(backwards, " ".join(view.commons), view.players)) == splito.scores(table)


@pytest.mark.clause("S6", "S15")
@given(tables().filter(lambda table: len(table.hands) > 2))
def test_turning_the_table_turns_the_scores(table: SplitoState) -> None:
    first, *rest = zones(table).split(" | ")
    turned = over(" | ".join(chain(rest, [first])), " ".join(splito.view(table, None).commons))
    scores = splito.scores(table)
    assert splito.scores(turned) == (*scores[1:], scores[0])
