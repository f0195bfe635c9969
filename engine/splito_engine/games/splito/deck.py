"""The cards of Splito, read from a deck file: colours, copies, and Objectives with requirement, points and texts.

`standard` ships with the game. The option `deck` may name another file; its name is stored with a digest of the
content, so that a record is replayed with exactly the cards it was played with.

Inside the rules a card is a small number, its *code*: its place among the different cards of the deck. A hand or a zone
is then a row of bytes, which Python searches, cuts and counts at the speed of C.
"""

import hashlib
import tomllib
from collections import Counter
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from splito_engine.errors import BadDeck
from splito_engine.files import may_open_files
from splito_engine.game import Language
from splito_engine.games.splito.objectives import Cards, Each, Exactly, Most, Need, Part

Card: TypeAlias = str
"""The wire name of a card: `r4` is the red 4, `moon-red` an Objective. Both copies of a card have the same name."""
Code: TypeAlias = int

STANDARD = "standard"
MAX_FILE = 200_000  # bytes of a deck file
_opened: dict[str, bytes] = {}  # by digest: the deck files that the user of this process named with --deck
MAX_DIFFERENT = 128  # different cards of a deck, because a card and a side must fit into a byte


class Texts(Part, frozen=True):
    """A text in the three languages."""

    en: Annotated[str, Meta(min_length=1, max_length=200)]
    fr: Annotated[str, Meta(min_length=1, max_length=200)]
    de: Annotated[str, Meta(min_length=1, max_length=200)]

    def __getitem__(self, language: Language) -> str:
        return getattr(self, language)


class Colour(Part, frozen=True):
    """A colour of the deck, with a letter and a pattern of its own."""

    letter: Annotated[str, Meta(pattern="^[a-z]$")]
    name: Annotated[str, Meta(pattern="^[a-z]{1,20}$")]
    pattern: Annotated[str, Meta(min_length=1, max_length=20)]
    symbol: Annotated[str, Meta(min_length=1, max_length=1)]
    """The pattern as one character for a terminal, so that colour vision is not needed (S2)."""
    text: Texts
    beside_value: dict[Language, Annotated[str, Meta(min_length=1, max_length=200)]] = msgspec.field(
        default_factory=dict[Language, str]
    )
    """The form of `text` in the name of a card, where a language inflects it: German "rote 4", not "rot 4"."""
    reconstructed: tuple[Literal["colour", "pattern"], ...] = ()


class Objective(Part, frozen=True):
    """An Objective card: its requirement, points and texts."""

    id: Annotated[str, Meta(pattern="^[a-z]+(-[a-z0-9]+)+$", max_length=40)]
    points: Annotated[int, Meta(ge=1, le=4)]
    need: Need
    text: Texts
    reconstructed: tuple[Literal["count", "points", "need"], ...] = ()


class DeckFile(Part, frozen=True):
    """The content of a deck file."""

    name: Annotated[str, Meta(pattern="^[a-z0-9-]{1,40}$")]
    values: Annotated[int, Meta(ge=1, le=9)]
    copies: Annotated[int, Meta(ge=1, le=9)]
    note: Texts
    card: Texts
    colours: Annotated[tuple[Colour, ...], Meta(min_length=1)]
    objectives: tuple[Objective, ...]


class Deck(msgspec.Struct, frozen=True, eq=False):
    """A deck file with its look-up tables. Fields of 256 bytes are tables for `bytes.translate`."""

    id: str
    file: DeckFile
    names: tuple[Card, ...]
    """Names by code: colours and values first, then Objectives in the order of the file. Hands are sorted like this."""
    codes: dict[Card, Code]
    cards: tuple[Code, ...]
    """Every card of the deck, copies included."""
    objectives: dict[Code, Objective]
    signs: dict[Code, str]
    """The colour or value that each majority Objective counts."""
    moons: tuple[Code, ...]
    """Majority Objectives of a colour."""
    stars: tuple[Code, ...]
    """Majority Objectives of a value."""
    letters: bytes
    """The sign of each Splito card's colour; a blank for an Objective."""
    digits: bytes
    """The sign of each Splito card's value; a blank for an Objective."""
    faces: bytes
    """The codes of all Splito cards."""

    def text(self, card: Card, language: Language) -> str:
        """Return the short text of the card (S5)."""
        code = self.codes[card]
        if code in self.objectives:
            return self.objectives[code].text[language]
        letter, value = card
        colour = next(colour for colour in self.file.colours if colour.letter == letter)
        name = colour.beside_value.get(language, colour.text[language])
        return self.file.card[language].replace("{colour}", name).replace("{value}", value)


def pin(name: str) -> str:
    """Return the name of a deck with the digest of its content; `standard` has none. Raise `BadDeck`."""
    if name == STANDARD or "#" in name:
        return find_deck(name).id
    if not name.endswith(".toml"):
        raise BadDeck(f"no deck {name!r}: name {STANDARD!r} or a .toml file", field="deck")
    return find_deck(f"{name}#{_digest(_read_file(name))}").id


def open_deck(path: Path) -> str:
    """Open a deck file for records and messages that pin its content, under whatever path they name it.

    Return the digest of its content. Raise `BadDeck`.
    """
    raw = _read_file(str(path))
    read(raw, str(path))
    digest = _digest(raw)
    _opened[digest] = raw
    return digest


@lru_cache(maxsize=64)
def find_deck(name: str) -> Deck:
    """Return the deck of a pinned name. The result is cached, because the digest in the name fixes the content.

    Raise `BadDeck`, also if the file is not open and no file may be opened (`splito_engine.files`).
    """
    if name == STANDARD:
        raw = files("splito_engine.games.splito").joinpath("cards.toml").read_bytes()
        return build(read(raw, "cards.toml"), STANDARD)
    path, _, digest = name.rpartition("#")
    if not path.endswith(".toml"):
        raise BadDeck(f"no deck {name!r}: a pinned deck is path/to/file.toml#digest", field="deck")
    raw = _opened[digest] if digest in _opened else _read_file(path)
    if _digest(raw) != digest:
        raise BadDeck(f"{path} has changed: its digest is {_digest(raw)}, not {digest}", field="deck")
    return build(read(raw, path), name)


def read(raw: bytes, source: str) -> DeckFile:
    """Return the content of a deck file. Raise `BadDeck` if it is malformed or inconsistent."""
    try:
        file = msgspec.convert(tomllib.loads(raw.decode()), DeckFile)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError, RecursionError) as error:
        raise BadDeck(f"{source}: {error}", field="deck") from None
    for fault in _faults(file):
        raise BadDeck(f"{source}: {fault}", field="deck")
    return file


def build(file: DeckFile, deck_id: str) -> Deck:
    """Return the deck of a file, with its look-up tables."""
    faces = [f"{colour.letter}{value}" for colour in file.colours for value in range(1, file.values + 1)]
    objectives = dict(enumerate(file.objectives, start=len(faces)))
    names = (*faces, *(objective.id for objective in file.objectives))
    signs = {code: objective.need.of for code, objective in objectives.items() if isinstance(objective.need, Most)}
    return Deck(
        id=deck_id,
        file=file,
        names=names,
        codes={name: code for code, name in enumerate(names)},
        cards=tuple(code for code in range(len(names)) for _ in range(1 if code in objectives else file.copies)),
        objectives=objectives,
        signs=signs,
        moons=tuple(code for code, sign in signs.items() if sign.isalpha()),
        stars=tuple(code for code, sign in signs.items() if sign.isdigit()),
        letters="".join(face[0] for face in faces).encode().ljust(256),
        digits="".join(face[1] for face in faces).encode().ljust(256),
        faces=bytes(range(len(faces))),
    )


def _digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()[:16]


def _read_file(path: str) -> bytes:
    if not may_open_files():
        raise BadDeck(
            f"{path!r} is not opened, because a record or a message names it: name the deck yourself with --deck",
            field="deck",
        )
    if not Path(path).is_file():
        raise BadDeck(f"there is no deck file {path!r}", field="deck")
    try:
        with Path(path).open("rb") as file:
            raw = file.read(MAX_FILE + 1)
    except (OSError, ValueError) as error:
        raise BadDeck(f"cannot read the deck {path!r}: {error}", field="deck") from None
    if len(raw) > MAX_FILE:
        raise BadDeck(f"{path}: a deck file has at most {MAX_FILE:,} bytes", field="deck")
    return raw


def _faults(file: DeckFile) -> list[str]:
    """Return the inconsistencies of a well-formed deck file."""
    letters = [colour.letter for colour in file.colours]
    signs = {*letters, *map(str, range(1, file.values + 1))}
    names = [*letters, *(objective.id for objective in file.objectives)]
    names += [sign for colour in file.colours for sign in (colour.pattern, colour.symbol)]
    faults = [f"{name!r} appears twice" for name, count in Counter(names).items() if count > 1]
    faults += [
        f"{objective.id} asks for {sign!r}, which no card of this deck has"
        for objective in file.objectives
        for sign in _signs(objective.need)
        if sign not in signs
    ]
    faults += [f"{o.id} can never be met" for o in file.objectives if isinstance(o.need, Cards) and o.need.is_empty]
    most = [objective.need.of for objective in file.objectives if isinstance(objective.need, Most)]
    if not any(map(str.isalpha, most)) or not any(map(str.isdigit, most)):
        faults.append("the commons need at least one Objective for most of a colour and one for most of a value (S7)")
    if len(letters) * file.values + len(file.objectives) > MAX_DIFFERENT:
        faults.append(f"a deck has at most {MAX_DIFFERENT} different cards")
    for language, template in msgspec.structs.asdict(file.card).items():
        if "{colour}" not in template or "{value}" not in template:
            faults.append(f"card.{language} must contain {{colour}} and {{value}}")
    return faults


def _signs(need: Need) -> tuple[str, ...]:
    """Return the colours and values that a requirement names."""
    match need:
        case Most(of=sign) | Exactly(of=sign):
            return (sign,)
        case Each(of=signs):
            return signs
        case _:
            return ()
