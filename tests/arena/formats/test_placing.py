"""The official placing by the rules of each format: the order, the reasons, the winner, and no winner without games."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splito_arena.formats import (
    Elimination,
    Entrant,
    Figures,
    Format,
    Gauntlet,
    Ladder,
    Past,
    RoundRobin,
    Swiss,
    TableResult,
    describe,
    needs_deciding_block,
    placing,
)
from splito_arena.formats.elimination import MOST_DECIDING
from splito_arena.formats.placing import NO_FINAL, NOT_YET, UNPLAYED, Placing
from splito_arena.stats.intervals import RatingInterval
from tests.arena.formats.formats_played import by_rating, field, played, somehow
from tests.arena.formats.test_fixed import FIXED, SIZES, several

DUEL = ("b000", "b001")


def final_of(*places: float, deciding: tuple[tuple[float, ...], ...] = ()) -> Past:
    """A cup that is one table, the final."""
    return Past(((TableResult(tuple(f"b{number:03}" for number in range(len(places))), places, deciding),),))


def placed(kind: Format, past: Past, bots: int) -> Placing:
    return placing(kind, len(past.rounds[0][0].bots), field(bots), past, "seed", final=True)


@pytest.mark.parametrize("kind", FIXED.values(), ids=FIXED)
@several
@given(SIZES, st.randoms(use_true_random=False))
def test_every_format_places_all_entrants_with_reasons(kind: Format, sizes: tuple[int, int], rng: Random) -> None:
    players, bots = sizes
    end = played(kind, players, field(bots), somehow(rng))
    found = placing(kind, players, end.entrants, end.past, "seed", final=True)
    assert sorted(line.bot for line in found.lines) == [one.bot for one in end.entrants]
    assert all(line.reason for line in found.lines)
    assert [line.place for line in found.lines] == [
        1 + sum(len(tied) for tied in found.groups[:group]) for group, tied in enumerate(found.groups) for _ in tied
    ]
    assert found.winners == found.groups[0]
    if isinstance(kind, Elimination):
        assert len(found.winners) == 1


@pytest.mark.parametrize("kind", FIXED.values(), ids=FIXED)
def test_a_tournament_in_which_nothing_was_played_has_no_winner(kind: Format) -> None:
    unplayed = Past(((TableResult(("b000", "b001", "b002", "b003"), None),),))
    for past in (Past(), unplayed):
        found = placing(kind, 4, field(4), past, "seed", final=True)
        assert (found.winners, found.lines, found.note) == ((), (), UNPLAYED)
        assert placing(kind, 4, field(4), past, "seed").note == NOT_YET


def test_a_provisional_placing_names_no_winner() -> None:
    found = placing(Elimination(), 2, field(2), final_of(1.0, 2.0), "seed")
    assert (found.final, found.winners) == (False, ())
    assert found.groups == (("b000",), ("b001",))


def test_the_winner_of_the_final_is_first_and_the_others_follow_by_the_round_in_which_they_went_out() -> None:
    end = played(Elimination(), 2, field(4), by_rating)
    found = placing(Elimination(), 2, end.entrants, end.past, "seed", final=True)
    assert [(line.place, line.bot, line.round, line.reason) for line in found.lines] == [
        (1, "b000", 2, "won the final"),
        (2, "b001", 2, "place 2 in the final"),
        (3, "b002", 1, "out in round 1, place 2 at its table"),
        (3, "b003", 1, "out in round 1, place 2 at its table"),
    ]


def test_bots_that_are_still_in_share_the_first_place_during_an_elimination() -> None:
    end = played(Elimination(), 2, field(4), by_rating)
    found = placing(Elimination(), 2, end.entrants, Past(end.past.rounds[:1]), "seed")
    assert [(line.place, line.bot, line.out, line.reason) for line in found.lines[:2]] == [
        (1, "b000", False, "still in"),
        (1, "b001", False, "still in"),
    ]
    assert found.rounds == 1


def test_a_deciding_block_decides_a_tied_final_between_the_tied_bots_only() -> None:
    """The third bot of the final wins the deciding block, and stays third."""
    past = final_of(1.5, 1.5, 3.0, deciding=((3.0, 2.0, 1.0),))
    found = placed(Elimination(), past, 3)
    assert found.groups == (("b001",), ("b000",), ("b002",))
    assert found.lines[0].reason == "won the final in a deciding block"


def test_tie_breaks_decide_a_final_that_deciding_blocks_leave_tied() -> None:
    found = placed(Elimination(), final_of(1.5, 1.5, deciding=((1.5, 1.5),) * MOST_DECIDING), 2)
    assert found.winners == ("b000",)
    assert [line.reason for line in found.lines] == [
        "won the final by tie-break: the better seed",
        "tied in the final, behind by tie-break",
    ]


def test_the_first_tie_break_of_a_double_elimination_is_fewer_losses_before_the_final() -> None:
    """b000 wins all its tables before the final as the worst seed, so its opponent has a loss and a better seed."""
    kind, entrants = Elimination(double=True), [Entrant(one.bot, rating=-(one.rating or 0.0)) for one in field(4)]
    *before, (final,) = played(kind, 2, entrants, by_rating).past.rounds
    past = Past((*before, (TableResult(final.bots, (1.5, 1.5)),)))
    found = placing(kind, 2, entrants, past, "seed", final=True)
    assert found.winners == ("b000",)
    assert found.lines[0].reason == "won the final by tie-break: fewer losses before it"
    assert [line.losses for line in found.lines[2:]] == [2, 2], "the others went out with their second loss"


def test_bots_share_the_first_place_of_a_final_if_the_format_says_so() -> None:
    found = placed(Elimination(shared=True), final_of(1.5, 1.5, 3.0, 4.0), 4)
    assert found.winners == DUEL
    assert found.groups == (DUEL, ("b002",), ("b003",))
    assert {line.reason for line in found.lines[:2]} == {"shares the first place of the final"}


@pytest.mark.parametrize(
    ("kind", "past", "deciding", "needed"),
    [
        (Elimination(), final_of(1.5, 1.5), 0, True),
        (Elimination(), final_of(1.5, 1.5, deciding=((1.5, 1.5),)), 1, True),
        (Elimination(), final_of(1.5, 1.5, deciding=((1.0, 2.0),)), 1, False),
        (Elimination(), final_of(1.5, 1.5), MOST_DECIDING, False),
        (Elimination(), final_of(1.0, 2.0), 0, False),
        (Elimination(), final_of(1.0, 2.5, 2.5), 0, False),
        (Elimination(shared=True), final_of(1.5, 1.5), 0, False),
        (Elimination(), Past(), 0, False),
    ],
    ids=["tied", "tied again", "decided", "enough", "not tied", "a lower place is tied", "shared", "not played"],
)
def test_deciding_blocks_are_played_while_the_first_place_of_a_final_is_tied(
    kind: Elimination, past: Past, deciding: int, needed: bool
) -> None:
    players = len(past.rounds[0][0].bots) if past.rounds else 2
    assert needs_deciding_block(kind, players, field(players), past, "seed", deciding=deciding) is needed


def test_no_deciding_block_is_played_without_a_bot_that_dropped_out() -> None:
    entrants = (*field(2)[:1], Entrant("b001", rating=-1.0, active=False))
    past = final_of(1.5, 1.5)
    assert not needs_deciding_block(Elimination(), 2, entrants, past, "seed", deciding=0)
    assert placing(Elimination(), 2, entrants, past, "seed", final=True).winners == ("b000",)


def test_means_that_differ_by_rounding_errors_are_tied() -> None:
    past = final_of(1.1 + 0.4, 3.3 - 1.8)
    assert {*(past.rounds[0][0].places or ())} == {1.5, 1.4999999999999998}
    assert needs_deciding_block(Elimination(), 2, field(2), past, "seed", deciding=0)


def test_bots_that_are_left_without_a_final_share_the_first_place() -> None:
    end = played(Elimination(), 3, field(9), by_rating)
    entrants = [Entrant(one.bot, rating=one.rating, active=one.bot in DUEL) for one in end.entrants]
    found = placing(Elimination(), 3, entrants, Past(end.past.rounds[:1]), "seed", final=True)
    assert (found.winners, found.note) == (DUEL, NO_FINAL)


def test_a_swiss_placing_has_points_and_tie_breaks_and_shared_places() -> None:
    end = played(Swiss(rounds=2), 2, field(4), by_rating)
    found = placing(Swiss(rounds=2), 2, end.entrants, end.past, "seed", final=True)
    assert [(line.place, line.bot, line.points, line.opponents, line.tables_won) for line in found.lines] == [
        (1, "b000", 2.0, 2.0, 2.0),
        (2, "b001", 1.0, 2.0, 1.0),
        (2, "b002", 1.0, 2.0, 1.0),
        (4, "b003", 0.0, 2.0, 0.0),
    ]
    assert found.lines[0].reason == "2 points, bots met 2, tables won 2"


def test_the_points_of_the_bots_met_break_a_tie_of_swiss_points() -> None:
    """Both finish with a win and a draw with each other; b002 had beaten the bot that wins no point."""
    rounds = (
        (TableResult(("b000", "b001"), (1.0, 2.0)), TableResult(("b002", "b003"), (1.0, 2.0))),
        (TableResult(("b000", "b002"), (1.5, 1.5)), TableResult(("b001", "b003"), (1.0, 2.0))),
    )
    found = placing(Swiss(rounds=2), 2, field(4), Past(rounds), "seed", final=True)
    assert [(line.bot, line.points, line.opponents) for line in found.lines[:2]] == [
        ("b000", 1.5, 2.5),
        ("b002", 1.5, 1.5),
    ]


def test_tables_won_break_a_tie_of_swiss_points_and_opponents() -> None:
    """Both have one point, against the same bots: one by a win and a last place, the other by two middle places."""
    rounds = (
        (TableResult(("b000", "b001", "b002"), (1.0, 2.0, 3.0)),),
        (TableResult(("b000", "b001", "b002"), (3.0, 2.0, 1.0)),),
    )
    found = placing(Swiss(rounds=2), 3, field(3), Past(rounds), "seed", final=True)
    assert found.groups == (("b000", "b002"), ("b001",))


def test_a_round_robin_is_decided_by_mean_places_and_not_by_ratings() -> None:
    figures = {"b000": Figures(2.0, 4), "b001": Figures(1.25, 4), "b002": Figures(2.0, 4)}
    found = placing(RoundRobin(), 3, field(4), Past(), "seed", figures=figures, final=True)
    assert [(line.place, line.bot, line.reason) for line in found.lines] == [
        (1, "b001", "mean place 1.25 over 4 blocks"),
        (2, "b000", "mean place 2 over 4 blocks"),
        (2, "b002", "mean place 2 over 4 blocks"),
        (4, "b003", "did not play"),
    ]


def test_a_bot_that_dropped_out_early_does_not_win_a_round_robin() -> None:
    figures = {"b000": Figures(1.0, 2), "b001": Figures(1.4, 9), "b002": Figures(1.6, 9)}
    entrants = (Entrant("b000", active=False), Entrant("b001"), Entrant("b002"))
    found = placing(RoundRobin(), 3, entrants, Past(), "seed", figures=figures, final=True)
    assert found.groups == (("b001",), ("b002",), ("b000",))
    assert found.lines[-1].reason == "mean place 1 over 2 blocks, dropped out early"
    late = figures | {"b000": Figures(1.0, 8)}
    assert placing(RoundRobin(), 3, entrants, Past(), "seed", figures=late, final=True).winners == ("b000",)


def test_a_ladder_is_placed_by_rating_and_has_no_winner() -> None:
    figures = {
        "b000": Figures(2.0, 4, RatingInterval(1400.0, 1300.0, 1500.0), 3),
        "b001": Figures(1.25, 4, RatingInterval(1600.4, 1500.0, 1700.0), 2),
        "b003": Figures(1.0, 4, RatingInterval(1580.0, 1580.0, None), 1),
    }
    bots = [Entrant("b000"), Entrant("b001"), Entrant("b002", rating=1999.0), Entrant("b003")]
    found = placing(Ladder(), 2, bots, Past(), "seed", figures=figures)
    assert (found.rule, found.winners) == ("rating", ())
    assert [(line.bot, line.reason) for line in found.lines] == [
        ("b003", "rating at least 1580"),
        ("b001", "rating 1600"),
        ("b000", "rating 1400"),
        ("b002", "not rated yet"),
    ]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (RoundRobin(blocks=2), "round robin, 2 blocks per table"),
        (Swiss(rounds=3), "Swiss, 3 rounds, 1 block per table"),
        (Elimination(double=True), "double elimination, 2 of 4 go on, 1 block per table"),
        (Gauntlet(bot="owl"), "gauntlet of owl, 1 block per table"),
        (Ladder(), "ladder, 1 block per table"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_a_format_is_described_in_words(kind: Format, text: str) -> None:
    assert describe(kind, 4) == text
