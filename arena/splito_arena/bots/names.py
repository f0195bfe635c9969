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
CAPITALS = str.maketrans(
    "ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏏᏒᏔᏙᏚᏞᏟᏢᏦᏴꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ",  # noqa: RUF001 (that is the point)
    "drtiyajewmhyghzbrwvslcpkbbpdtgkjczfmnlsrvhwxyaeiou",
)
"""Letters of the Cherokee and Lisu scripts, many of which look like Latin capitals."""
LETTER = re.compile(r"\b(?:LATIN|REGIONAL INDICATOR)\b.*\bLETTER (?:SMALL CAPITAL )?([A-Z])\b")
"""Unicode names of Latin letters in other forms: small capitals, letters with strokes or hooks, letters in squares."""


def fault_of(name: str) -> str | None:
    """Return what is wrong with a name; None if it is visible and printable."""
    if not name.isprintable():
        return "a name has 1 to 64 characters, all of them printable"
    if INVISIBLE & {*name} or not any(map(_shows, unicodedata.normalize("NFKC", name))):
        return "a name must show something: it has characters that are blank, or nothing but marks and spaces"
    return None


def is_of_house(name: str) -> bool:
    """Return True if the name is that of a house bot or of its copy (`planner#2`), or looks like it.

    Another case, width or spacing, or letters of another script that look the same, make no difference. If at least
    half of the letters are Latin, a letter of any other script counts as one that may look the same.
    """
    beginning = re.split(f"[{COPY_SIGNS}]", unicodedata.normalize("NFKC", name))[0]
    return any(_may_be(_skeleton(text), house) for text in (name, beginning) for house in _house())


def starts_like(name: str, beginning: str) -> bool:
    """Return True if the name begins with `beginning`, or looks as if it did."""
    return _skeleton(name).startswith(_skeleton(beginning))


def _shows(letter: str) -> bool:
    """Return True for letters, numbers, punctuation and symbols; False for spaces, and for marks on nothing."""
    return unicodedata.category(letter)[0] in "LNPS" and letter not in INVISIBLE


@cache
def _house() -> frozenset[str]:
    return frozenset(map(_skeleton, (*bot_names(), *RESERVED)))


def _may_be(skeleton: str, house: str) -> bool:
    known = [letter for letter in skeleton if letter.isascii()]
    return (
        len(skeleton) == len(house)
        and len(known) >= len(house) / 2
        and all(one == other or not one.isascii() for one, other in zip(skeleton, house, strict=True))
    )


def _skeleton(name: str) -> str:
    """Return the letters and digits of a name as they look: without case, width, marks, spaces and punctuation."""
    plain = "".join(map(_latin, unicodedata.normalize("NFKD", name).translate(LOOK_ALIKES)))
    folded = unicodedata.normalize("NFKD", plain.casefold()).translate(LOOK_ALIKES).translate(CAPITALS)
    letters = "".join(letter for letter in folded if letter.isalnum() and letter not in INVISIBLE)
    return letters.replace("i", "l").replace("rn", "m")  # catches pIanner and randorn


def _latin(letter: str) -> str:
    """Return the plain letter of a Latin letter in another form; any other letter as it is."""
    found = LETTER.search(unicodedata.name(letter, ""))
    return found[1].lower() if found else letter
