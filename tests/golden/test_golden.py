"""The rules do what they did when the golden files were written."""

import json

import pytest

from splito_engine.registry import find_game
from tests.golden.golden import FOLDER, POSITIONS, Position, divide, playthrough, playthrough_file, playthroughs

PERFT: dict[str, dict[str, list[int]]] = json.loads((FOLDER / "perft.json").read_text("utf-8"))


@pytest.mark.parametrize(("game_id", "players"), list(playthroughs()))
def test_a_match_goes_as_it_went(game_id: str, players: int) -> None:
    expected = playthrough_file(game_id, players).read_text("utf-8").splitlines()
    assert playthrough(find_game(game_id), players).splitlines() == expected


@pytest.mark.parametrize("position", POSITIONS, ids=[position.name for position in POSITIONS])
def test_a_position_goes_on_in_as_many_ways(position: Position) -> None:
    """On failure the assertion shows the divide: the first turns whose counts differ."""
    counted, expected = divide(position), PERFT[position.name]
    assert {turn: counted.get(turn) for turn in {*counted, *expected} if counted.get(turn) != expected.get(turn)} == {}


def test_there_is_no_golden_file_too_many() -> None:
    files = {path.name for path in (FOLDER / "playthroughs").iterdir()}
    assert files == {playthrough_file(game_id, players).name for game_id, players in playthroughs()}
    assert [*PERFT] == [position.name for position in POSITIONS]
