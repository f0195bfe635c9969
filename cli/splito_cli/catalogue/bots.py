"""`splito bots`: the list of installed bots."""

import inspect

from rich.text import Text

from splito_arena.bots.find import bot_names, find_bot
from splito_cli.terminal.screen import plain_table, screen
from splito_engine.errors import BadBot

EXAMPLES = ("splito bots", "splito play splito --bots my_bots:choose")


def list_bots() -> None:
    """List the installed bots.

    A function of your own is a bot too: write it as module:function in place of a name.
    """
    table = plain_table("bot")
    table.add_column("what it does")
    for name in bot_names():
        table.add_row(name, _about(name))
    screen().print(table)


def _about(name: str) -> Text:
    """Return the first line of the docstring of the bot's module."""
    try:
        module = inspect.getmodule(find_bot(name))
    except BadBot as error:
        return Text(f"✗ {error.code}: {error.message}", "red")
    return Text((inspect.getdoc(module) or "").partition("\n")[0])
