"""Bots are found by name or by path, and what is wrong with one is said in a sentence."""

import sys
from pathlib import Path

import pytest

from splito_arena.bots.find import MOST_COPIES, bot_names, bots, check_bot, find_bot, installed_name, is_copy
from splito_engine.errors import BadBot


def test_the_house_bots_are_registered() -> None:
    assert {"random", "greedy", "planner"} <= {*bot_names()}
    assert [*bots()] == sorted(bots())


def test_a_registered_bot_is_found_by_name() -> None:
    assert find_bot("random").__module__ == "splito_house.random"


def test_a_copy_of_an_installed_bot_is_that_bot() -> None:
    assert find_bot("random#2") is find_bot("random")
    assert (installed_name("random#2"), installed_name("my_bots:choose")) == ("random", "my_bots:choose")
    assert (is_copy(f"random#{MOST_COPIES}"), is_copy("random")) == (True, False)
    check_bot("random#2", "splito")


@pytest.mark.parametrize("name", ["random#1", "random#02", f"random#{MOST_COPIES + 1}", "nobody#2", "random#2#3", "#2"])
def test_other_numbers_and_bots_have_no_copies(name: str) -> None:
    assert not is_copy(name)
    with pytest.raises(BadBot, match="no bot "):
        find_bot(name)
    with pytest.raises(BadBot, match="no bot "):
        check_bot(name, "splito")


def test_an_unknown_name_is_refused_with_the_list_of_known_ones() -> None:
    with pytest.raises(BadBot, match=r"no bot 'nobody'; there are: .*greedy.*random.*module:function") as caught:
        find_bot("nobody")
    assert (caught.value.code, caught.value.field) == ("bad-bot", "bot")


def test_any_importable_function_can_be_a_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bots_of_mine.py").write_text("def first(ask):\n    return ask.moves[0]\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert find_bot("bots_of_mine:first").__name__ == "first"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no_such_module:choose", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("os:no_such_function", "AttributeError: module 'os' has no attribute 'no_such_function'"),
        ("os:name", "'os:name' is not a function but str"),
        (":choose", "':choose' cannot be imported"),
        ("os:", "'os:' cannot be imported"),
    ],
)
def test_a_path_that_cannot_be_imported_names_the_missing_part(name: str, said: str) -> None:
    with pytest.raises(BadBot, match=r"cannot be imported|is not a function") as caught:
        find_bot(name)
    assert said in caught.value.message


def test_a_module_that_fails_to_import_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bots_that_break.py").write_text("raise RuntimeError('no model file')\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(BadBot, match="cannot be imported: RuntimeError: no model file"):
        find_bot("bots_that_break:choose")
