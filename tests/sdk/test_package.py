"""What is installed with the SDK: itself and two libraries, and nothing else of ours."""

import ast
import re
import sys
from importlib.metadata import requires
from pathlib import Path

import pytest
import splito_bot

from tests.service.process import Process

FOLDER = Path(splito_bot.__file__).parent
README = FOLDER.parent / "README.md"


def imports_of(file: Path) -> set[str]:
    tree = ast.parse(file.read_text("utf-8"))
    plain = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    return plain | {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}


@pytest.mark.parametrize("file", sorted(FOLDER.rglob("*.py")), ids=lambda file: str(file.relative_to(FOLDER)))
def test_a_module_imports_only_what_is_installed_with_it(file: Path) -> None:
    packages = {name.partition(".")[0] for name in imports_of(file)}
    assert packages - sys.stdlib_module_names <= {"splito_bot", "httpx", "msgspec"}


def test_what_is_imported_is_required() -> None:
    assert [re.split(r"[<>=]", requirement)[0] for requirement in requires("splito-bot") or ()] == ["httpx", "msgspec"]


def test_the_examples_of_the_readme_run(service: Process, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        exec(compile(block.replace("http://127.0.0.1:8000", service.url), README, "exec"), {})  # noqa: S102 (our page)
        assert capsys.readouterr().out
    assert len(blocks[0].splitlines()) <= 12
