"""The texts of the cards for frontends: complete, in three languages, with reconstructed facts marked."""

import re

import pytest

from splito_engine.game import LANGUAGES, Language
from splito_engine.games import splitit, splito, splitter
from splito_engine.registry import find_game

TEXTS = """
    splito   r4        red 4                    4 rouge                     rote 4
    splito   k1        black 1                  1 noir                      schwarze 1
    splito   moon-red  strictly most red cards  majorité stricte de cartes rouges  allein die meisten roten Karten
    splitit  4         number 4                 numéro 4                    Zahl 4
    splitit  J         joker                    joker                       Joker
    highest  30        30                       30                          30
"""


@pytest.mark.clause("S5")
@pytest.mark.parametrize("line", TEXTS.strip().splitlines(), ids=lambda line: "-".join(line.split()[:2]))
def test_the_text_of_each_kind_of_card(line: str) -> None:
    game_id, card_id, *texts = re.split(r"\s{2,}", line.strip())
    found = [card for language in LANGUAGES for card in find_game(game_id).cards(language) if card.id == card_id]
    assert [card.text for card in found] == texts


@pytest.mark.clause("S4", "S5")
def test_a_trio_says_that_one_card_of_each_colour_is_enough() -> None:
    assert [card.text for language in LANGUAGES for card in splito.cards(language) if card.id == "trio-rby"] == [
        "at least 1 red, 1 blue and 1 yellow",
        "au moins 1 rouge, 1 bleue et 1 jaune",
        "mindestens 1 rote, 1 blaue und 1 gelbe",
    ]


@pytest.mark.clause("S1")
def test_splito_has_36_different_cards_and_then_37_objectives() -> None:
    ids = [card.id for card in splito.cards("en")]
    assert ids[:2] == ["r1", "r2"]
    assert ids[35:37] == ["o6", "moon-red"]
    assert len(ids) == 36 + 37


@pytest.mark.clause("S3", "S4")
@pytest.mark.parametrize("language", LANGUAGES)
def test_objectives_say_what_they_are_worth_and_what_of_it_is_reconstructed(language: Language) -> None:
    cards = {card.id: card for card in splito.cards(language)}
    assert cards["r4"].points is None
    assert cards["r4"].reconstructed == ("colour", "pattern")
    assert cards["trio-rby"].reconstructed == ("count", "need", "points")
    assert cards["colours-3"].points == 4
    assert cards["colours-3"].reconstructed == ("count", "points")


@pytest.mark.clause("I1")
def test_split_it_has_ten_numbers_and_the_joker() -> None:
    assert [card.id for card in splitit.cards("fr")] == [*map(str, range(1, 11)), "J"]


def test_the_dice_of_splitter_need_no_text() -> None:
    assert splitter.cards("de") == ()
