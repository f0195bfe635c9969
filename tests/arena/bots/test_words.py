"""Words for functions of authors: files, and bots that are made of numbers."""

from pathlib import Path

import pytest

from splito_arena.bots.find import find_bot
from splito_arena.bots.functions.words import Word, made_word, read_word, split_words
from splito_engine.errors import BadBot

MAKER = "made = []\ndef make(a, b=2):\n    made.append(a)\n    return lambda ask: (a, b, len(made))\n"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("my_bot:choose", Word("my_bot", "choose", None)),
        ("my_bot:Player.choose", Word("my_bot", "Player.choose", None)),
        ("bots/bob (2).py:choose", Word("bots/bob (2).py", "choose", None)),
        ("my_bot:make(a=0.5, b=-3)", Word("my_bot", "make", {"a": 0.5, "b": -3})),
        ("my_bot:make()", Word("my_bot", "make", {})),
    ],
)
def test_a_word_has_a_place_a_function_and_perhaps_numbers(text: str, word: Word) -> None:
    assert read_word(text) == word


def test_a_made_word_can_be_read_again() -> None:
    values = {"a": 0.123456, "b": 7, "c": 1e-09}
    assert read_word(made_word("my_bot:make", values)).arguments == values


@pytest.mark.parametrize("text", ["my_bot:make(a)", "my_bot:make(a=x)", "m:f(a=1,a=2)", "m:f(a=inf)", "m:f(a=1)b"])
def test_a_malformed_word_is_refused(text: str) -> None:
    with pytest.raises(BadBot):
        read_word(text)


def test_commas_between_parentheses_do_not_separate_bots() -> None:
    assert split_words("greedy, m:make(a=1,b=2),random") == ["greedy", "m:make(a=1,b=2)", "random"]


def test_two_files_of_one_name_are_two_bots_and_a_bot_is_made_once(tmp_path: Path) -> None:
    found: list[object] = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "bot.py").write_text(f"{MAKER}def choose(ask):\n    return {folder!r}\n")
        found.append(find_bot(f"{tmp_path}/{folder}/bot.py:choose")(None))  # pyright: ignore[reportArgumentType]
    assert found == ["one", "two"]
    word = f"{tmp_path}/one/bot.py:make(a=0.5)"
    assert find_bot(word) is find_bot(word)
    assert find_bot(word)(None) == (0.5, 2, 1)  # pyright: ignore[reportArgumentType]
    with pytest.raises(BadBot, match="unexpected keyword argument 'c'"):
        find_bot(f"{tmp_path}/one/bot.py:make(c=1)")
