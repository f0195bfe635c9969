"""Every clause of every rulebook is cited by a test, and no test cites a clause that does not exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from splito_engine.game import LANGUAGES
from splito_engine.registry import find_game

TESTS = Path(__file__).parent
LETTERS = {"splito": "S", "splitit": "I", "splitter": "T"}


def clauses(game_id: str, language: str = "en") -> list[str]:
    return re.findall(rf"^\*\*({LETTERS[game_id]}\d+)\*\*", find_game(game_id).rulebook(language), re.MULTILINE)  # pyright: ignore[reportArgumentType]


@cache
def cited() -> frozenset[str]:
    """The arguments of every `@pytest.mark.clause(...)` that decorates a test."""
    texts = (path.read_text("utf-8") for path in TESTS.rglob("test_*.py"))
    modules = (ast.parse(text) for text in texts if "pytest.mark.clause(" in text)
    tests = (node for module in modules for node in ast.walk(module) if isinstance(node, ast.FunctionDef))
    marks = (mark for test in tests if test.name.startswith("test_") for mark in test.decorator_list)
    return frozenset(
        ast.literal_eval(argument)
        for mark in marks
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.clause"
        for argument in mark.args
    )


@pytest.mark.parametrize("game_id", LETTERS)
def test_the_clauses_are_numbered_without_a_gap_in_every_language(game_id: str) -> None:
    for language in LANGUAGES:
        numbers = [int(clause[1:]) for clause in clauses(game_id, language)]
        assert numbers == [*range(1, len(numbers) + 1)]
        assert len(numbers) == {"splito": 20, "splitit": 12, "splitter": 9}[game_id]


def test_every_clause_is_cited_by_a_test() -> None:
    known = {clause for game_id in LETTERS for clause in clauses(game_id)}
    assert known - cited() == set()


def test_no_test_cites_a_clause_that_does_not_exist() -> None:
    known = {clause for game_id in LETTERS for clause in clauses(game_id)}
    assert cited() - known == set()
