"""`docs/architecture.md` is true: its files exist, its keys are those of the retention table, its paths are short."""

import re
from pathlib import Path

import pytest

from splito_service.retention.table import ARCHITECTURE, key_table, kind_of, page

TEXT = ARCHITECTURE.read_text("utf-8")
LINK = re.compile(r"\]\(([^)#]+)\)")
PATHS = {title: body for title, _, body in (part.partition("\n") for part in TEXT.split("\n## ")) if "Path " in title}
MOST_FILES = {"a move": 12, "a tournament": 30, "a pull answer": 12, "an experiment": 15, "start-up": 8}
MOST_STEPS = 15


def test_every_linked_file_exists() -> None:
    links = [ARCHITECTURE.parent / link for link in LINK.findall(TEXT)]
    assert len(links) > 60
    assert [link for link in links if not link.exists()] == []


def test_every_folder_and_file_of_the_tree_exists() -> None:
    tree = TEXT.partition("```text\n")[2].partition("```")[0]
    root, folder, found = ARCHITECTURE.parents[1], Path(), list[Path]()
    for line in tree.splitlines():
        names = line.strip().partition("   ")[0].split()
        if line.startswith(" "):
            found += [folder / name for name in names]
        else:
            folder = root / names[0]
            found.append(folder)
    assert len(found) > 30
    assert [path for path in found if not path.exists()] == []


def test_the_redis_keys_on_the_page_are_those_of_the_retention_table() -> None:
    message = "run `python -m splito_service.retention.table`"
    assert page(TEXT, key_table()) == TEXT, f"docs/architecture.md is out of date: {message}"
    cells = [line.split("|")[1] for line in key_table().splitlines()[2:]]
    patterns = [one for cell in cells for one in re.findall(r"`([a-z:*-]+)`", cell)]
    assert len(patterns) > 60
    assert [one for one in patterns if kind_of(one.replace("**", "x").replace("*", "x")) is None] == []


@pytest.mark.parametrize("name", MOST_FILES)
def test_each_of_the_five_paths_is_short(name: str) -> None:
    body = next(body for title, body in PATHS.items() if title.endswith(name))
    files = {link for link in LINK.findall(body) if link.endswith((".py", ".lua"))}
    assert len(files) <= MOST_FILES[name]
    assert len(re.findall(r"^\d+\. ", body, flags=re.MULTILINE)) <= MOST_STEPS
