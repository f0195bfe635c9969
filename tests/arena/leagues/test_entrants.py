"""Entrants: which files and folders are bots, and which names are refused."""

from pathlib import Path

import pytest

from splito_arena.leagues.entrants import find_entrants
from splito_engine.errors import BadOption

CHOOSE = "def choose(ask):\n    return ask.moves[0]\n"


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(CHOOSE)


def test_files_and_folders_are_bots_and_tests_and_hidden_files_are_not(tmp_path: Path) -> None:
    write(tmp_path, "ada.py", "bob/bot.py", "bob/helper.py", "cleo/my_bot.py", "cleo/test_my_bot.py", "dan/any.py")
    write(tmp_path, "eve/eve.py", "eve/more.py", "_draft.py", ".hidden.py", "test_ada.py", "conftest.py", "notes/x.txt")
    found, broken = find_entrants(tmp_path)
    assert [one.name for one in found] == ["ada", "bob", "cleo", "dan", "eve"]
    assert [Path(one.file).name for one in found] == ["ada.py", "bot.py", "my_bot.py", "any.py", "eve.py"]
    assert broken == []


BROKEN = {
    "control characters": (["a\x1b[2Jb.py"], "printable"),
    "a version in the name": (["ada@2.py"], "without @"),
    "too long": ([f"{'a' * 60}.py"], "at most 48"),
    "file and folder": (["ada.py", "ada/bot.py"], "a file and a folder have this name"),
    "which file": (["ada/one.py", "ada/two.py"], "several Python files"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_bot_that_cannot_be_named_or_found_is_listed_and_stops_no_other(case: str, tmp_path: Path) -> None:
    names, said = BROKEN[case]
    write(tmp_path, "zoe.py", *names)
    found, broken = find_entrants(tmp_path)
    assert [one.name for one in found] == ["zoe"]
    assert broken
    assert all(said in one.reason and one.name.isprintable() for one in broken)


def test_any_file_of_a_bot_changes_its_hash_but_compiled_ones_do_not(tmp_path: Path) -> None:
    write(tmp_path, "bob/bot.py")
    hashes = [find_entrants(tmp_path)[0][0].code]
    for name, is_code in (("__pycache__/bot.pyc", False), (".cache", False), ("weights.json", True), ("bot.py", True)):
        (tmp_path / "bob" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "bob" / name).write_text(f"{name} = 1")
        hashes.append(find_entrants(tmp_path)[0][0].code)
        assert (hashes[-1] != hashes[-2]) == is_code, name


def test_a_path_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadOption, match="is no folder"):
        find_entrants(tmp_path / "nothing")
