"""Non-interference: two states that look alike from a seat make the same ask for that seat, byte by byte.

The deals differ, so the dice of the bot's own do; and no two asks are sent at the same time. All else is the same.
"""

from datetime import UTC, datetime
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splito_arena.match.question import DICE, History, dice_seeds, question
from splito_engine.game import Seat
from splito_engine.games import splito
from splito_engine.match import Match, Turn, start
from splito_engine.player import Cost, Time
from splito_engine.registry import games
from tests.engine.test_hidden import OPTIONS, after

NOW = datetime(2026, 11, 1, tzinfo=UTC)


def asked(match: Match, seat: Seat) -> bytes:
    """All that a bot is sent, but for the seed of its dice."""
    time, last = Time(6000, 1000, 5000), Cost(12.5, 0, "ok")
    sent = question(match, seat, "match", History(), time=time, last=last).encoded(NOW)
    seed = dice_seeds(match, "match")[seat].encode()
    assert sent.count(seed) == 1
    return sent.replace(seed, b"dice")


@pytest.mark.parametrize("game_id", games())
@given(data=st.data())
def test_an_ask_depends_only_on_what_the_seat_sees(game_id: str, data: st.DataObject) -> None:
    game = games()[game_id]
    players = data.draw(st.integers(game.INFO.min_players, game.INFO.max_players))
    options = data.draw(st.sampled_from(OPTIONS.get(game_id, [{}])))
    match = after(game, players, data.draw(st.integers(0, 30)), Random(data.draw(st.integers(0, 9999))), options)
    if match.over:
        return
    seat = data.draw(st.sampled_from(match.actors))
    real = asked(match, seat)
    for dice in data.draw(st.lists(st.integers(0, 9999), min_size=2, max_size=4)):
        state = game.imagine(game.view(match.state, seat), Random(dice))
        other = msgspec.structs.replace(match, state=state, seed=f"another deal {dice}")
        assert asked(other, seat) == real


@pytest.mark.parametrize("game_id", games())
def test_an_ask_tells_nothing_of_the_seed_of_the_deal(game_id: str) -> None:
    game = games()[game_id]
    match = after(game, game.INFO.min_players, 1, Random(1), {})
    assert match.seed.encode() not in asked(match, match.actors[0])


def test_every_seat_turn_match_and_deal_has_its_own_seed_for_the_bot() -> None:
    first, other = (start(splito, 8, seed) for seed in ("7", "8"))
    later = msgspec.structs.replace(first, turns=(Turn({}),))
    dice = [seed for match in (first, later, other) for match_id in "mn" for seed in dice_seeds(match, match_id)]
    assert len({*dice}) == len(dice) == 3 * 2 * 8
    assert {len(one) for one in dice} == {DICE}
    assert dice_seeds(first, "m") == dice_seeds(start(splito, 8, "7"), "m")
