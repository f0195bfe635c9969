"""Splito over several deals, Splito for two, and table talk."""

from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splito_engine.errors import BadNudge
from splito_engine.games import splito
from splito_engine.games.splito.state import SplitoDeal, SplitoOptions, SplitoState
from splito_engine.match import Match, legal_moves, play, seal, start
from splito_engine.record import Remark, encode, record_of, replay
from tests.engine.games.naive_splito import naive_met, naive_scores
from tests.engine.games.splito_pictures import PLAIN, a_seed, a_table, hand, holding, over, random_match, reveal, zones

TALK = SplitoOptions(talk=True)


@pytest.mark.clause("S18")
@pytest.mark.parametrize(("players", "deals", "rounds"), [(3, 1, 13), (3, 3, 39), (8, 2, 26), (2, 1, 26), (2, 3, 78)])
def test_a_match_has_as_many_deals_as_its_options_say(players: int, deals: int, rounds: int) -> None:
    states = list(random_match(players, "deals", SplitoOptions(deals)))
    assert len(states) == 1 + rounds
    length = rounds // deals
    for number, state in enumerate(states[:-1]):
        view = splito.view(state, None)
        assert (view.deal, view.rounds_played, len(view.finished)) == (number // length, number % length, view.deal)


@pytest.mark.clause("S18")
@given(a_seed, a_table, st.integers(2, 3))
def test_the_scores_of_all_deals_are_added_up(seed: str, players: int, deals: int) -> None:
    *_, last = random_match(players, seed, SplitoOptions(deals))
    view = splito.view(last, None)
    tables = [(deal.commons, deal.zones) for deal in view.finished] + [(view.commons, view.zones)]
    each = [naive_scores(players, list(commons), list(map(list, laid))) for commons, laid in tables]
    assert [deal.scores for deal in view.finished] == [tuple(scores) for scores in each[:-1]]
    assert splito.scores(last) == tuple(
        (sum(points for points, _ in seat), sum(cards for _, cards in seat)) for seat in zip(*each, strict=True)
    )


@pytest.mark.clause("S18")
def test_every_deal_has_its_own_commons_and_its_own_shuffle() -> None:
    differ = 0
    for seed in range(20):
        states = list(random_match(3, f"{seed}", SplitoOptions(deals=2)))
        assert hand(states[0], 0) != hand(states[13], 0)
        differ += splito.view(states[0], 0).commons != splito.view(states[13], 0).commons
    assert differ > 15


@pytest.mark.clause("S8", "S18")
def test_a_new_deal_begins_with_empty_zones_and_hands_that_no_other_seat_knows() -> None:
    state = list(random_match(4, "new deal", SplitoOptions(deals=2)))[13]
    view = splito.view(state, 1)
    assert zones(state) == "- | - | - | -"
    assert [place.hand is not None for place in view.seats] == [False, True, False, False]
    assert splito.scores(state) == view.finished[0].scores


@pytest.mark.clause("S16", "S18")
def test_a_tied_total_goes_to_the_fewest_cards_over_all_deals_and_then_is_shared() -> None:
    past = SplitoDeal(("star-1", "moon-red"), ((), (), ()), ((5, -20), (4, -21), (3, -24)))
    board = over("none-1 none-2 | none-1 | r1 none-2", options=SplitoOptions(deals=2))
    assert splito.scores(board) == ((2, -4), (2, -3), (1, -3))
    first, second, third = splito.scores(msgspec.structs.replace(board, finished=(past,)))
    assert (first, second, third) == ((7, -24), (6, -24), (4, -27))
    tied = msgspec.structs.replace(past, scores=((5, -20), (5, -21), (6, -21)))
    first, second, third = splito.scores(msgspec.structs.replace(board, finished=(tied,)))
    assert first == second == third == (7, -24)
    longer = msgspec.structs.replace(past, scores=((5, -20), (5, -22), (6, -21)))
    first, second, third = splito.scores(msgspec.structs.replace(board, finished=(longer,)))
    assert first == third > second


@pytest.mark.clause("S19")
@given(a_seed)
def test_two_players_play_two_hands_of_13_into_the_same_zones(seed: str) -> None:
    states = list(random_match(2, seed))
    assert len(states) == 1 + 26
    for number, state in enumerate(states[:-1]):
        assert [len(hand(state, seat)) for seat in (0, 1)] == [13 - number % 13] * 2
        assert sum(map(len, splito.view(state, None).zones)) == 2 * number
    assert splito.view(states[-1], None).commons == splito.view(states[0], None).commons
    assert len(splito.pieces(states[0])) == 2 + 4 * 13


@pytest.mark.clause("S19")
def test_two_players_share_no_zone_and_swap_their_hands() -> None:
    state = holding("r1 r2 r3", "b1 b2 b3")
    state = reveal(state, "r1<", "b1<")
    assert (hand(state, 0), hand(state, 1)) == (["b2", "b3"], ["r2", "r3"])
    state = reveal(state, "b2>", "r2>")
    assert zones(state) == "r1 | b2 | b1 | r2"
    assert hand(state, 0) == ["r3"]


@pytest.mark.clause("S10", "S19")
def test_two_players_know_both_hands_after_a_swap_and_only_their_own_after_a_new_deal() -> None:
    states = list(random_match(2, "two"))
    known = [sum(place.hand is not None for place in splito.view(state, 0).seats) for state in states[:-1]]
    assert known == [1] + [2] * 12 + [1] + [2] * 12


@pytest.mark.clause("S12", "S19")
def test_majorities_and_commons_are_compared_over_all_four_zones() -> None:
    board = over("r1 r2 moon-red | r3 none-1 | r4 r5 | b1 none-2", commons="star-1 moon-blue", players=2)
    assert splito.scores(board) == ((0 * 1, -5), (0 * 4, -5))
    board = over("r1 r2 moon-red | r3 none-1 | r4 | b1 none-2", commons="star-2 moon-blue", players=2)
    assert splito.scores(board) == (((3 + 3) * 1, -6), (0 * (3 + 1), -4))


@pytest.mark.clause("S15", "S19")
def test_the_score_of_two_is_the_own_left_times_the_own_right() -> None:
    board = over("none-1 none-2 | none-1 none-2 none-3 | none-1 | none-1 none-2 none-3 none-4", players=2)
    assert splito.scores(board) == ((2 * 3, -5), (1 * 4, -5))


def nudged(zones: str, players: int = 3, *, talk: bool = True) -> SplitoState:
    """Return a state with these zones in which each seat still holds one card."""
    held = holding(*["k6"] * players, talk=talk)
    return msgspec.structs.replace(held, zones=over(zones).zones)


@pytest.mark.clause("S20")
def test_a_seat_may_name_what_is_unmet_and_call_a_neighbour() -> None:
    state = nudged("r1 moon-red two-1 | none-1 two-2 | b1 none-1 min-15")
    assert splito.nudges(state, 1) == (
        "unmet:two-1:0",
        "unmet:two-2:1",
        "unmet:none-1:2",
        "unmet:min-15:2",
        "play:left",
        "play:right",
    )


@pytest.mark.clause("S20")
@given(a_seed, a_table)
def test_exactly_the_unmet_objectives_in_the_zones_can_be_named(seed: str, players: int) -> None:
    for state in random_match(players, seed, TALK):
        view = splito.view(state, None)
        lying = {number: list(zone) for number, zone in enumerate(view.zones)}
        unmet = {
            f"unmet:{card}:{number}"
            for number, zone in lying.items()
            for card in zone
            if "-" in card and not naive_met(card, number, lying)
        }
        calls = {"play:left", "play:right"} if players > 2 else set[str]()
        for seat in splito.actors(state):
            assert {*splito.nudges(state, seat)} == unmet | calls
            assert splito.nudges(state, seat) == splito.nudges(state, 0)


@pytest.mark.clause("S20")
def test_there_is_no_talk_unless_the_match_says_so_and_none_after_the_end() -> None:
    assert splito.Options().talk is False
    assert splito.nudges(nudged("r1 two-1 | - | -", talk=False), 0) == ()
    *_, last = random_match(3, "end", TALK)
    assert splito.nudges(last, 0) == ()
    assert splito.nudges(nudged("r1 two-1 | - | -"), 3) == ()


BAD_NUDGES = {
    "an Objective that is met": "unmet:moon-red:0",
    "an Objective of another zone": "unmet:two-1:1",
    "an Objective in nobody's zone": "unmet:two-6:0",
    "a common": "unmet:star-1:0",
    "a card that is no Objective": "unmet:r1:0",
    "a zone there is not": "unmet:two-1:3",
    "neither side": "play:up",
    "free text": "play the red one!",
    "nothing": "",
}


@pytest.mark.clause("S20")
@pytest.mark.parametrize("name", BAD_NUDGES)
def test_a_text_that_is_no_nudge_of_the_list_is_refused(name: str) -> None:
    match = Match(splito, 3, "picture", TALK, nudged("r1 moon-red two-1 | - | -"))
    move = legal_moves(match, 2)[0]
    with pytest.raises(BadNudge) as caught:
        seal(match, 2, move, BAD_NUDGES[name])
    assert (caught.value.code, caught.value.seat, caught.value.field) == ("bad-nudge", 2, "nudge")


@pytest.mark.clause("S20")
def test_with_talk_off_every_nudge_is_refused() -> None:
    match = start(splito, 3, "silence")
    moves = {seat: legal_moves(match, seat)[0] for seat in range(3)}
    with pytest.raises(BadNudge):
        play(match, moves, {1: "play:left"})


@pytest.mark.clause("S20")
def test_nudges_are_shown_with_the_revealed_round_and_kept_in_the_record() -> None:
    match = start(splito, 3, "talk", {"talk": True})
    said = {2: "play:left", 0: "play:right"}
    for seat in (2, 0, 1):
        assert match.turns == ()
        match = seal(match, seat, legal_moves(match, seat)[0], said.get(seat))
    assert match.turns[0].talk == said
    rng = Random(20)
    while not match.over:
        nudge = rng.choice(splito.nudges(match.state, 1))
        moves = {seat: rng.choice(legal_moves(match, seat)) for seat in range(3)}
        match = play(match, moves, {1: nudge})
        assert match.turns[-1].talk == {1: nudge}
    record = record_of(match, ("a", "b", "c"), "0" * 32)
    assert record.talk[:2] == (Remark(0, 0, "play:right"), Remark(0, 2, "play:left"))
    assert [remark.turn for remark in record.talk[2:]] == list(range(1, 13))
    assert any(remark.nudge.startswith("unmet:") for remark in record.talk)
    assert encode(record_of(replay(record, splito), record.names, record.salt)) == encode(record)


@pytest.mark.clause("S20")
def test_talk_changes_no_state() -> None:
    match = start(splito, 3, "talk", {"talk": True})
    moves = {seat: legal_moves(match, seat)[0] for seat in range(3)}
    assert play(match, moves, {0: "play:left"}).state == play(match, moves).state
    assert splito.view(splito.setup(3, "talk", TALK), 0).seats == splito.view(splito.setup(3, "talk", PLAIN), 0).seats
