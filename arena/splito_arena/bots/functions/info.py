"""The `INFO` of an author's module: the name, version and games of its functions, as over HTTP."""

from typing import Any

import msgspec

from splito_arena.bots.functions.path import is_path, load_module
from splito_arena.bots.names import fault_of
from splito_arena.match.messages import BotInfo
from splito_engine.errors import BadBot

WRITE = "write INFO = BotInfo(...), with BotInfo from splito_bot"


def info_of(word: str) -> BotInfo | None:
    """Return the info of the function's module; None if it has none, or if the word names an installed bot.

    Raise `BadBot` if the info is wrong.
    """
    if not is_path(word):
        return None
    module = load_module(word)
    said: Any = getattr(module, "INFO", None)
    if said is None:
        return None
    try:
        info = msgspec.convert(msgspec.to_builtins(said), BotInfo)
    except (msgspec.ValidationError, TypeError) as error:
        raise BadBot(f"INFO of {module.__name__} is wrong: {error}; {WRITE}", field="bot") from None
    if fault := fault_of(info.name):
        raise BadBot(f"INFO of {module.__name__} is wrong: {fault}", field="bot")
    return info


def check_game(word: str, info: BotInfo, game: str) -> None:
    """Raise `BadBot` if the info does not claim the game."""
    if game not in info.games:
        raise BadBot(f"{info.name} at {word} does not play {game}, only {', '.join(info.games)}", field="bot")
