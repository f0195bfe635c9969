"""docs/cards.md says what the data of the games says."""

import re

from splito_engine.games import splitit, splito, splitter
from tools.card_names import PAGE, TABLES, page

TEXT = PAGE.read_text("utf-8")


def test_the_tables_are_made_of_the_data_of_the_games() -> None:
    assert page() == TEXT, "run `make contract`"
    assert re.findall(r"<!-- table: (.*?) -->", TEXT) == [*TABLES]


def test_every_card_of_splito_and_split_it_is_named() -> None:
    named = {*re.findall(r"(?<!`)`([^`\n]+)`(?!`)", TEXT)}
    state = splito.setup(3, "7", splito.Options())
    assert {*splito.pieces(state)} <= named
    assert {*splitit.pieces(splitit.setup(3, "7", splitit.Options()))} <= named


def test_the_short_forms_are_those_of_the_games() -> None:
    cases = [(splito, "r4<"), (splito, "r4>"), (splitter, "a3=5"), *((splitit, text) for text in SPLITIT)]
    for game, text in cases:
        assert game.move_text(game.parse_move(text)) == text
        assert f"`{text}`" in TEXT.replace("\\|", "|")


SPLITIT = ("2|5", "-pink", "pink", "J8")
