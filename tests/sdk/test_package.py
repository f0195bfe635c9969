"""The SDK installs itself and three libraries, and nothing else of ours."""

import ast
import re
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import splito_bot
from splito_arena.match.question import judge, read_answer
from splito_bot import load_bot
from tests.sdk.asks import ask_of, question_of
from tests.service.process import Process

FOLDER = Path(splito_bot.__file__).parent
README = FOLDER.parent / "README.md"
PROJECT: dict[str, Any] = tomllib.loads((FOLDER.parent / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = {"signing.py": {"cryptography"}}
"""Modules that a module of the SDK imports only when they are needed, by file name."""


def imports_of(file: Path) -> set[str]:
    tree = ast.parse(file.read_text("utf-8"))
    plain = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    return plain | {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}


@pytest.mark.parametrize("file", sorted(FOLDER.rglob("*.py")), ids=lambda file: str(file.relative_to(FOLDER)))
def test_a_module_imports_only_what_is_installed_with_it(file: Path) -> None:
    packages = {name.partition(".")[0] for name in imports_of(file)}
    installed = {"splito_bot", "h11", "httpx", "msgspec"} | EXTRAS.get(file.name, set())
    assert packages - sys.stdlib_module_names <= installed


def test_the_distribution_requires_what_it_imports() -> None:
    assert [re.split(r"[<>=]", requirement)[0] for requirement in PROJECT["dependencies"]] == [
        "h11",
        "httpx",
        "msgspec",
    ]
    assert [*PROJECT["optional-dependencies"]] == ["ed25519"]


def test_the_entry_point_of_the_program_exists() -> None:
    module, _, function = PROJECT["scripts"]["splito-bot"].partition(":")
    assert callable(getattr(import_module(module), function))


def blocks() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)


BOTS = [block for block in blocks() if "def choose" in block]


@pytest.mark.parametrize("number", range(len(BOTS)))
@pytest.mark.parametrize("game", splito_bot.GAMES)
def test_the_bots_of_the_readme_play(number: int, game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / f"bot_of_the_readme_{number}.py").write_text(BOTS[number], "utf-8")
    bot = load_bot(f"bot_of_the_readme_{number}:choose")
    question = question_of(game, 3)
    judge(question, read_answer(question, bot.answer(ask_of(game, 3))))


def test_the_first_bot_of_the_readme_has_less_than_twenty_lines() -> None:
    assert len(BOTS) == 2
    assert len(BOTS[0].splitlines()) < 20


def test_the_examples_of_the_readme_run(service: Process, capsys: pytest.CaptureFixture[str]) -> None:
    examples = [block for block in blocks() if block not in BOTS]
    assert len(examples) == 5
    for block in examples:
        exec(compile(block.replace("http://127.0.0.1:8000", service.url), README, "exec"), {})  # noqa: S102 (our page)
        assert capsys.readouterr().out
    assert len(examples[1].splitlines()) <= 12
