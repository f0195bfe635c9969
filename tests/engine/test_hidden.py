"""Non-interference: two states that look alike from a seat give that seat the same bytes, in every registered game."""

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splito_engine.game import AnyGame, Seat
from splito_engine.games import splito
from splito_engine.match import Match, legal_moves, play, start
from splito_engine.player import ask
from splito_engine.registry import games

OPTIONS: dict[str, list[dict[str, object]]] = {
    "splito": [{}, {"deals": 2, "talk": True}],
    "splitit": [{}, {"remove_at_every_split": True}],
    "splitter": [{"sheet": "A"}, {"sheet": "B"}],
}


def after(game: AnyGame, players: int, turns: int, rng: Random, options: dict[str, object]) -> Match:
    match = start(game, players, str(rng.random()), options)
    for _ in range(turns):
        if match.over:
            break
        match = play(match, {seat: rng.choice(legal_moves(match, seat)) for seat in match.actors})
    return match


def shown(game: AnyGame, state: Any, seat: Seat | None, players: int) -> bytes:
    """Return every message that a seat can get from a state."""
    if seat is None:
        return msgspec.json.encode(game.view(state, None))
    said = (ask(game, state, seat, players, "dice"), game.nudges(state, seat))
    return msgspec.json.encode(said)


@pytest.mark.parametrize("game_id", games())
@given(data=st.data())
def test_messages_to_a_seat_depend_only_on_its_view(game_id: str, data: st.DataObject) -> None:
    game = games()[game_id]
    players = data.draw(st.integers(game.INFO.min_players, game.INFO.max_players))
    options = data.draw(st.sampled_from(OPTIONS.get(game_id, [{}])))
    match = after(game, players, data.draw(st.integers(0, 30)), Random(data.draw(st.integers(0, 9999))), options)
    seat = data.draw(st.sampled_from([None, *range(players)]))
    view = game.view(match.state, seat)
    for dice in data.draw(st.lists(st.integers(0, 9999), min_size=2, max_size=4)):
        other = game.imagine(view, Random(dice))
        assert shown(game, other, seat, players) == shown(game, match.state, seat, players)
        assert shown(game, other, None, players) == shown(game, match.state, None, players)


def swapped(state: splito.State, one: Seat, other: Seat) -> splito.State:
    """Return the same state with the hands of two seats exchanged, built without `imagine`."""
    hands, doubles = list(state.hands), list(state.doubles)
    hands[one], hands[other] = hands[other], hands[one]
    doubles[one], doubles[other] = doubles[other], doubles[one]
    return msgspec.structs.replace(state, hands=tuple(hands), doubles=tuple(doubles))


@pytest.mark.clause("S8", "S10")
@given(st.integers(3, 8), st.integers(0, 12), st.integers(0, 9999), st.data())
def test_in_splito_others_hands_show_exactly_when_they_have_passed_through(
    players: int, rounds: int, seed: int, data: st.DataObject
) -> None:
    match = after(splito, players, rounds, Random(seed), {})
    seat, one, other = data.draw(st.permutations(range(players)))[:3]
    passed = {(seat - distance) % players for distance in range(rounds + 1)}
    real, exchanged = match.state, swapped(match.state, one, other)
    alike = shown(splito, real, seat, players) == shown(splito, exchanged, seat, players)
    same_cards = (real.hands[one], real.doubles[one]) == (real.hands[other], real.doubles[other])
    assert alike == (same_cards or not passed & {one, other})
    assert shown(splito, real, None, players) == shown(splito, exchanged, None, players)


@pytest.mark.clause("S7", "S19")
@given(st.integers(2, 8), st.integers(0, 20), st.integers(0, 9999))
def test_in_splito_no_view_shows_cards_still_to_be_dealt(players: int, rounds: int, seed: int) -> None:
    match = after(splito, players, rounds, Random(seed), {"deals": 3})
    packs = after(splito, players, rounds, Random(seed + 10_000), {"deals": 3}).state.packs
    other = msgspec.structs.replace(match.state, packs=packs)
    for seat in (None, *range(players)):
        assert shown(splito, other, seat, players) == shown(splito, match.state, seat, players)
