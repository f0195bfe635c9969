"""Matches: seats seal one by one, moves are revealed together, and bad moves are refused without a change."""

from itertools import permutations

import pytest

from splito_engine.errors import AlreadySealed, BadNudge, BadOption, GameError, IllegalMove, NotYourTurn, UnknownMove
from splito_engine.games import splito, splitter
from splito_engine.match import Match, legal_moves, play, seal, start
from splito_engine.registry import find_game


def opening(players: int = 3, **options: object) -> Match:
    return start(splito, players, "match", options)


def firsts(match: Match) -> dict[int, splito.Move]:
    return {seat: legal_moves(match, seat)[0] for seat in match.actors}


@pytest.mark.clause("S9")
def test_the_order_of_sealing_does_not_matter_and_nothing_shows_before_the_last() -> None:
    match, moves = opening(), firsts(opening())
    ends: list[Match] = []
    for order in permutations(range(3)):
        sealed = match
        for seat in order:
            assert sealed.state == match.state
            assert not sealed.turns
            sealed = seal(sealed, seat, moves[seat])
        ends.append(sealed)
    assert all(end == ends[0] for end in ends)
    assert ends[0] == play(match, moves)
    assert ends[0].sealed.moves == {}


def test_sealing_the_same_move_again_is_allowed_and_another_move_is_not() -> None:
    match = opening()
    first, second = legal_moves(match, 1)[:2]
    sealed = seal(match, 1, first)
    assert seal(sealed, 1, first) == sealed
    with pytest.raises(AlreadySealed) as caught:
        seal(sealed, 1, second)
    assert caught.value.seat == 1


def test_another_nudge_with_the_same_move_is_another_decision() -> None:
    match = opening(talk=True)
    move = legal_moves(match, 0)[0]
    sealed = seal(match, 0, move, "play:left")
    assert seal(sealed, 0, move, "play:left") == sealed
    with pytest.raises(AlreadySealed):
        seal(sealed, 0, move)


@pytest.mark.clause("S20")
def test_talk_is_revealed_with_the_turn() -> None:
    match, moves = opening(talk=True), firsts(opening())
    for seat, nudge in ((2, "play:right"), (0, None), (1, "play:left")):
        match = seal(match, seat, moves[seat], nudge)
    assert match.turns[0].talk == {1: "play:left", 2: "play:right"}


@pytest.mark.parametrize(
    ("seat", "move", "kind", "field"),
    [
        (3, splito.Move("r1", "left"), NotYourTurn, None),
        (-1, splito.Move("r1", "left"), NotYourTurn, None),
        (0, splito.Move("r9", "left"), UnknownMove, "card"),
        (0, splito.Move("r1", "up"), UnknownMove, "side"),  # pyright: ignore[reportArgumentType]
        (0, splito.Move("o6", "left"), IllegalMove, "move"),
    ],
)
def test_a_bad_move_is_refused_with_its_seat(seat: int, move: splito.Move, kind: type[GameError], field: str) -> None:
    match = start(splito, 3, "without-o6")
    assert "o6" not in {held.card for held in legal_moves(match, 0)}
    with pytest.raises(kind) as caught:
        seal(match, seat, move)
    assert (caught.value.seat, caught.value.field) == (seat, field)


def test_table_talk_is_off_by_default() -> None:
    with pytest.raises(BadNudge):
        seal(opening(), 0, legal_moves(opening(), 0)[0], "play:left")
    with pytest.raises(BadNudge):
        play(opening(talk=True), firsts(opening()), {0: "I have the red 4"})


def test_nothing_can_be_played_after_the_end() -> None:
    match = start(splitter, 1, "end")
    while not match.over:
        match = play(match, {0: legal_moves(match, 0)[0]})
    with pytest.raises(NotYourTurn, match="over"):
        play(match, {})
    with pytest.raises(NotYourTurn):
        seal(match, 0, splitter.Move(1, 3, 1))


@pytest.mark.parametrize(
    ("players", "options", "code", "field"),
    [
        (9, {}, "wrong-players", "players"),
        (1, {}, "wrong-players", "players"),
        (3, {"deal": 2}, "bad-option", "deal"),
        (3, {"deals": 0}, "bad-option", "deals"),
        (3, {"deals": "2"}, "bad-option", "deals"),
        (3, {"talk": 1}, "bad-option", "talk"),
        (3, {"deck": "nowhere.toml"}, "bad-deck", "deck"),
        (3, {"deck": "other"}, "bad-deck", "deck"),
    ],
)
def test_a_match_with_wrong_players_or_options_does_not_start(
    players: int, options: dict[str, object], code: str, field: str
) -> None:
    with pytest.raises(GameError) as caught:
        start(splito, players, "seed", options)
    assert (caught.value.code, caught.value.field) == (code, field)


def test_a_seed_is_a_short_printable_text() -> None:
    with pytest.raises(BadOption):
        start(splito, 3, "")


def test_an_unknown_game_is_answered_with_the_known_ones() -> None:
    with pytest.raises(GameError, match="splito") as caught:
        find_game("chess")
    assert caught.value.code == "unknown-game"
