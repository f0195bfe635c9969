"""Functions of bot authors, named by a path: `my_bot:choose`, `my_bot:Player.choose`, `my_bot:instance`, or
`bots/ada.py:choose`.

A path with numbers in parentheses names a function that makes the bot: `my_bot:make(a=0.5, b=3)`.

A path that leads nowhere is refused with the cause and the next step.
"""

import inspect
import re
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from splito_arena.bots.functions.tracebacks import place_of
from splito_arena.bots.functions.words import import_place, is_file, read_word
from splito_engine.errors import BadBot
from splito_engine.player import Choose

ADDRESS = re.compile(r"[\w.-]+:\d{1,5}(/.*)?")
"""An address whose scheme was forgotten: `127.0.0.1:8001`."""
SHOWN = 8
"""Number of functions that a message names."""


def is_path(word: str) -> bool:
    """Return True for `module:function`; False for a name and for a URL."""
    return ":" in word and "://" not in word


def check_path(path: str) -> None:
    """Raise `BadBot` if the path is an address without a scheme. Nothing is imported."""
    if ADDRESS.fullmatch(path):
        raise BadBot(f"{path!r} has no scheme: write an address as http://{path}", field="bot")


@cache
def load_function(path: str) -> Choose:
    """Return the function, the bound method or the callable object. A method of a class gets an object made without
    arguments, once; a path with numbers gets what its function returns for them.

    Raise `BadBot` if there is none.
    """
    check_path(path)
    word = read_word(path)
    found = _walked(path, load_module(path), word.function)
    if word.arguments is not None:
        found = _returned(path, found, word.arguments)
    elif inspect.isclass(found):
        found = _made(path, found)
    if not callable(found):
        raise BadBot(f"bot {path!r} is not a function but {type(found).__name__}{_methods(path, found)}", field="bot")
    if inspect.iscoroutinefunction(found) or inspect.iscoroutinefunction(type(found).__call__):
        raise BadBot(f"{path} is async: write a plain function, it has a process of its own", field="bot")
    return found


def load_module(path: str) -> ModuleType:
    """Return the module of the path. Raise `BadBot` if it cannot be imported, or is not the one in this folder."""
    name = read_word(path).place
    try:
        found = import_place(name)
    except ModuleNotFoundError as error:
        here = f"; run this in the folder of {name}.py, or correct the name" if _is_part(error.name, name) else ""
        raise _not_imported(path, error, here) from error
    except (Exception, SystemExit) as error:  # a bot may be any author's code
        raise _not_imported(path, error) from error
    if not is_file(name):
        _check_not_hidden(path, name.partition(".")[0])
    return found


def _walked(path: str, module: ModuleType, name: str) -> Any:
    """Return the object that the names after the colon lead to; a class on the way is instantiated for a method."""
    found: Any = module
    for part in name.split("."):
        try:
            if inspect.isclass(found) and inspect.isfunction(inspect.getattr_static(found, part, None)):
                found = found()
            found = getattr(found, part)
        except (Exception, SystemExit) as error:  # a bot may be any author's code
            there = _functions(module) if found is module else []
            has = f"; {module.__name__} has: {', '.join(there)}" if there else ""
            raise _not_imported(path, error, has) from error
    return found


def _made(path: str, kind: type[Any]) -> Any:
    if not inspect.isfunction(inspect.getattr_static(kind, "__call__", None)):
        example = f", as in {path}.choose" if hasattr(kind, "choose") else ""
        raise BadBot(f"bot {path!r} is a class: name its method{example}", field="bot")
    try:
        return kind()
    except (Exception, SystemExit) as error:  # a bot may be any author's code
        raise _not_imported(path, error) from error


def _returned(path: str, maker: Any, arguments: dict[str, float]) -> Any:
    """Return the bot that a function makes of these numbers."""
    try:
        return maker(**arguments)
    except (Exception, SystemExit) as error:  # a maker may be any author's code
        raise _not_imported(path, error) from error


def _check_not_hidden(path: str, name: str) -> None:
    """Raise `BadBot` if a file of the working folder has the name of another module, which was imported instead."""
    ours = [here for here in (Path(f"{name}.py"), Path(name) / "__init__.py") if here.is_file()]
    loaded = getattr(sys.modules.get(name), "__file__", None)
    if not ours or (loaded is not None and Path(loaded).resolve() == ours[0].resolve()):
        return
    owner = "Python" if name in sys.stdlib_module_names else "an installed package"
    said = f"{ours[0]} has the name of a module of {owner}, which is imported instead: rename your file"
    raise BadBot(f"bot {path!r} cannot be imported: {said}", field="bot")


def _functions(module: ModuleType) -> list[str]:
    """Return the functions and classes that the module itself defines, at most `SHOWN`."""
    defined = [name for name, one in vars(module).items() if getattr(one, "__module__", "") == module.__name__]
    return [name for name in defined if callable(getattr(module, name)) and not name.startswith("_")][:SHOWN]


def _methods(path: str, found: object) -> str:
    return f"; it has a method: {path}.choose" if callable(getattr(found, "choose", None)) else ""


def _is_part(missing: str | None, name: str) -> bool:
    """True if the module that was not found is the named one or its package, not one that it imports."""
    return missing is not None and f"{name}.".startswith(f"{missing}.")


def _not_imported(path: str, error: BaseException, advice: str = "") -> BadBot:
    place = "" if advice else place_of(error)
    where = f" at {place}" if place else ""
    return BadBot(f"bot {path!r} cannot be imported: {type(error).__name__}: {error}{where}{advice}", field="bot")
