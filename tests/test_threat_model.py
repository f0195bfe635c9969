"""Every row of the threat model names a test that exists."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "threat-model.md").read_text("utf-8")
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
ROWS = [
    line
    for table in re.findall(r"^\| threat \| defence \| test \|\n\|---\|---\|---\|\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    for line in table.splitlines()
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_every_threat_has_a_defence_and_a_test_that_exists(row: str) -> None:
    threat, defence, tests = (cell.strip() for cell in row.strip().strip("|").split("|"))
    assert threat
    assert defence
    named = TEST.findall(tests)
    assert TEST.sub("", tests).strip(", ") == "", "the last cell names tests and nothing else"
    assert named
    for file, name in named:
        assert name in functions_of(ROOT / file), f"{file} has no {name}"


def functions_of(file: Path) -> set[str]:
    """Return the names of the functions at the top of the module."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {one.name for one in ast.parse(file.read_text("utf-8")).body if isinstance(one, kinds)}


def test_the_tables_of_threats_are_found() -> None:
    assert len(ROWS) > 40
