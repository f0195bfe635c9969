"""Words for functions of bot authors: `module:function`, `file.py:function`, and `module:make(a=0.5, b=3)`.

With parentheses the function is not the bot but makes it: it is called once per process with these numbers, and returns
the bot.
"""

import re
import sys
from hashlib import sha256
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from math import isfinite
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from splito_engine.errors import BadBot

_WORD = re.compile(r"(?P<place>.+):(?P<function>[^:()]+)(?:\((?P<arguments>[^()]*)\))?", re.DOTALL)
_ARGUMENT = re.compile(r"\s*(\w+)\s*=\s*([^=\s]+)\s*", re.ASCII)
_OUTSIDE_PARENTHESES = re.compile(r",(?![^(]*\))")


class Word(NamedTuple):
    """The parts of a word."""

    place: str
    """A module, or the path of a file that ends in `.py`."""
    function: str
    arguments: dict[str, float] | None
    """Numbers by the names of the parameters; None if the function is the bot itself."""


def split_words(text: str) -> list[str]:
    """Return the words of a list with commas. Commas between parentheses separate numbers, not bots."""
    return [word.strip() for word in _OUTSIDE_PARENTHESES.split(text)]


def read_word(text: str) -> Word:
    """Return the parts of a word. Raise `BadBot` if it is malformed."""
    found = _WORD.fullmatch(text)
    if found is None:
        raise BadBot(f"bot {text!r} cannot be imported: write module:function, or module:make(a=0.5)", field="bot")
    arguments = found["arguments"]
    return Word(found["place"], found["function"], None if arguments is None else _read_arguments(text, arguments))


def is_file(place: str) -> bool:
    return place.endswith(".py")


def made_word(maker: str, arguments: dict[str, float]) -> str:
    """Return the word of the bot that the maker makes of these numbers."""
    return f"{maker}({','.join(f'{name}={value!r}' for name, value in arguments.items())})"


def import_place(place: str) -> ModuleType:
    """Return the module of this name or file. Raise any error of its code."""
    return _import_file(Path(place)) if is_file(place) else import_module(place)


def _import_file(path: Path) -> ModuleType:
    """Import a file under a name that no other file has, so that two folders may each have a `bot.py`.

    Modules beside it can be imported too. Their folder comes last, so that no file there hides a library.
    """
    whole = path.resolve()
    name = f"splito_bot_file_{sha256(str(whole).encode('utf-8', 'surrogateescape')).hexdigest()[:16]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, whole)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    if str(whole.parent) not in sys.path:
        sys.path.append(str(whole.parent))
    sys.modules[name] = module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _read_arguments(word: str, text: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for part in text.split(",") if text.strip() else ():
        argument = _ARGUMENT.fullmatch(part)
        if argument is None or argument[1] in found:
            raise BadBot(f"bot {word!r}: {part.strip()!r} is not one more number such as a=0.5", field="bot")
        found[argument[1]] = _number(word, argument[2])
    return found


def _number(word: str, text: str) -> float:
    """Return a whole number as `int`, any other as `float`."""
    try:
        value = int(text) if re.fullmatch(r"[+-]?[0-9]{1,18}", text) else float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise BadBot(f"bot {word!r}: {text!r} is not a number", field="bot")
    return value
