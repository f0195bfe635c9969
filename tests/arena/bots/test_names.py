"""Names are visible, and no name is mistaken for that of a house bot."""

import pytest

from splito_arena.bots.find import bot_names
from splito_arena.bots.names import fault_of, is_of_house, starts_like

BLANK = {
    "nothing": "",
    "spaces": "   ",
    "no-break space": "\u00a0",
    "ideographic space": "\u3000",
    "zero-width space": "\u200b",
    "zero-width joiners": "\u200d\u200c",
    "word joiner": "\u2060",
    "byte order mark": "\ufeff",
    "soft hyphen": "\u00ad",
    "bidi override around a name": "\u202eadA\u202c",
    "bidi isolate": "\u2066Ada\u2069",
    "Hangul filler": "\u3164",
    "half-width Hangul filler": "\uffa0",
    "Hangul choseong filler": "\u115f\u1160",
    "a name with a Hangul filler": "Ada\u3164",
    "braille blank": "\u2800",
    "combining marks alone": "\u0301\u0308",
    "a mark on a space": " \u0301",
    "variation selector": "\ufe0f",
    "combining grapheme joiner": "\u034f",
    "musical null notehead": "\U0001d159",
    "Mongolian vowel separator": "\u180e",
    "tag characters": "\U000e0061\U000e0062",
    "private use": "\ue000",
    "line break": "Ada\nBob",
    "escape": "\x1b[31mAda",
    "surrogate": "\ud800",
}
VISIBLE = [
    "Ada",
    "Zoë",
    "Zoe\u0308",
    "李",
    "महेश",
    "Δήμητρα",
    "Жанна",
    "🦉",
    "☃",
    "O'Brien",
    "-",
    "7",
    "Nguyễn Văn A",
    "محمد",
]
LIKE_HOUSE = {
    "exactly": "planner",
    "capitals": "PLANNER",
    "full width": "ｐｌａｎｎｅｒ",  # noqa: RUF001
    "mathematical letters": "𝐩𝐥𝐚𝐧𝐧𝐞𝐫",  # noqa: RUF001
    "circled letters": "ⓖⓡⓔⓔⓓⓨ",
    "spaces around": " greedy ",
    "spaces between": "g r e e d y",
    "punctuation": "random!",
    "marks": "plánnêr",
    "Cyrillic letters": "рlаnnеr",  # noqa: RUF001
    "Greek capitals": "ΡLΑΝΝΕR",  # noqa: RUF001
    "a Cyrillic capital whose small letter is alike": "GREE\u0500Y",
    "a Cherokee letter": "\u13c0reedy",
    "Cherokee letters": "\u13c0\u13a1\u13ac\u13ac\u13a0\u13a9",
    "small Cherokee letters": "\uab90\uab71\uab7c\uab7c\uab70\uab79",
    "Lisu letters": "\ua4d6\ua4e3\ua4f0\ua4f0\ua4d3\ua4ec",
    "small capitals": "\u0262\u0280\u1d07\u1d07\u1d05\u028f",
    "a letter with a stroke": "ran\u0111om",
    "letters in squares": "\U0001f176\U0001f181\U0001f174\U0001f174\U0001f173\U0001f188",
    "letters of flags": "\U0001f1ec\U0001f1f7\U0001f1ea\U0001f1ea\U0001f1e9\U0001f1fe",
    "a letter of any script among Latin ones": "\u2cc5reedy",
    "a digit for a letter": "p1anner",
    "nought for a letter": "rand0m",
    "a capital I for an l": "pIanner",
    "r and n for an m": "randorn",
    "the house": "The House",
    "house": "HOUSE",
    "stand-in": "Stand in",
    "a copy": "planner#2",
    "a copy with another number": "Greedy #99",
    "a copy in full width": "ｐｌａｎｎｅｒ＃２",  # noqa: RUF001
    "a copy with a sharp": "rand0m♯3",
    "a copy without a number": "planner#",
}
UNLIKE_HOUSE = [
    "Ada",
    "#1 planner of Ada",
    "planner of Ada #2",
    "planner of Ada",
    "random 2",
    "greedy-ish",
    "Rando",
    "household",
    "Планировщик",
    "\u13e3\u13b3\u13a9",  # Cherokee
    "Łódź",
    "Жр-андом",
    "李",
    "🦉",
]


@pytest.mark.parametrize("name", BLANK.values(), ids=BLANK)
def test_a_name_without_visible_characters_is_refused(name: str) -> None:
    assert fault_of(name) is not None


@pytest.mark.parametrize("name", VISIBLE)
def test_a_name_in_any_script_is_accepted(name: str) -> None:
    assert fault_of(name) is None
    assert not is_of_house(name)


@pytest.mark.parametrize("name", LIKE_HOUSE.values(), ids=LIKE_HOUSE)
def test_a_name_that_looks_like_a_house_bot_counts_as_one(name: str) -> None:
    assert is_of_house(name)


@pytest.mark.parametrize("name", UNLIKE_HOUSE)
def test_any_other_name_does_not_count_as_a_house_bot(name: str) -> None:
    assert not is_of_house(name)


def test_every_installed_bot_counts_as_a_house_bot() -> None:
    assert {"greedy", "planner", "random"} <= {*bot_names()}
    assert all(map(is_of_house, bot_names()))


def test_the_beginning_of_a_name_is_known_again_however_it_is_written() -> None:
    assert starts_like("HОUSE  Iadder: Splito", "House ladder")  # noqa: RUF001 (a Cyrillic O, and an I for an l)
    assert not starts_like("Ladder of the house", "House ladder")
