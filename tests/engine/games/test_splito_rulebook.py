"""The rulebook of Splito: complete, with reconstructed facts marked, and in agreement with the deck."""

import re

import pytest

from splito_engine.game import LANGUAGES, Language
from splito_engine.games import splito
from tests.engine.games.splito_pictures import DECK


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_have_all_clauses_once_and_in_order(language: Language) -> None:
    found = re.findall(r"^\*\*(S\d+)\*\* ", splito.rulebook(language), re.MULTILINE)
    assert found == [f"S{number}" for number in range(1, 21)]


@pytest.mark.parametrize(
    ("language", "ruling", "reconstructed"),
    [("en", "ruling", "reconstructed"), ("fr", "décision", "reconstitué"), ("de", "Festlegung", "rekonstruiert")],
)
def test_the_rules_say_what_was_decided_and_what_reconstructed(
    language: Language, ruling: str, reconstructed: str
) -> None:
    clauses = re.split(r"^\*\*(S\d+)\*\* ", splito.rulebook(language), flags=re.MULTILINE)[1:]
    texts = dict(zip(clauses[::2], clauses[1::2], strict=True))
    assert [clause for clause, text in texts.items() if f"*[{ruling}]*" in text] == ["S9", "S16", "S18", "S20"]
    assert [clause for clause, text in texts.items() if f"*[{reconstructed}]*" in text] == ["S2", "S4", "S19"]


@pytest.mark.clause("S2")
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_show_the_colours_of_the_deck(language: Language) -> None:
    for colour in DECK.file.colours:
        assert f"{colour.text[language]} (`{colour.letter}`, {colour.symbol})" in splito.rulebook(language)


@pytest.mark.clause("S4", "S5")
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_list_all_objectives_and_mark_what_is_reconstructed(language: Language) -> None:
    text = splito.rulebook(language)
    rows = re.findall(r"^\| `(\S+)` † \| (.+?)( †)? \| (\d) † \|$", text, re.MULTILINE)
    assert [(card, need, points) for card, need, _, points in rows] == [
        (card.id, card.text[language], f"{card.points}") for card in DECK.file.objectives
    ]
    trios = [card.id for card in DECK.file.objectives if card.id.startswith("trio-")]
    assert [card for card, _, mark, _ in rows if mark] == [*trios, "colours-4", "colours-5"]
    assert text.endswith(f"\n\n{DECK.file.note[language]}\n")
    assert re.search(r"^† ", text, re.MULTILINE)


@pytest.mark.clause("S19")
@pytest.mark.parametrize(
    ("language", "label", "heading"),
    [
        ("en", "for 2 players is *[reconstructed]* (S19)", "## Two players (reconstructed)"),
        ("fr", "version à 2\u00a0: *[reconstitué]* (S19)", "## À deux (reconstitué)"),
        ("de", "für 2 Personen ist *[rekonstruiert]* (S19)", "## Zu zweit (rekonstruiert)"),
    ],
)
def test_the_head_of_the_rules_marks_the_form_for_two_players(language: Language, label: str, heading: str) -> None:
    head = " ".join(splito.rulebook(language).partition("\n## ")[0].split(" ")).replace("\n", " ")
    assert label in head
    assert f"\n{heading}\n" in splito.rulebook(language)
    assert splito.INFO.reconstructed_players == (2,)


@pytest.mark.clause("S4")
@pytest.mark.parametrize(
    ("language", "all_diamonds"), [("en", "all the diamonds"), ("fr", "tous les diamants"), ("de", "alle Diamanten")]
)
def test_the_rules_and_the_note_of_the_deck_say_that_all_diamonds_are_reconstructed(
    language: Language, all_diamonds: str
) -> None:
    clause = re.search(r"^\*\*S4\*\*.*?\n\n", splito.rulebook(language), re.MULTILINE | re.DOTALL)
    assert clause is not None
    assert all_diamonds in clause[0]
    assert all_diamonds.replace("the ", "") in DECK.file.note[language]


@pytest.mark.clause("S20")
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_show_how_to_nudge(language: Language) -> None:
    text = splito.rulebook(language)
    assert re.search(r"`unmet:<\w+>:<zone>`", text)
    assert all(f"`{nudge}`" in text for nudge in ("play:left", "play:right", "unmet:moon-red:2"))
