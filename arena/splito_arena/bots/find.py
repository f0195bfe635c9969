"""Installed bots, found by the entry point `splito.bots` or named as `module:function`.

An installed bot may play under several names at once: `planner#2` is a copy of `planner`. Only the requested bot is
imported, because a broken plugin must not affect the other bots.
"""

import re
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from splito_arena.bots.functions.path import is_path, load_function
from splito_engine.errors import BadBot
from splito_engine.player import Choose

GROUP = "splito.bots"
MOST_COPIES = 100
"""Largest number of a copy; `planner` itself counts as the first."""
_COPY = re.compile(r"(.+)#([1-9][0-9]{0,2})")


def bots() -> dict[str, Choose]:
    """Return all registered bots by name, in the order of their names."""
    return {name: find_bot(name) for name in bot_names()}


def bot_names() -> tuple[str, ...]:
    return tuple(sorted(_entries()))


def find_bot(name: str) -> Choose:
    """Return an installed bot or a copy of it, or a function on the import path: `my_bots:choose`.

    Raise `BadBot` if there is none.
    """
    installed = installed_name(name)
    if installed in _entries():
        return _callable(installed, _load_entry(_entries()[installed]))
    if is_path(name):
        return load_function(name)
    known = ", ".join(bot_names())
    raise BadBot(
        f"no bot {name!r}; there are: {known}, and any function named as module:function{_file_of(name)}", field="bot"
    )


def installed_name(name: str) -> str:
    """Return the name of the installed bot of which this is a copy (`planner` for `planner#2`); else the same name."""
    found = _COPY.fullmatch(name)
    if name in _entries() or found is None or not 2 <= int(found[2]) <= MOST_COPIES:
        return name
    return found[1] if found[1] in _entries() else name


def is_copy(name: str) -> bool:
    """Return True for the name of a copy of an installed bot: `planner#2`."""
    return installed_name(name) != name


def check_bot(bot: str, game: str) -> None:
    """Raise `BadBot` if the bot is not installed by entry point, nor a copy of one that is.

    `module:function` is only for local commands.

    This does not check whether the bot plays the game, because that would run the bot here; the bot tells when it is
    asked for a move.
    """
    if installed_name(bot) not in bot_names():
        known = ", ".join(bot_names())
        copies = f"and copies of each, from #2 to #{MOST_COPIES}"
        raise BadBot(f"no bot {bot!r} here to play {game}; there are: {known}, {copies}", field="bot")


def _file_of(name: str) -> str:
    """Return a hint if the name is that of a Python file in the working folder."""
    return f"; for {name}.py write {name}:choose" if Path(f"{name}.py").is_file() else ""


@cache
def _entries() -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=GROUP):
        if entry.name in found and found[entry.name].value != entry.value:
            raise BadBot(f"two bots are registered as {entry.name!r}", field="bot")
        found[entry.name] = entry
    return found


def _load_entry(entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except Exception as error:  # a bot may be any author's code
        raise BadBot(f"bot {entry.name!r} ({entry.value}) cannot be loaded: {_said(error)}", field="bot") from error


def _callable(name: str, found: Any) -> Choose:
    if not callable(found):
        raise BadBot(f"bot {name!r} is not a function but {type(found).__name__}", field="bot")
    return found


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
