"""The rules do what they did when the golden files were written."""

import json

import pytest

from splito_engine.registry import find_game
from tests.golden.golden import FOLDER, POSITIONS, Position, divide, playthrough, playthrough_file, playthroughs

PERFT: dict[str, dict[str, list[int]]] = json.loads((FOLDER / "perft.json").read_text("utf-8"))


@pytest.mark.parametrize(("game_id", "players"), list(playthroughs()))
def test_a_match_has_the_same_moves_and_scores_as_its_golden_file(game_id: str, players: int) -> None:
    expected = playthrough_file(game_id, players).read_text("utf-8").splitlines()
    assert playthrough(find_game(game_id), players).splitlines() == expected


@pytest.mark.parametrize("position", POSITIONS, ids=[position.name for position in POSITIONS])
def test_the_number_of_continuations_of_a_position_is_that_of_the_golden_file(position: Position) -> None:
    """On failure the assertion shows the divide: the first turns whose counts differ."""
    counted, expected = divide(position), PERFT[position.name]
    assert {turn: counted.get(turn) for turn in {*counted, *expected} if counted.get(turn) != expected.get(turn)} == {}


def test_every_golden_file_belongs_to_a_playthrough() -> None:
    files = {path.name for path in (FOLDER / "playthroughs").iterdir()}
    assert files == {playthrough_file(game_id, players).name for game_id, players in playthroughs()}
    assert [*PERFT] == [position.name for position in POSITIONS]
