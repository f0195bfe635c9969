"""Rules for the names of owners and bots: visible, and not mistaken for a house bot."""

import re
import unicodedata
from functools import cache

from splito_arena.bots.find import bot_names

RESERVED = ("house", "the house", "house bot", "stand-in")
"""Names beside those of the house bots that stand for the house."""
COPY_SIGNS = "#♯⌗"
"""Characters that look like the sign before the number of a copy: `planner#2`. Their other widths are normalised."""
INVISIBLE = frozenset("\u115f\u1160\u2800\u3164\uffa0\U00013441\U00013442\U0001d159")
"""Characters that count as printable letters or signs and show nothing: fillers and blanks."""
LOOK_ALIKES = str.maketrans(
    "абвгеіјклмнопрстухһѕԁԍԛԝӏАВЕЅІЈКМНОРСТУХԌαβεηικνορτυχγΑΒΕΖΗΙΚΜΝΟΡΤΥΧոսօհցɡɑı01",  # noqa: RUF001 (that is the point)
    "abbreijklmhonpctyxhsdgqwlABESIJKMHOPCTYXGabenikvoptuxyABEZHIKMNOPTYXnuohggaiol",
)
"""Cyrillic, Greek, Armenian and phonetic letters, and digits, that look like a Latin letter: the common ones."""


def fault_of(name: str) -> str | None:
    """Return what is wrong with a name; None if it is visible and printable."""
    if not name.isprintable():
        return "a name has 1 to 64 characters, all of them printable"
    if INVISIBLE & {*name} or not any(map(_shows, unicodedata.normalize("NFKC", name))):
        return "a name must show something: it has characters that are blank, or nothing but marks and spaces"
    return None


def is_of_house(name: str) -> bool:
    """Return True if the name is that of a house bot or of its copy (`planner#2`), or looks like it.

    Another case, width or spacing, or letters of another script that look the same, make no difference.
    """
    beginning = re.split(f"[{COPY_SIGNS}]", unicodedata.normalize("NFKC", name))[0]
    return not _house().isdisjoint((_skeleton(name), _skeleton(beginning)))


def starts_like(name: str, beginning: str) -> bool:
    """Return True if the name begins with `beginning`, or looks as if it did."""
    return _skeleton(name).startswith(_skeleton(beginning))


def _shows(letter: str) -> bool:
    """Return True for letters, numbers, punctuation and symbols; False for spaces, and for marks on nothing."""
    return unicodedata.category(letter)[0] in "LNPS" and letter not in INVISIBLE


@cache
def _house() -> frozenset[str]:
    return frozenset(map(_skeleton, (*bot_names(), *RESERVED)))


def _skeleton(name: str) -> str:
    """Return the letters and digits of a name as they look: without case, width, marks, spaces and punctuation."""
    plain = unicodedata.normalize("NFKD", name).translate(LOOK_ALIKES)
    folded = unicodedata.normalize("NFKD", plain.casefold()).translate(LOOK_ALIKES)
    letters = "".join(letter for letter in folded if letter.isalnum() and letter not in INVISIBLE)
    return letters.replace("i", "l").replace("rn", "m")  # catches pIanner and randorn
