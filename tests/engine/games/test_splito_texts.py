"""Explanations of Splito scores: which Objectives score, which do not, and why."""

import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splito_engine.game import LANGUAGES, Explanation, Language
from splito_engine.games import splito
from splito_engine.games.splito.deck import find_deck
from splito_engine.games.splito.state import SplitoDeal, SplitoOptions
from splito_engine.games.splito.words import WORDS
from tests.engine.games.splito_pictures import OWN_DECK, a_seed, a_table, over, random_match

A_BIT_OF_ALL = """
    r3 r3 b3 moon-red moon-blue star-3 two-3 two-4 trio-rby colours-4 |
    r1 b1 none-1 none-2 star-5 moon-green trio-kgo colours-3 values-6 min-15 |
    b1 b2 b6 y1 y2 k1 k2 o1 o2 r5 moon-yellow colours-6 max-11
"""

TOLD: dict[Language, str] = {
    "en": """
        Zone 0, seats 0 and 1: 6
        + 3 moon-red: strictly most red cards: 2 red here, at most 1 elsewhere
        - 0 moon-blue: strictly most blue cards: 1 blue here, 3 in zone 2
        + 3 star-3: strictly most 3s: three 3s here, no 3 elsewhere
        - 0 two-3: exactly two 3s: three 3s here, two needed
        - 0 two-4: exactly two 4s: no 4 here, two needed
        - 0 trio-rby: at least 1 red, 1 blue and 1 yellow: yellow is missing
        - 0 colours-4: exactly 4 colours: 2 colours here, 4 needed
        Zone 1, seats 1 and 2: 1
        - 0 none-1: no 1: two 1s here
        + 1 none-2: no 2: no 2 here
        - 0 star-5: strictly most 5s: no 5 here, one in zone 2
        - 0 moon-green: strictly most green cards: none in any zone
        - 0 trio-kgo: at least 1 black, 1 green and 1 orange: black, green and orange are missing
        - 0 colours-3: exactly 3 colours: 2 colours here, 3 needed
        - 0 values-6: exactly 6 values: 1 value here, 6 needed
        - 0 min-15: 15 cards or more: 10 cards, Objectives included; at least 15 needed
        Zone 2, seats 2 and 0: 6
        + 3 moon-yellow: strictly most yellow cards: 2 yellow here, no yellow elsewhere
        - 0 colours-6: exactly 6 colours: 5 colours here, 6 needed
        - 0 max-11: 11 cards or fewer: 14 cards, Objectives included; at most 11 allowed
        + 3 moon-black: strictly most black cards (common): 2 black here, no black elsewhere
        Common Objectives that nobody won: 0
        - 0 star-4: strictly most 4s (common): none in any zone
        Seat 0: left 6 × right 6 = 36, 24 cards
        Seat 1: left 6 × right 1 = 6, 20 cards; tied on points, ahead with the fewest cards
        Seat 2: left 1 × right 6 = 6, 24 cards; tied on points, behind with more cards
    """,
    "fr": """
        Zone 0, places 0 et 1: 6
        + 3 moon-red: majorité stricte de cartes rouges~: 2 ici, 1 au plus ailleurs
        - 0 moon-blue: majorité stricte de cartes bleues~: 1 ici, 3 dans la zone 2
        + 3 star-3: majorité stricte de 3~: trois 3 ici, aucun 3 ailleurs
        - 0 two-3: exactement deux 3~: trois 3 ici, il en faut deux
        - 0 two-4: exactement deux 4~: aucun 4 ici, il en faut deux
        - 0 trio-rby: au moins 1 rouge, 1 bleue et 1 jaune~: il manque le jaune
        - 0 colours-4: exactement 4 couleurs~: 2 couleurs ici, il en faut 4
        Zone 1, places 1 et 2: 1
        - 0 none-1: aucun 1~: deux 1 ici
        + 1 none-2: aucun 2~: aucun 2 ici
        - 0 star-5: majorité stricte de 5~: aucun 5 ici, un dans la zone 2
        - 0 moon-green: majorité stricte de cartes vertes~: il n’y en a nulle part
        - 0 trio-kgo: au moins 1 noire, 1 verte et 1 orange~: il manque le noir, le vert et l’orange
        - 0 colours-3: exactement 3 couleurs~: 2 couleurs ici, il en faut 3
        - 0 values-6: exactement 6 valeurs~: 1 valeur ici, il en faut 6
        - 0 min-15: 15 cartes ou plus~: 10 cartes, Objectifs compris~; il en faut au moins 15
        Zone 2, places 2 et 0: 6
        + 3 moon-yellow: majorité stricte de cartes jaunes~: 2 ici, aucune ailleurs
        - 0 colours-6: exactement 6 couleurs~: 5 couleurs ici, il en faut 6
        - 0 max-11: 11 cartes ou moins~: 14 cartes, Objectifs compris~; il en faut au plus 11
        + 3 moon-black: majorité stricte de cartes noires (commun)~: 2 ici, aucune ailleurs
        Objectifs communs que personne n’a gagnés: 0
        - 0 star-4: majorité stricte de 4 (commun)~: il n’y en a nulle part
        Place 0~: gauche 6 × droite 6 = 36, 24 cartes
        Place 1~: gauche 6 × droite 1 = 6, 20 cartes~; à égalité de points, devant avec le moins de cartes
        Place 2~: gauche 1 × droite 6 = 6, 24 cartes~; à égalité de points, derrière avec plus de cartes
    """,
    "de": """
        Zone 0, Plätze 0 und 1: 6
        + 3 moon-red: allein die meisten roten Karten: 2 hier, anderswo höchstens 1
        - 0 moon-blue: allein die meisten blauen Karten: 1 hier, 3 in Zone 2
        + 3 star-3: allein die meisten 3er: drei 3er hier, anderswo keine 3
        - 0 two-3: genau zwei 3er: drei 3er hier, zwei nötig
        - 0 two-4: genau zwei 4er: keine 4 hier, zwei nötig
        - 0 trio-rby: mindestens 1 rote, 1 blaue und 1 gelbe: Gelb fehlt
        - 0 colours-4: genau 4 Farben: 2 Farben hier, 4 nötig
        Zone 1, Plätze 1 und 2: 1
        - 0 none-1: keine 1: zwei 1er hier
        + 1 none-2: keine 2: keine 2 hier
        - 0 star-5: allein die meisten 5er: keine 5 hier, eine in Zone 2
        - 0 moon-green: allein die meisten grünen Karten: in keiner Zone vorhanden
        - 0 trio-kgo: mindestens 1 schwarze, 1 grüne und 1 orange: Schwarz, Grün und Orange fehlen
        - 0 colours-3: genau 3 Farben: 2 Farben hier, 3 nötig
        - 0 values-6: genau 6 Werte: 1 Wert hier, 6 nötig
        - 0 min-15: mindestens 15 Karten: 10 Karten, Wertungskarten eingeschlossen; mindestens 15 nötig
        Zone 2, Plätze 2 und 0: 6
        + 3 moon-yellow: allein die meisten gelben Karten: 2 hier, anderswo keine
        - 0 colours-6: genau 6 Farben: 5 Farben hier, 6 nötig
        - 0 max-11: höchstens 11 Karten: 14 Karten, Wertungskarten eingeschlossen; höchstens 11 erlaubt
        + 3 moon-black: allein die meisten schwarzen Karten (öffentlich): 2 hier, anderswo keine
        Öffentliche Wertungskarten, die niemand gewonnen hat: 0
        - 0 star-4: allein die meisten 4er (öffentlich): in keiner Zone vorhanden
        Platz 0: links 6 × rechts 6 = 36, 24 Karten
        Platz 1: links 6 × rechts 1 = 6, 20 Karten; punktgleich, mit den wenigsten Karten vorn
        Platz 2: links 1 × rechts 6 = 6, 24 Karten; punktgleich, mit mehr Karten dahinter
    """,
}


def told(explanation: Explanation) -> list[str]:
    """Return an explanation as lines of text; `~` is a no-break space."""
    lines: list[str] = []
    for section in explanation.sections:
        lines.append(f"{section.title}: {section.points}")
        lines += [f"{'-+'[r.met]} {r.points} {r.about}: {r.text}" for r in section.reasons]
    return [line.replace("\u00a0", "~") for line in (*lines, *explanation.totals)]


def why(explanation: Explanation, zone: int = 0) -> list[str]:
    """Return the reasons of one zone without the texts of the cards."""
    return [re.split("\u00a0?: ", reason.text)[1] for reason in explanation.sections[zone].reasons]


@pytest.mark.clause("S12", "S13", "S15")
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_explanation_says_of_every_objective_why_it_scores_or_not(language: Language) -> None:
    explanation = splito.explain(over(A_BIT_OF_ALL, commons="star-4 moon-black"), language)
    assert told(explanation) == [line.strip() for line in TOLD[language].strip().splitlines()]


TIES: dict[Language, tuple[str, str, str]] = {
    "en": (
        "one 5 here, tied with zone 1 and zone 2",
        "no 6 here, two in zone 1 and two in zone 2",
        "strictly most 6s (common): a tie, two in zone 1 and two in zone 2",
    ),
    "fr": (
        "un 5 ici, à égalité avec la zone 1 et la zone 2",
        "aucun 6 ici, deux dans la zone 1 et deux dans la zone 2",
        "majorité stricte de 6 (commun)\u00a0: égalité, deux dans la zone 1 et deux dans la zone 2",
    ),
    "de": (
        "eine 5 hier, Gleichstand mit Zone 1 und Zone 2",
        "keine 6 hier, zwei in Zone 1 und zwei in Zone 2",
        "allein die meisten 6er (öffentlich): Gleichstand, zwei in Zone 1 und zwei in Zone 2",
    ),
}


@pytest.mark.clause("S12")
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_explanation_names_the_zones_of_a_tie(language: Language) -> None:
    board = "r5 star-5 {} | b5 b6 k6 | y5 y6 g6"
    explanation = splito.explain(over(board.format("star-6"), commons="moon-red"), language)
    assert why(explanation)[:2] == list(TIES[language][:2])
    unclaimed = splito.explain(over(board.format(""), commons="star-6"), language).sections[-1]
    assert [reason.text for reason in unclaimed.reasons] == [TIES[language][2]]


MET: dict[Language, list[str]] = {
    "en": ["two 3s here", "all here", "3 colours here", "9 cards, Objectives included"],
    "fr": ["deux 3 ici", "tout y est", "3 couleurs ici", "9 cartes, Objectifs compris"],
    "de": ["zwei 3er hier", "alles da", "3 Farben hier", "9 Karten, Wertungskarten eingeschlossen"],
}


@pytest.mark.clause("S4")
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_explanation_gives_the_numbers_of_what_is_met_too(language: Language) -> None:
    explanation = splito.explain(over("r3 r3 b1 b1 y1 two-3 trio-rby colours-3 max-11 | - | -"), language)
    assert why(explanation) == MET[language]
    assert explanation.sections[0].points == 2 + 1 + 4 + 2


@pytest.mark.clause("S5")
@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (
            "en",
            [
                "2 red here, 1 needed",
                "orange, the 1 and the 2 are missing",
                "6 cards, Objectives included; at most 4 allowed",
            ],
        ),
        (
            "fr",
            [
                "2 ici, il en faut 1",
                "il manque l’orange, le 1 et le 2",
                "6 cartes, Objectifs compris\u00a0; il en faut au plus 4",
            ],
        ),
        (
            "de",
            [
                "2 hier, 1 nötig",
                "Orange, die 1 und die 2 fehlen",
                "6 Karten, Wertungskarten eingeschlossen; höchstens 4 erlaubt",
            ],
        ),
    ],
)
def test_a_deck_of_your_own_is_explained_as_well(language: Language, expected: list[str], tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN_DECK, "utf-8")
    options = SplitoOptions(deck=str(path))
    state = over("r3 r3 one-red mixed-bag some-cards | r1 o1 o2 | -", "lone-star blood-moon", options=options)
    explanation = splito.explain(state, language)
    assert why(explanation)[:-1] == expected  # and the last is the common that it won
    assert explanation.sections[0].reasons[-1].text.startswith(find_deck(options.deck).text("blood-moon", language))


TITLES: dict[Language, list[str]] = {
    "en": ["Seat 0, left", "Seat 0, right", "Seat 1, left", "Seat 1, right"],
    "fr": ["Place 0, gauche", "Place 0, droite", "Place 1, gauche", "Place 1, droite"],
    "de": ["Platz 0, links", "Platz 0, rechts", "Platz 1, links", "Platz 1, rechts"],
}
BEHIND: dict[Language, str] = {
    "en": "no 4 here, one in seat 0’s right zone and one in seat 1’s left zone",
    "fr": "aucun 4 ici, un dans la zone droite de la place 0 et un dans la zone gauche de la place 1",
    "de": "keine 4 hier, eine in der rechten Zone von Platz 0 und eine in der linken Zone von Platz 1",
}


@pytest.mark.clause("S19")
@pytest.mark.parametrize("language", LANGUAGES)
def test_private_zones_are_named_by_seat_and_side(language: Language) -> None:
    explanation = splito.explain(over("star-4 | r4 | b4 | -", players=2), language)
    assert [section.title for section in explanation.sections] == TITLES[language]
    assert why(explanation) == [BEHIND[language]]


@pytest.mark.clause("S18")
@pytest.mark.parametrize(
    ("language", "titles", "total"),
    [
        (
            "en",
            ["Deal 1 of 3: Zone 0, seats 0 and 1", "Deal 2 of 3: Zone 2, seats 2 and 0"],
            "Seat 0: left 1 × right 2 + left 1 × right 1 = 3, 5 cards",
        ),
        (
            "fr",
            ["Manche 1 sur 3~: Zone 0, places 0 et 1", "Manche 2 sur 3~: Zone 2, places 2 et 0"],
            "Place 0~: gauche 1 × droite 2 + gauche 1 × droite 1 = 3, 5 cartes",
        ),
        (
            "de",
            ["Durchgang 1 von 3: Zone 0, Plätze 0 und 1", "Durchgang 2 von 3: Zone 2, Plätze 2 und 0"],
            "Platz 0: links 1 × rechts 2 + links 1 × rechts 1 = 3, 5 Karten",
        ),
    ],
)
def test_finished_deals_are_explained_first_and_added_up(language: Language, titles: list[str], total: str) -> None:
    past = SplitoDeal((), (("none-1", "none-2"), (), ("none-3",)), ((2, -3), (0, -2), (0, -1)))
    now = over("none-1 | - | none-2", options=SplitoOptions(deals=3))
    lines = told(splito.explain(msgspec.structs.replace(now, finished=(past,)), language))
    assert lines[0].startswith(titles[0])
    assert any(line.startswith(titles[1]) for line in lines)
    assert total in lines


@pytest.mark.clause("S16")
@pytest.mark.parametrize("language", LANGUAGES)
def test_totals_say_when_the_fewest_cards_decided(language: Language) -> None:
    """Seats 0 and 1 have 4 points each, seat 1 with one card less; seat 2 has 4 points and as many cards as seat 0."""
    words = WORDS[language]
    decided = splito.explain(over("two-1 r1 r1 | two-1 b1 b1 | two-1 y1 y1 k2"), language).totals
    assert [words.fewest in total for total in decided] == [False, True, False]
    assert [words.not_fewest in total for total in decided] == [True, False, True]
    shared = splito.explain(over("two-1 r1 r1 | two-1 b1 b1 | two-1 y1 y1"), language).totals
    alone = splito.explain(over("two-1 r1 r1 | two-2 b2 b2 | none-1 b2 k2"), language).totals
    assert not any(note in total for total in (*shared, *alone) for note in (words.fewest, words.not_fewest))


@pytest.mark.clause("S15", "S16", "S18")
@given(a_seed, a_table, st.integers(1, 2), st.sampled_from(LANGUAGES))
def test_the_numbers_of_an_explanation_are_the_scores(seed: str, players: int, deals: int, language: Language) -> None:
    for state in random_match(players, seed, SplitoOptions(deals)):
        explanation = splito.explain(state, language)
        assert all(section.points == sum(r.points for r in section.reasons) for section in explanation.sections)
        assert all(bool(r.points) == r.met for section in explanation.sections for r in section.reasons)
        ends = [re.findall(r"\d+", total.split("=")[1]) for total in explanation.totals]
        assert tuple((int(points), -int((*cards, 0)[0])) for points, *cards in ends) == splito.scores(state)
        products = [re.findall(r"(\d+) × \w+ (\d+)", total) for total in explanation.totals]
        assert [sum(int(a) * int(b) for a, b in seat) for seat in products] == [s[0] for s in splito.scores(state)]
        assert not re.search("[{}]", " ".join(told(explanation)))


@given(a_seed, a_table)
def test_every_objective_on_the_table_is_explained_once(seed: str, players: int) -> None:
    *_, last = random_match(players, seed)
    view = splito.view(last, None)
    lying = [card for zone in (*view.zones, view.commons) for card in zone if "-" in card]
    about = [reason.about for section in splito.explain(last, "en").sections for reason in section.reasons]
    assert sorted(about) == sorted(lying)
