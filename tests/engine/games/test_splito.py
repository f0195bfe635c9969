"""The play of Splito: the table, the deal, sealed choices, and hands that are passed."""

from collections import Counter
from itertools import pairwise
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splito_engine.errors import AlreadySealed
from splito_engine.game import Game
from splito_engine.games import splito
from splito_engine.games.splito.state import SplitoOptions, SplitoSeat, SplitoState, SplitoView
from splito_engine.match import legal_moves, play, seal, start
from tests.engine.games.splito_pictures import (
    ALL_CARDS,
    PLAIN,
    a_seed,
    a_table,
    hand,
    holding,
    random_match,
    reveal,
    zones,
)

GAME: Game[SplitoOptions, SplitoState, int, SplitoView] = splito
"""A line for the type checker: the module is a game."""


def seats_of(state: SplitoState) -> tuple[SplitoSeat, ...]:
    return splito.view(state, None).seats


SEATINGS = {
    2: "0|1 2|3",
    3: "2|0 0|1 1|2",
    4: "3|0 0|1 1|2 2|3",
    5: "4|0 0|1 1|2 2|3 3|4",
    6: "5|0 0|1 1|2 2|3 3|4 4|5",
    7: "6|0 0|1 1|2 2|3 3|4 4|5 5|6",
    8: "7|0 0|1 1|2 2|3 3|4 4|5 5|6 6|7",
}


@pytest.mark.clause("S6", "S19")
@pytest.mark.parametrize("players", SEATINGS)
def test_every_seat_sits_between_its_two_zones(players: int) -> None:
    state = splito.setup(players, "deal", PLAIN)
    assert " ".join(f"{seat.left}|{seat.right}" for seat in seats_of(state)) == SEATINGS[players]
    assert len(splito.view(state, None).zones) == (players if players > 2 else 4)


@pytest.mark.clause("S6")
@pytest.mark.parametrize("players", range(3, 9))
def test_a_zone_is_the_right_one_of_a_seat_and_the_left_one_of_the_next(players: int) -> None:
    seats = seats_of(splito.setup(players, "deal", PLAIN))
    assert [seat.right for seat in seats] == list(range(players))
    assert all(one.right == other.left for one, other in pairwise((*seats, seats[0])))


@pytest.mark.clause("S6", "S9")
def test_cards_go_to_the_left_or_to_the_right_of_their_player() -> None:
    state = holding("r1 r2", "b1 b2", "y1 y2", "k1 k2")
    state = reveal(state, "r1<", "b1>", "y1<", "k1<")
    assert zones(state) == "- | b1 y1 | k1 | r1"


@pytest.mark.clause("S7")
@given(a_seed, a_table)
def test_a_star_and_a_moon_lie_open_and_every_player_gets_13_of_the_rest(seed: str, players: int) -> None:
    state = splito.setup(players, seed, PLAIN)
    commons = splito.view(state, None).commons
    assert [common.split("-")[0] for common in commons] == ["star", "moon"]
    hands = [hand(state, seat) for seat in range(players)]
    assert [len(cards) for cards in hands] == [13] * players
    assert Counter(card for cards in hands for card in cards) <= ALL_CARDS - Counter(commons)


@pytest.mark.clause("S7")
def test_each_star_each_moon_and_each_card_is_dealt_about_as_often_as_the_next() -> None:
    seeds = 2_000
    states = [splito.setup(3, f"{seed}", PLAIN) for seed in range(seeds)]
    commons = Counter(common for state in states for common in splito.view(state, None).commons)
    assert len(commons) == 12
    assert all(abs(count - seeds / 6) < 80 for count in commons.values())  # 5 standard deviations
    held = Counter(card for state in states for card in hand(state, 1))
    for card, copies in ALL_CARDS.items():
        in_play = copies - (1 / 6 if card in commons else 0)
        expected = seeds * in_play * 13 / 107
        assert abs(held[card] - expected) < 5 * expected**0.5, card


@pytest.mark.clause("S8")
@given(a_seed, a_table)
def test_all_see_the_commons_and_every_card_played_and_spectators_see_no_hand(seed: str, players: int) -> None:
    for state in random_match(players, seed):
        open_cards = {splito.view(state, seat).zones for seat in (None, *range(players))}
        assert len(open_cards) == 1
        assert len({splito.view(state, seat).commons for seat in (None, *range(players))}) == 1
        assert all(seat.hand is None for seat in splito.view(state, None).seats)
        assert all(splito.view(state, seat).seats[seat].hand is not None for seat in range(players))


@pytest.mark.clause("S9")
def test_any_card_of_the_hand_may_go_to_either_side_and_copies_are_one_choice() -> None:
    state = holding("moon-red r4 r4", "b1 b2 b3", "y1 y2 y3")
    listed = [*map(splito.move_text, splito.to_wire(state, splito.moves(state, 0)))]
    assert listed == ["r4<", "r4>", "moon-red<", "moon-red>"]
    state = reveal(state, "r4>", "b1<", "y1<")
    assert hand(state, 2) == ["r4", "moon-red"]


@pytest.mark.parametrize("count", range(4))
def test_any_number_of_moves_can_be_written(count: int) -> None:
    state = holding("moon-red r4 r4", "b1 b2 b3", "y1 y2 y3")
    found = splito.to_wire(state, splito.moves(state, 0)[:count])
    assert [*map(splito.move_text, found)] == ["r4<", "r4>", "moon-red<"][:count]


@pytest.mark.clause("S9", "S10")
def test_a_second_copy_can_be_played_later() -> None:
    state = holding("r4 r4 r4", "b1 b2 b3", "y1 y2 y3")
    state = reveal(state, "r4>", "b1<", "y1<")
    state = reveal(state, "b2<", "y2<", "r4<")
    state = reveal(state, "y3>", "r4>", "b3>")
    assert zones(state) == "r4 b1 y2 y3 | y1 r4 r4 | b2 b3"
    assert splito.actors(state) == ()


@pytest.mark.clause("S9")
@given(a_seed, st.integers(2, 8).flatmap(lambda players: st.permutations(range(players))))
def test_the_order_of_sealing_changes_nothing_and_shows_nothing(seed: str, order: list[int]) -> None:
    match = start(splito, len(order), seed)
    moves = {seat: Random(f"{seed} {seat}").choice(legal_moves(match, seat)) for seat in order}
    sealed = match
    for seat in order:
        assert sealed.state == match.state
        assert sealed.turns == ()
        sealed = seal(sealed, seat, moves[seat])
    assert sealed == play(match, moves)
    assert list(sealed.turns[0].moves) == sorted(order)


@pytest.mark.clause("S9")
def test_the_side_is_sealed_with_the_card() -> None:
    match = start(splito, 3, "deal")
    left, right = legal_moves(match, 0)[:2]
    assert (left.card, left.side, right.side) == (right.card, "left", "right")
    sealed = seal(match, 0, left)
    assert seal(sealed, 0, left) == sealed
    with pytest.raises(AlreadySealed):
        seal(sealed, 0, right)


@pytest.mark.clause("S10")
def test_the_rest_of_the_hand_goes_to_the_left() -> None:
    state = holding("r1 r2 r3", "b1 b2 b3", "y1 y2 y3", "k1 k2 k3")
    state = reveal(state, "r1<", "b2<", "y3<", "k1<")
    assert [" ".join(hand(state, seat)) for seat in range(4)] == ["b1 b3", "y1 y2", "k2 k3", "r2 r3"]


class Memory:
    """The memory of perfect players: each remembers the hands it gets and the cards that are played."""

    def __init__(self, state: SplitoState) -> None:
        self.players = len(seats_of(state))
        self.packets = [Counter(hand(state, seat)) for seat in range(self.players)]
        self.holder = {packet: packet for packet in range(self.players)}
        self.seen = {seat: {seat} for seat in range(self.players)}

    def watch(self, cards: dict[int, str]) -> None:
        for packet, seat in self.holder.items():
            self.packets[packet].subtract([cards[seat]])
        for packet, seat in self.holder.items():
            left = seat - 1 if seat > 0 else self.players - 1
            self.holder[packet] = left
            self.seen[left].add(packet)

    def known_to(self, seat: int) -> dict[int, Counter[str]]:
        return {holder: self.packets[packet] for packet, holder in self.holder.items() if packet in self.seen[seat]}


@pytest.mark.clause("S8", "S10")
@pytest.mark.parametrize("players", range(3, 9))
def test_a_seat_knows_exactly_the_hands_that_have_passed_through(players: int) -> None:
    rng = Random(players)
    match = start(splito, players, f"memory {players}")
    memory = Memory(match.state)
    for _ in range(13):
        for seat in range(players):
            shown = splito.view(match.state, seat).seats
            known = {other: Counter(place.hand) for other, place in enumerate(shown) if place.hand is not None}
            assert known == {other: +cards for other, cards in memory.known_to(seat).items()}
            assert {place.hand_size for place in shown} == {13 - len(match.turns)}
        moves = {seat: rng.choice(legal_moves(match, seat)) for seat in match.actors}
        match = play(match, moves)
        memory.watch({seat: move.card for seat, move in moves.items()})
    assert match.over


@pytest.mark.clause("S11")
@pytest.mark.parametrize("players", range(3, 9))
def test_after_13_rounds_the_hands_are_empty_and_all_cards_lie_in_the_zones(players: int) -> None:
    *before, last = random_match(players, f"{players}")
    assert len(before) == 13
    assert all(splito.actors(state) == tuple(range(players)) for state in before)
    assert splito.actors(last) == ()
    assert all(hand(last, seat) == [] and not splito.moves(last, seat) for seat in range(players))
    played = Counter(card for zone in splito.view(last, None).zones for card in zone)
    assert played == sum((Counter(hand(before[0], seat)) for seat in range(players)), Counter[str]())


@given(a_seed, a_table, st.integers(1, 2))
def test_no_card_is_lost_or_made_up(seed: str, players: int, deals: int) -> None:
    first, *later = [Counter(splito.pieces(state)) for state in random_match(players, seed, SplitoOptions(deals))]
    assert first.total() == deals * (2 + 13 * (players if players > 2 else 4))
    assert all(pieces == first for pieces in later)


@pytest.mark.clause("S10")
@given(a_seed, a_table, st.data())
def test_what_a_seat_imagines_looks_the_same_and_can_be_dealt(seed: str, players: int, data: st.DataObject) -> None:
    state = data.draw(st.sampled_from(list(random_match(players, seed))))
    seat = data.draw(st.sampled_from([None, *range(players)]))
    imagined = splito.imagine(splito.view(state, seat), Random(seed))
    assert splito.view(imagined, seat) == splito.view(state, seat)
    assert Counter(splito.pieces(imagined)) <= ALL_CARDS


@pytest.mark.parametrize("text", ["r4<", "r4>", "moon-red<", "max-11>"])
def test_the_short_form_of_a_move_reads_back(text: str) -> None:
    assert splito.move_text(splito.parse_move(text)) == text


@given(a_seed, a_table)
def test_states_and_views_survive_the_wire(seed: str, players: int) -> None:
    for state in random_match(players, seed):
        assert msgspec.json.decode(msgspec.json.encode(state), type=SplitoState) == state
        view = splito.view(state, 1)
        assert msgspec.json.decode(msgspec.json.encode(view), type=SplitoView) == view
