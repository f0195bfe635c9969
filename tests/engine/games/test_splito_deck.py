"""The cards of Splito: numbers, labels and texts; other deck files; and faults of deck files."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import msgspec
import pytest

from splito_engine.errors import BadDeck
from splito_engine.game import LANGUAGES, Language
from splito_engine.games import splito
from splito_engine.games.splito.deck import find_deck
from splito_engine.match import Match, legal_moves, play, start
from splito_engine.record import record_of, replay
from tests.engine.games.splito_pictures import ALL_CARDS, DECK, OWN_DECK, over

STANDARD = files("splito_engine.games.splito").joinpath("cards.toml").read_text("utf-8")
MOONS = STANDARD.index('[[objectives]]\nid = "moon-red"'), STANDARD.index('[[objectives]]\nid = "moon-blue"')
RED_MOON = STANDARD[slice(*MOONS)]


@pytest.mark.clause("S1")
def test_there_are_109_cards_72_of_them_splito_cards() -> None:
    splito_cards = {card: count for card, count in ALL_CARDS.items() if re.fullmatch("[rbykgo][1-6]", card)}
    assert len(splito_cards) == 6 * 6
    assert set(splito_cards.values()) == {2}
    assert ALL_CARDS.total() - sum(splito_cards.values()) == 37
    assert ALL_CARDS.total() == 109


@pytest.mark.clause("S2")
def test_every_colour_has_a_letter_a_name_a_pattern_and_a_sign_of_its_own() -> None:
    colours = DECK.file.colours
    assert [colour.name for colour in colours] == ["red", "blue", "yellow", "black", "green", "orange"]
    for facts in (
        [colour.letter for colour in colours],
        [colour.pattern for colour in colours],
        [colour.symbol for colour in colours],
        *([colour.text[language] for colour in colours] for language in LANGUAGES),
    ):
        assert len({*facts}) == 6


FAMILIES = """
    moon       6  3
    star       6  3
    none       6  1
    two        6  2
    trio       6  1
    colours-3  1  4
    colours-4  1  3
    colours-5  1  2
    colours-6  1  4
    values-6   1  4
    max-11     1  2
    min-15     1  2
"""


@pytest.mark.clause("S3", "S4")
@pytest.mark.parametrize("line", FAMILIES.strip().splitlines(), ids=lambda line: line.split()[0])
def test_a_family_has_so_many_objectives_worth_so_many_diamonds(line: str) -> None:
    family, count, points = line.split()
    found = [objective for objective in DECK.file.objectives if f"{objective.id}-".startswith(f"{family}-")]
    assert [objective.points for objective in found] == [int(points)] * int(count)


@pytest.mark.clause("S4")
def test_moons_stars_and_value_cards_are_one_per_colour_or_value_and_the_trios_are_six() -> None:
    ids = {objective.id for objective in DECK.file.objectives}
    assert {f"moon-{colour.name}" for colour in DECK.file.colours} <= ids
    assert {f"{family}-{value}" for family in ("star", "none", "two") for value in range(1, 7)} <= ids
    assert {card for card in ids if card.startswith("trio")} == {
        "trio-rby", "trio-kgo", "trio-rgk", "trio-byo", "trio-ryo", "trio-bkg",
    }  # fmt: skip
    assert len(ids) == 37


@pytest.mark.clause("S3")
def test_diamonds_are_one_to_four_and_marked_as_reconstructed_on_all_37_objectives() -> None:
    for objective in DECK.file.objectives:
        assert 1 <= objective.points <= 4
        assert {"count", "points"} <= {*objective.reconstructed}


@pytest.mark.clause("S4")
def test_the_requirement_is_marked_as_reconstructed_for_the_trios_and_for_4_and_5_colours_only() -> None:
    marked = {objective.id for objective in DECK.file.objectives if "need" in objective.reconstructed}
    trios = {objective.id for objective in DECK.file.objectives if objective.id.startswith("trio-")}
    assert len(trios) == 6
    assert marked == {*trios, "colours-4", "colours-5"}


@pytest.mark.clause("S2")
def test_every_colour_and_its_pattern_are_marked_as_reconstructed() -> None:
    assert [colour.reconstructed for colour in DECK.file.colours] == [("colour", "pattern")] * 6


TEXTS = """
    r4         red 4                   4 rouge                  rote 4
    o1         orange 1                1 orange                 orange 1
    g6         green 6                 6 vert                   grüne 6
    moon-red   strictly most red cards majorité stricte de cartes rouges allein die meisten roten Karten
    star-5     strictly most 5s        majorité stricte de 5    allein die meisten 5er
    none-3     no 3                    aucun 3                  keine 3
    max-11     11 cards or fewer       11 cartes ou moins       höchstens 11 Karten
    values-6   exactly 6 values        exactement 6 valeurs     genau 6 Werte
"""


@pytest.mark.clause("S5")
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_card_has_a_short_text_of_its_own(language: Language) -> None:
    texts = [DECK.text(card, language) for card in DECK.names]
    assert len({*texts}) == len(texts) == 36 + 37
    assert all(0 < len(text) <= 45 and "{" not in text for text in texts)


@pytest.mark.clause("S5")
@pytest.mark.parametrize("line", TEXTS.strip().splitlines(), ids=lambda line: line.split()[0])
def test_card_texts_in_three_languages(line: str) -> None:
    card = line.split(maxsplit=1)[0]
    for language in LANGUAGES:
        assert DECK.text(card, language) in line


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that writes a deck file and clears the cache of decks."""

    def to(text: str) -> Path:
        path = tmp_path / "deck.toml"
        path.write_bytes(text.encode())
        find_deck.cache_clear()
        return path

    return to


def replaced(old: str, new: str) -> str:
    assert old in STANDARD
    return STANDARD.replace(old, new)


WORTH_FOUR = STANDARD.replace(RED_MOON, RED_MOON.replace("points = 3", "points = 4"))

BAD_DECKS = {
    "not TOML": (STANDARD + "\n[[", "deck.toml"),
    "empty": ("", "missing required field"),
    "a misspelt key": (replaced("copies = 2", "copys = 2"), "copys"),
    "a misspelt key of an Objective": (replaced('id = "star-1"\npoints', 'id = "star-1"\ndiamonds'), "diamonds"),
    "a kind of requirement there is not": (
        replaced('{ kind = "cards", at_most = 11 }', '{ kind = "weight" }'),
        "weight",
    ),
    "an id twice": (replaced('id = "moon-blue"', 'id = "moon-red"'), "'moon-red' appears twice"),
    "a letter twice": (replaced('letter = "b"', 'letter = "r"'), "'r' appears twice"),
    "no moon": (re.sub(r'kind = "most", of = "[a-z]"', 'kind = "each", of = ["r"]', STANDARD), "S7"),
    "no star": (re.sub(r'kind = "most", of = "[1-6]"', 'kind = "each", of = ["1"]', STANDARD), "S7"),
    "a colour there is not": (replaced('{ kind = "most", of = "r" }', '{ kind = "most", of = "v" }'), "'v'"),
    "a value there is not": (replaced("values = 6", "values = 5"), "'6'"),
    "a colour there is not, among three": (replaced('of = ["r", "b", "y"]', 'of = ["r", "b", "p"]'), "'p'"),
    "seven diamonds": (STANDARD.replace(RED_MOON, RED_MOON.replace("points = 3", "points = 7")), "points"),
    "no diamonds": (STANDARD.replace(RED_MOON, RED_MOON.replace("points = 3", "points = 0")), "points"),
    "no French text": (replaced('text = { en = "no 1", fr = "aucun 1", de', 'text = { en = "no 1", de'), "fr"),
    "a card without its value": (replaced('fr = "{value} {colour}"', 'fr = "{colour}"'), "card.fr"),
    "too large": (STANDARD + "#" * 200_000, "200,000 bytes"),
}


@pytest.mark.clause("S1", "S4", "S5")
@pytest.mark.parametrize("name", BAD_DECKS)
def test_a_bad_deck_file_is_refused_with_what_is_wrong(name: str, write: Callable[[str], Path]) -> None:
    text, said = BAD_DECKS[name]
    with pytest.raises(BadDeck) as caught:
        start(splito, 3, "deal", {"deck": str(write(text))})
    assert (caught.value.code, caught.value.field) == ("bad-deck", "deck")
    assert said in caught.value.message


@pytest.mark.parametrize("name", ["missing.toml", "deck.json", "", ".", "standard#0123456789abcdef", "a\0b.toml"])
def test_a_deck_that_cannot_be_read_is_refused(name: str) -> None:
    with pytest.raises(BadDeck) as caught:
        start(splito, 3, "deal", {"deck": name})
    assert caught.value.field == "deck"


@pytest.mark.clause("S7")
def test_a_deck_with_too_few_cards_is_refused_for_many_players_only(write: Callable[[str], Path]) -> None:
    options = {"deck": str(write(replaced("copies = 2", "copies = 1")))}  # 36 + 37 cards
    assert start(splito, 5, "deal", options).players == 5
    with pytest.raises(BadDeck) as caught:
        start(splito, 8, "deal", options)
    assert caught.value.field == "deck"


@pytest.mark.clause("S4")
def test_a_deck_of_your_own_is_played_and_scored(write: Callable[[str], Path]) -> None:
    options = splito.Options(deck=str(write(WORTH_FOUR)))
    assert splito.scores(over("r1 moon-red | none-1 | -", options=options))[1][0] == 4 * 1
    assert splito.scores(over("r1 moon-red | none-1 | -"))[1][0] == 3 * 1


def to_the_end(match: Match) -> Match:
    while not match.over:
        match = play(match, {seat: legal_moves(match, seat)[0] for seat in match.actors})
    return match


def test_a_record_pins_the_deck_and_refuses_a_changed_file(write: Callable[[str], Path]) -> None:
    path = write(WORTH_FOUR)
    digest = hashlib.sha256(WORTH_FOUR.encode()).hexdigest()[:16]
    match = to_the_end(start(splito, 3, "deal", {"deck": str(path)}))
    record = record_of(match, ("a", "b", "c"), "0" * 32)
    assert record.options["deck"] == f"{path}#{digest}"
    assert replay(record, splito).state == match.state
    write(STANDARD)
    with pytest.raises(BadDeck) as caught:
        replay(record, splito)
    assert digest in caught.value.message


def test_the_same_options_mean_the_same_deck(write: Callable[[str], Path]) -> None:
    options = splito.Options(deck=str(write(WORTH_FOUR)))
    again = msgspec.convert(msgspec.to_builtins(options), splito.Options)
    assert again == options
    assert splito.Options() == splito.Options(deck="standard")


@pytest.mark.clause("S9", "S10")
def test_nine_copies_of_a_card_are_one_choice_and_nine_cards(write: Callable[[str], Path]) -> None:
    match = start(splito, 4, "deal", {"deck": str(write(OWN_DECK))})
    dealt = [splito.view(match.state, seat).seats[seat].hand or () for seat in range(4)]
    assert max(Counter(hand).most_common(1)[0][1] for hand in dealt) > 2
    assert [len(legal_moves(match, seat)) for seat in range(4)] == [2 * len({*hand}) for hand in dealt]
    played = Counter(card for zone in splito.view(to_the_end(match).state, None).zones for card in zone)
    assert played == Counter(card for hand in dealt for card in hand)
