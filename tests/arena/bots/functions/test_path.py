"""Functions of authors are found by their paths, and a path that leads nowhere is refused with the next step."""

import sys
from pathlib import Path

import pytest

from splito_arena.bots.functions.info import check_game, info_of
from splito_arena.bots.functions.path import check_path, is_path, load_function
from splito_engine.errors import BadBot

BOTS = """
from functools import partial
from splito_arena.match.messages import BotInfo

INFO = BotInfo(name="Owl", author="Ada", version="3", games=["splito"])
def choose(ask): return "function"
async def later(ask): return "never"
def with_two(answer, ask): return answer
class Player:
    made = 0
    def __init__(self):
        Player.made += 1
    def choose(self, ask): return f"method of object {Player.made}"
    @staticmethod
    def fixed(ask): return "static"
class Called:
    def __call__(self, ask): return "call"
class Waits:
    async def __call__(self, ask): return "never"
class Broken:
    def __init__(self): raise RuntimeError("no model file")
    def choose(self, ask): return "never"
player, called, waits, bound = Player(), Called(), Waits(), partial(with_two, "partial")
"""
WRONG_INFO = "INFO = {'name': 'Owl'}\ndef choose(ask): return 0\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("bots")
    (found / "paths_of_the_test.py").write_text(BOTS)
    (found / "wrong_info_of_the_test.py").write_text(WRONG_INFO)
    (found / "raises_in_the_test.py").write_text("1\nraise RuntimeError('no model file')\n")
    (found / "statistics.py").write_text("def choose(ask): return 0\n")
    return found


@pytest.fixture(autouse=True)
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in the folder of the bots, which comes last in the path of imports, as for the command."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder)])


FOUND = {
    "choose": "function",
    "player.choose": "method of object",
    "Player.choose": "method of object",
    "Player.fixed": "static",
    "Called": "call",
    "called": "call",
    "bound": "partial",
}


@pytest.mark.parametrize("name", FOUND)
def test_functions_methods_and_callable_objects_are_bots(name: str) -> None:
    choose = load_function(f"paths_of_the_test:{name}")
    assert choose(None).startswith(FOUND[name])  # pyright: ignore[reportArgumentType] (these bots look at no ask)
    assert load_function(f"paths_of_the_test:{name}") is choose


REFUSED = {
    "nowhere:choose": "No module named 'nowhere'; run this in the folder of nowhere.py, or correct the name",
    "paths_of_the_test:chose": "paths_of_the_test has: choose, later, with_two, Player, Called, Waits, Broken",
    "paths_of_the_test:later": "is async: write a plain function",
    "paths_of_the_test:waits": "is async: write a plain function",
    "paths_of_the_test:Player": "is a class: name its method, as in paths_of_the_test:Player.choose",
    "paths_of_the_test:player": "it has a method: paths_of_the_test:player.choose",
    "paths_of_the_test:Broken.choose": "RuntimeError: no model file",
    "raises_in_the_test:choose": "raises_in_the_test.py:2",
    "statistics:choose": "statistics.py has the name of a module of Python, which is imported instead",
    "127.0.0.1:8001": "write an address as http://127.0.0.1:8001",
    "localhost:8001/owl": "write an address as http://localhost:8001/owl",
}


@pytest.mark.parametrize("path", REFUSED)
def test_a_path_that_leads_to_no_bot_is_refused_with_the_cause_and_the_next_step(path: str) -> None:
    with pytest.raises(BadBot) as refused:
        load_function(path)
    assert REFUSED[path] in refused.value.message


def test_a_path_is_neither_a_name_nor_a_url() -> None:
    assert [is_path(word) for word in ("my_bot:choose", "planner", "http://h:1")] == [True, False, False]
    check_path("my_bot:choose")


def test_the_info_of_the_module_is_that_of_its_functions() -> None:
    info = info_of("paths_of_the_test:choose")
    assert info is not None
    assert (info.name, info.version, info.games) == ("Owl", "3", ["splito"])
    assert info_of("random") is None
    with pytest.raises(BadBot, match="Owl at paths_of_the_test:choose does not play splitter, only splito"):
        check_game("paths_of_the_test:choose", info, "splitter")


def test_a_wrong_info_is_refused_with_its_correct_form() -> None:
    with pytest.raises(BadBot, match=r"INFO of wrong_info_of_the_test is wrong: .*; write INFO = BotInfo"):
        info_of("wrong_info_of_the_test:choose")
