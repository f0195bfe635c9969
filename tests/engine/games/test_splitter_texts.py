"""Texts of Splitter: explanations, solo titles and the rulebook."""

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splito_engine.game import LANGUAGES, Explanation, Language
from splito_engine.games import splitter
from splito_engine.games.splitter import SplitterOptions, SplitterState, solo_title
from splito_engine.games.splitter.explanation import SOLO_TITLES
from splito_engine.games.splitter.sheets import PICTURES, SheetName

A_BIT_OF_ALL = """
    1 _ 4 . . 2 4 _
    _ _ _ _ _ 2 _ _
    . 4 4 4 _ _ _ .
    . 4 _ . . _ _ .
    . _ _ _ 4 _ 1 .
    _ 3 3 _ _ _ 1 _
    3 3 _ . . 2 2 _
"""


def over(sheet: SheetName, *pictures: str) -> SplitterState:
    return SplitterState(SplitterOptions(sheet), (), tuple("".join(picture.split()) for picture in pictures))


def told(explanation: Explanation) -> list[str]:
    """Return the reasons of the first section as lines of text."""
    return [f"{reason.about} {reason.points} {reason.text}" for reason in explanation.sections[0].reasons]


TOLD: dict[Language, list[str]] = {
    "en": [
        "1@a1 1 a single 1 scores 1 point",
        "4@a3 0 a single 4: not exactly four, nothing",
        "2@a6 2 a group of two 2s scores 2 points",
        "4@a7 0 a single 4: not exactly four, nothing",
        "4@c2 4 a group of four 4s scores 4 points",
        "4@e5 0 a single 4: not exactly four, nothing",
        "1@e7 0 a group of two 1s: not exactly one, nothing",
        "3@f2 0 a group of four 3s: not exactly three, nothing",
        "2@g6 4 a group of two 2s with a star scores double: 4 points",
        "hearts 5 the same number in all three hearts scores 5 points",
    ],
    "fr": [
        "1@a1 1 un 1 isolé rapporte 1 point",
        "4@a3 0 un 4 isolé\u00a0: il en faut exactement quatre, aucun point",
        "2@a6 2 un groupe de deux 2 rapporte 2 points",
        "4@a7 0 un 4 isolé\u00a0: il en faut exactement quatre, aucun point",
        "4@c2 4 un groupe de quatre 4 rapporte 4 points",
        "4@e5 0 un 4 isolé\u00a0: il en faut exactement quatre, aucun point",
        "1@e7 0 un groupe de deux 1\u00a0: il en faut exactement un, aucun point",
        "3@f2 0 un groupe de quatre 3\u00a0: il en faut exactement trois, aucun point",
        "2@g6 4 un groupe de deux 2 sur une case Étoile compte double\u00a0: 4 points",
        "hearts 5 le même nombre dans les trois cases Cœur rapporte 5 points",
    ],
    "de": [
        "1@a1 1 eine einzelne Eins bringt 1 Punkt",
        "4@a3 0 eine einzelne Vier: nicht genau vier, keine Punkte",
        "2@a6 2 eine Gruppe aus zwei Zweien bringt 2 Punkte",
        "4@a7 0 eine einzelne Vier: nicht genau vier, keine Punkte",
        "4@c2 4 eine Gruppe aus vier Vieren bringt 4 Punkte",
        "4@e5 0 eine einzelne Vier: nicht genau vier, keine Punkte",
        "1@e7 0 eine Gruppe aus zwei Einsen: nicht genau eine, keine Punkte",
        "3@f2 0 eine Gruppe aus vier Dreien: nicht genau drei, keine Punkte",
        "2@g6 4 eine Gruppe aus zwei Zweien mit Stern zählt doppelt: 4 Punkte",
        "hearts 5 dieselbe Zahl in allen drei Herzen bringt 5 Punkte",
    ],
}


@pytest.mark.clause("T4", "T5", "T6")
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_explanation_names_every_group_and_why_it_scores(language: Language) -> None:
    explanation = splitter.explain(over("B", A_BIT_OF_ALL), language)
    assert told(explanation) == TOLD[language]
    assert all(reason.met == (reason.points > 0) for reason in explanation.sections[0].reasons)


@pytest.mark.parametrize(
    ("language", "title", "totals"),
    [
        ("en", "Seat 0, sheet A", ("Seat 0: 0 points", "Seat 1: 1 point", "Seat 2: 2 points")),
        ("fr", "Place 0, fiche A", ("Place 0\u00a0: 0 point", "Place 1\u00a0: 1 point", "Place 2\u00a0: 2 points")),
        ("de", "Platz 0, Blatt A", ("Platz 0: 0 Punkte", "Platz 1: 1 Punkt", "Platz 2: 2 Punkte")),
    ],
)
def test_every_seat_has_its_section_and_its_total(language: Language, title: str, totals: tuple[str, ...]) -> None:
    blank = "..____.. .______. ________ ________ ________ .______. ..{}__.."
    explanation = splitter.explain(over("A", *(blank.format(end) for end in ("__", "1_", "22"))), language)
    assert explanation.sections[0].title == title
    assert explanation.totals == totals


@pytest.mark.parametrize("language", LANGUAGES)
def test_large_groups_are_counted_in_digits(language: Language) -> None:
    full = "..6666.. .666666. 66666666 66666666 66666666 .666666. ..6666.."
    (reason,) = splitter.explain(over("A", full), language).sections[0].reasons
    assert re.search(r"\b44\b", reason.text)


@given(st.text("0123456789abcdef", min_size=1), st.sampled_from(["A", "B"]), st.integers(1, 4))
def test_the_points_of_an_explanation_are_the_scores(seed: str, sheet: SheetName, players: int) -> None:
    rng = Random(seed)
    state = splitter.setup(players, seed, SplitterOptions(sheet))
    while seats := splitter.actors(state):
        state = splitter.apply(state, {seat: rng.choice(splitter.moves(state, seat)) for seat in seats})
        sections = splitter.explain(state, "en").sections
        assert tuple((section.points,) for section in sections) == splitter.scores(state)
        assert all(section.points == sum(reason.points for reason in section.reasons) for section in sections)


TITLES = """
     0-27  lost                 vous avez perdu    verloren
    28-30  welcome to the club  bienvenue au club  willkommen im Club
    31-33  all right            ça va              ganz ordentlich
    34-36  not bad              pas mal            nicht schlecht
    37-38  good                 bien               gut
    39-40  great                super              großartig
    41-42  champion             champion           meisterhaft
    43-44  world class          la classe internationale  Weltklasse
    45-46  extraordinary        extraordinaire     außergewöhnlich
    47-48  spectacular          spectaculaire      spektakulär
    49-50  incredible           incroyable         unglaublich
    51-61  supernatural         surnaturel         überirdisch
"""


@pytest.mark.clause("T9")
@pytest.mark.parametrize("line", TITLES.strip().splitlines())
def test_the_points_of_a_solo_match_earn_a_title(line: str) -> None:
    span, *titles = re.split(r"\s{2,}", line.strip())
    least, most = map(int, span.split("-"))
    for points in range(least, most + 1):
        assert [solo_title(points, language) for language in LANGUAGES] == titles


@pytest.mark.clause("T9")
def test_the_title_stands_in_the_total_of_a_match_alone_and_only_there() -> None:
    best = "225..241 15553244 .451334. .46..21. .466426. 24644466 266..666"
    assert splitter.explain(over("B", best), "en").totals == ("Seat 0: 61 points, supernatural",)
    assert splitter.explain(over("B", best, best), "en").totals == ("Seat 0: 61 points", "Seat 1: 61 points")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_have_all_clauses_once_and_in_order(language: Language) -> None:
    assert re.findall(r"^\*\*(T\d+)\*\* ", splitter.rulebook(language), re.MULTILINE) == [f"T{n}" for n in range(1, 10)]


@pytest.mark.clause("T3")
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_show_the_sheets_that_the_program_uses(language: Language) -> None:
    text = splitter.rulebook(language)
    sheets = (PICTURES[name].split("\n")[1:8] for name in ("A", "B"))
    for letter, a, b in zip("abcdefg", *sheets, strict=True):
        assert f"{letter}   {a.strip()}    {b.strip()}\n" in text


@pytest.mark.clause("T9")
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_list_the_titles_that_the_program_gives(language: Language) -> None:
    listed = re.findall(r"^\|[^|]*?(\d+)[^|]*\| ([^|]+) \|$", splitter.rulebook(language), re.MULTILINE)
    assert [title for _, title in listed] == [titles[language] for _, titles in SOLO_TITLES]
    assert [int(least) for least, _ in listed[1:]] == [least for least, _ in SOLO_TITLES[1:]]
