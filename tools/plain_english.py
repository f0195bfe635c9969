"""Check of docstrings, part of `make lint`: each names its thing and its actor.

    python tools/plain_english.py FOLDER...

A docstring does not start with a word that stands for a person or thing it does not name, and does not speak of
unnamed actors anywhere. Docstrings below fields and constants are checked too, because the OpenAPI document shows them.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

START = re.compile(r"(Who|Whoever|Whose|What|Where|Nobody|Somebody|Those|That)\b")
INSIDE = re.compile(r"\b(what travels|somebody|whoever)\b", re.IGNORECASE)


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Return the line and the text of every string that stands alone as a statement."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value.strip()


def findings(file: Path) -> Iterator[str]:
    """Return a line for each docstring of a file that breaks the rule."""
    for line, text in docstrings(ast.parse(file.read_text("utf-8"))):
        if START.match(text) or INSIDE.search(text):
            yield f"{file}:{line}: {text.splitlines()[0][:100]}"


def main(folders: list[str]) -> int:
    """Print all findings; return 1 if there are any."""
    files = [
        file for folder in folders for file in sorted(Path(folder).rglob("*.py")) if "node_modules" not in file.parts
    ]
    found = [line for file in files for line in findings(file)]
    for line in found:
        sys.stdout.write(f"{line}\n")
    if found:
        sys.stdout.write(f"{len(found)} docstrings do not name their thing or actor: see CONTRIBUTING.md\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
