"""Entrants of a league: the files and folders of a folder that are bots, and the hash of their code.

A bot is a file `ada.py`, or a folder `bob/` with the file `bot.py`, `my_bot.py` or `bob.py`, or with one Python file
only. It has the function `choose`. Files whose names begin with `_`, `.` or `test_` are no bots.
"""

import hashlib
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from splito_engine.errors import BadOption

FUNCTION = "choose"
MOST_ENTRANTS = 500
LONGEST_NAME = 48
"""Characters of a name, so that a record has room for the version."""
HASH_DIGITS = 12
MOST_BYTES = 64 * 2**20
"""Bytes of the code of a bot, with the data in its folder."""
NOT_BOTS = ("_", ".", "test_", "conftest")


class Entrant(msgspec.Struct, frozen=True):
    """A bot in the folder."""

    name: str
    file: str
    """Path of its Python file."""
    code: str
    """Hash of the file, or of all files in its folder."""

    @property
    def word(self) -> str:
        return f"{self.file}:{FUNCTION}"


class Broken(msgspec.Struct, frozen=True):
    """A bot that cannot play, with the reason."""

    name: str
    reason: str
    traceback: str = ""


def find_entrants(folder: Path) -> tuple[list[Entrant], list[Broken]]:
    """Return the bots of the folder in the order of their names, and the ones that cannot be read."""
    if not folder.is_dir():
        raise BadOption(f"{folder} is no folder: name the folder with the bots", field="folder")
    places = sorted((place for place in folder.iterdir() if _is_wanted(place)), key=os.fsencode)
    if len(places) > MOST_ENTRANTS:
        raise BadOption(f"{folder} has more than {MOST_ENTRANTS} bots", field="folder")
    names = Counter(_name(place) for place in places)
    found: list[Entrant] = []
    broken: list[Broken] = []
    for place in places:
        try:
            found.append(_entrant(place, names[_name(place)]))
        except (BadOption, OSError) as error:
            broken.append(Broken(_printable(_name(place)), _printable(str(error))))
    return found, broken


def _is_wanted(place: Path) -> bool:
    if place.name.startswith(NOT_BOTS):
        return False
    return any(_python_files(place)) if place.is_dir() else place.suffix == ".py"


def _name(place: Path) -> str:
    return place.name if place.is_dir() else place.stem


def _entrant(place: Path, same_name: int) -> Entrant:
    name = _name(place)
    if not name.isprintable() or "@" in name or len(name) > LONGEST_NAME:
        raise BadOption(f"its name must be at most {LONGEST_NAME} printable characters without @: rename it")
    if same_name > 1:
        raise BadOption("a file and a folder have this name: rename one of them")
    file = _file_of(place) if place.is_dir() else place
    return Entrant(name, str(file.absolute()), _code_of(place))


def _file_of(folder: Path) -> Path:
    """Return the Python file of a bot in its folder."""
    files = [*_python_files(folder)]
    wanted = [file for name in ("bot.py", "my_bot.py", f"{folder.name}.py") for file in files if file.name == name]
    if not wanted and len(files) > 1:
        raise BadOption("its folder has several Python files: call the one with the bot bot.py")
    return (wanted or files)[0]


def _python_files(folder: Path) -> Iterator[Path]:
    try:
        files = sorted(folder.glob("*.py"))
    except OSError:
        return
    yield from (file for file in files if not file.name.startswith(NOT_BOTS) and file.is_file())


def _code_of(place: Path) -> str:
    """Return the hash of a file, or of the names and contents of all files in a folder but hidden and compiled ones."""
    files = sorted(_all_files(place)) if place.is_dir() else [place]
    if sum(file.stat().st_size for file in files) > MOST_BYTES:
        raise BadOption(f"it has more than {MOST_BYTES // 2**20} MiB")
    digest = hashlib.sha256()
    for file in files:
        name, raw = os.fsencode(file.relative_to(place)) if place.is_dir() else b"", file.read_bytes()
        digest.update(b"%d %d %b%b" % (len(name), len(raw), name, raw))
    return digest.hexdigest()[:HASH_DIGITS]


def _all_files(folder: Path) -> Iterator[Path]:
    for inside, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__pycache__"]
        yield from (file for name in names if not name.startswith(".") and (file := Path(inside) / name).is_file())


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else "�" for letter in text)
