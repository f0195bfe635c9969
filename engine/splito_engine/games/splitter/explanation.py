"""Texts of Splitter in three languages: the explanation of the points of a sheet, solo titles, and the rulebook."""

from bisect import bisect_right

import msgspec

from splito_engine.game import Explanation, Language, Reason, Seat, Section
from splito_engine.games.splitter.rules import Group, SplitterState, groups, hearts
from splito_engine.games.splitter.sheets import PADS, Pad, Sheet, SheetName, cell_name
from splito_engine.texts import read_rules


class Words(msgspec.Struct, frozen=True):
    """The sentences of one language. `{group}` is `single` or `several`, `{points}` one of `units`."""

    seat: str
    sheet: str
    single: str
    several: str
    exact: str
    starred: str
    missed: str
    hearts_alike: str
    hearts_differ: str
    total: str
    units: tuple[str, str, str]
    """No point, one point, several points."""
    counts: tuple[str, ...]
    """Numbers of cells in words, from one on; larger groups are counted in digits."""
    faces: tuple[tuple[str, str], ...]
    """The numbers 1 to 6 on the sheet, in singular and plural."""


WORDS: dict[Language, Words] = {
    "en": Words(
        seat="Seat {seat}",
        sheet="{seat}, sheet {sheet}",
        single="a single {face}",
        several="a group of {count} {face}",
        exact="{group} scores {points}",
        starred="{group} with a star scores double: {points}",
        missed="{group}: not exactly {needed}, nothing",
        hearts_alike="the same number in all three hearts scores {points}",
        hearts_differ="not the same number in all three hearts, nothing",
        total="{seat}: {points}",
        units=("{} points", "{} point", "{} points"),
        counts=("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
        faces=(("1", "1s"), ("2", "2s"), ("3", "3s"), ("4", "4s"), ("5", "5s"), ("6", "6s")),
    ),
    "fr": Words(
        seat="Place {seat}",
        sheet="{seat}, fiche {sheet}",
        single="un {face} isolé",
        several="un groupe de {count} {face}",
        exact="{group} rapporte {points}",
        starred="{group} sur une case Étoile compte double\u00a0: {points}",
        missed="{group}\u00a0: il en faut exactement {needed}, aucun point",
        hearts_alike="le même nombre dans les trois cases Cœur rapporte {points}",
        hearts_differ="pas le même nombre dans les trois cases Cœur, aucun point",
        total="{seat}\u00a0: {points}",
        units=("{} point", "{} point", "{} points"),
        counts=("un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze"),
        faces=(("1", "1"), ("2", "2"), ("3", "3"), ("4", "4"), ("5", "5"), ("6", "6")),
    ),
    "de": Words(
        seat="Platz {seat}",
        sheet="{seat}, Blatt {sheet}",
        single="eine einzelne {face}",
        several="eine Gruppe aus {count} {face}",
        exact="{group} bringt {points}",
        starred="{group} mit Stern zählt doppelt: {points}",
        missed="{group}: nicht genau {needed}, keine Punkte",
        hearts_alike="dieselbe Zahl in allen drei Herzen bringt {points}",
        hearts_differ="nicht dieselbe Zahl in allen drei Herzen, keine Punkte",
        total="{seat}: {points}",
        units=("{} Punkte", "{} Punkt", "{} Punkte"),
        counts=("eine", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"),
        faces=(
            ("Eins", "Einsen"),
            ("Zwei", "Zweien"),
            ("Drei", "Dreien"),
            ("Vier", "Vieren"),
            ("Fünf", "Fünfen"),
            ("Sechs", "Sechsen"),
        ),
    ),
}

SOLO_TITLES: tuple[tuple[int, dict[Language, str]], ...] = (
    (0, {"en": "lost", "fr": "vous avez perdu", "de": "verloren"}),
    (28, {"en": "welcome to the club", "fr": "bienvenue au club", "de": "willkommen im Club"}),
    (31, {"en": "all right", "fr": "ça va", "de": "ganz ordentlich"}),
    (34, {"en": "not bad", "fr": "pas mal", "de": "nicht schlecht"}),
    (37, {"en": "good", "fr": "bien", "de": "gut"}),
    (39, {"en": "great", "fr": "super", "de": "großartig"}),
    (41, {"en": "champion", "fr": "champion", "de": "meisterhaft"}),
    (43, {"en": "world class", "fr": "la classe internationale", "de": "Weltklasse"}),
    (45, {"en": "extraordinary", "fr": "extraordinaire", "de": "außergewöhnlich"}),
    (47, {"en": "spectacular", "fr": "spectaculaire", "de": "spektakulär"}),
    (49, {"en": "incredible", "fr": "incroyable", "de": "unglaublich"}),
    (51, {"en": "supernatural", "fr": "surnaturel", "de": "überirdisch"}),
)
"""The fewest points for each title (T9). The French titles are printed; the English and German ones are ours."""

LEAST_POINTS = tuple(least for least, _ in SOLO_TITLES)


def explain(state: SplitterState, language: Language) -> Explanation:
    """Return one section per seat: its groups in reading order, then the hearts of sheet B."""
    words = WORDS[language]
    sections = tuple(_section(seat, sheet, state.options.sheet, words) for seat, sheet in enumerate(state.sheets))
    totals = tuple(_total(seat, section.points, words) for seat, section in enumerate(sections))
    if len(totals) == 1:
        totals = (f"{totals[0]}, {solo_title(sections[0].points, language)}",)
    return Explanation(sections, totals)


def solo_title(points: int, language: Language) -> str:
    """Return the title of a player who plays alone (T9)."""
    return SOLO_TITLES[bisect_right(LEAST_POINTS, points) - 1][1][language]


def rulebook(language: Language) -> str:
    return read_rules("splito_engine.games.splitter", language)


def _section(seat: Seat, sheet: Sheet, name: SheetName, words: Words) -> Section:
    pad = PADS[name]
    reasons = [_group_reason(group, words) for group in groups(pad, sheet)]
    if pad.hearts:
        reasons.append(_hearts_reason(pad, sheet, words))
    title = words.sheet.format(seat=words.seat.format(seat=seat), sheet=name)
    return Section(title, sum(reason.points for reason in reasons), tuple(reasons))


def _group_reason(group: Group, words: Words) -> Reason:
    about = f"{group.number}@{cell_name(group.cells[0])}"
    scored = words.starred if group.starred else words.exact
    text = (scored if group.points else words.missed).format(
        group=_group_text(group, words), points=_points(group.points, words), needed=words.counts[group.number - 1]
    )
    return Reason(about, group.points > 0, group.points, text)


def _group_text(group: Group, words: Words) -> str:
    size = len(group.cells)
    one, several = words.faces[group.number - 1]
    if size == 1:
        return words.single.format(face=one)
    return words.several.format(count=words.counts[size - 1] if size <= len(words.counts) else size, face=several)


def _hearts_reason(pad: Pad, sheet: Sheet, words: Words) -> Reason:
    points = hearts(pad, sheet)
    sentence = words.hearts_alike if points else words.hearts_differ
    return Reason("hearts", points > 0, points, sentence.format(points=_points(points, words)))


def _total(seat: Seat, points: int, words: Words) -> str:
    return words.total.format(seat=words.seat.format(seat=seat), points=_points(points, words))


def _points(points: int, words: Words) -> str:
    return words.units[min(points, 2)].format(points)
