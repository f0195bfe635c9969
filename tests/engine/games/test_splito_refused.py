"""Bad moves and bad starts of Splito are refused with a code, a seat and a field, and change nothing."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splito_engine.errors import GameError, IllegalMove, UnknownMove, WrongPlayers
from splito_engine.games import splito
from splito_engine.games.splito.move import SplitoMove
from splito_engine.match import Match, play, seal, start
from tests.engine.games.splito_pictures import PLAIN, a_seed, a_table, holding, random_match

TABLE = ("r1 moon-red", "b1 star-2", "o2 o2")

BAD_MOVES: dict[str, tuple[dict[int, object], str, int, str | None]] = {
    "nobody moves": ({}, "missing-move", 0, None),
    "seat 2 does not move": ({0: "r1<", 1: "b1<"}, "missing-move", 2, None),
    "a fourth seat moves": ({0: "r1<", 1: "b1<", 2: "o2<", 3: "r1<"}, "not-your-turn", 3, None),
    "another seat moves in place of seat 2": ({0: "r1<", 1: "b1<", 3: "o2<"}, "not-your-turn", 3, None),
    "a seat below zero moves": ({0: "r1<", 1: "b1<", -1: "o2<"}, "not-your-turn", -1, None),
    "a card that does not exist": ({0: "r1<", 1: "b7<", 2: "o2<"}, "unknown-move", 1, "card"),
    "an Objective that does not exist": ({0: "moon-pink>", 1: "b1<", 2: "o2<"}, "unknown-move", 0, "card"),
    "a card of another hand": ({0: "b1<", 1: "b1<", 2: "o2<"}, "illegal-move", 0, "card"),
    "a card that nobody has": ({0: "r1<", 1: "b1<", 2: "max-11>"}, "illegal-move", 2, "card"),
    "neither side": ({0: "r1<", 1: SplitoMove("b1", "up"), 2: "o2<"}, "unknown-move", 1, "side"),  # pyright: ignore[reportArgumentType]
    "no move at all": ({0: None, 1: "b1<", 2: "o2<"}, "unknown-move", 0, "move"),
    "the wire form": ({0: "r1<", 1: {"card": "b1", "side": "left"}, 2: "o2<"}, "unknown-move", 1, "move"),
    "a list for a card": ({0: "r1<", 1: SplitoMove(["b1"], "left"), 2: "o2<"}, "unknown-move", 1, "move"),  # pyright: ignore[reportArgumentType]
}


@pytest.mark.clause("S9")
@pytest.mark.parametrize("name", BAD_MOVES)
def test_a_bad_move_is_refused_with_its_seat_and_field_and_changes_nothing(name: str) -> None:
    texts, code, seat, field = BAD_MOVES[name]
    moves = {seat: splito.parse_move(move) if isinstance(move, str) else move for seat, move in texts.items()}
    state = holding(*TABLE)
    before = msgspec.json.encode(state)
    with pytest.raises(GameError) as caught:
        play(Match(splito, 3, "picture", PLAIN, state), moves)
    assert (caught.value.code, caught.value.seat, caught.value.field) == (code, seat, field)
    assert msgspec.json.encode(state) == before


@pytest.mark.clause("S9")
@pytest.mark.parametrize(("move", "code"), [("r1<", "illegal-move"), ("r7<", "unknown-move")])
def test_a_bad_move_is_refused_when_it_is_sealed(move: str, code: str) -> None:
    match = Match(splito, 3, "picture", PLAIN, holding(*TABLE))
    with pytest.raises(GameError) as caught:
        seal(match, 1, splito.parse_move(move))
    assert (caught.value.code, caught.value.seat) == (code, 1)


@pytest.mark.parametrize("move", [-1, -2, -194, 146, 255, 256, 10_000])
def test_a_number_that_is_no_move_is_refused_whatever_the_hand(move: int) -> None:
    with pytest.raises(UnknownMove) as caught:
        splito.apply(holding(*TABLE), {0: 0, 1: 12, 2: move})
    assert caught.value.seat == 2


@given(a_seed, a_table, st.integers(0, 145))
def test_a_move_is_accepted_exactly_when_it_is_listed(seed: str, players: int, move: int) -> None:
    state = splito.setup(players, seed, PLAIN)
    moves = {seat: splito.moves(state, seat)[0] for seat in range(1, players)}
    if move in splito.moves(state, 0):
        assert splito.apply(state, {0: move, **moves}) != state
    else:
        with pytest.raises(IllegalMove):
            splito.apply(state, {0: move, **moves})


def test_a_move_after_the_end_is_refused() -> None:
    *_, last = random_match(3, "end")
    for moves in ({}, {0: 0, 1: 0, 2: 0}):
        with pytest.raises(GameError) as caught:
            splito.apply(last, moves)
        assert caught.value.code == "not-your-turn"


@pytest.mark.parametrize("seat", [-1, 3, 99])
def test_a_seat_that_does_not_exist_has_no_moves_and_no_view(seat: int) -> None:
    state = splito.setup(3, "deal", PLAIN)
    assert not splito.moves(state, seat)
    with pytest.raises(WrongPlayers) as caught:
        splito.view(state, seat)
    assert caught.value.seat == seat


BAD_STARTS: dict[str, tuple[int, dict[str, object], str, str]] = {
    "nobody": (0, {}, "wrong-players", "players"),
    "one player": (1, {}, "wrong-players", "players"),
    "nine players": (9, {}, "wrong-players", "players"),
    "an option there is not": (3, {"rounds": 5}, "bad-option", "rounds"),
    "no deals": (3, {"deals": 0}, "bad-option", "deals"),
    "ten deals": (3, {"deals": 10}, "bad-option", "deals"),
    "deals in words": (3, {"deals": "three"}, "bad-option", "deals"),
    "talk in words": (3, {"talk": "yes"}, "bad-option", "talk"),
    "a deck that is no file": (3, {"deck": "deluxe"}, "bad-deck", "deck"),
}


@pytest.mark.parametrize("name", BAD_STARTS)
def test_a_match_with_wrong_players_or_options_is_refused(name: str) -> None:
    players, options, code, field = BAD_STARTS[name]
    with pytest.raises(GameError) as caught:
        start(splito, players, "deal", options)
    assert (caught.value.code, caught.value.field) == (code, field)


@pytest.mark.parametrize("text", ["", "<", "r4", "r4 left", "r4=", "r4<\n"])
def test_a_text_that_is_not_a_move_is_refused(text: str) -> None:
    with pytest.raises(UnknownMove) as caught:
        splito.parse_move(text)
    assert caught.value.field == "move"
