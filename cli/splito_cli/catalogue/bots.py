"""`splito bots`: who can be played against."""

import inspect

from rich.text import Text

from splito_arena.bots.find import bot_names, find_bot
from splito_cli.terminal.screen import plain_table, screen
from splito_engine.errors import BadBot

EXAMPLES = ("splito bots", "splito play splito --bots my_bots:choose")


def list_bots() -> None:
    """List the bots that are installed.

    A function of your own is a bot too: name it as module:function wherever a bot is asked for.
    """
    table = plain_table("bot")
    table.add_column("what it does")
    for name in bot_names():
        table.add_row(name, _about(name))
    screen().print(table)


def _about(name: str) -> Text:
    """The first line that the bot's module says about itself."""
    try:
        module = inspect.getmodule(find_bot(name))
    except BadBot as error:
        return Text(f"✗ {error.code}: {error.message}", "red")
    return Text((inspect.getdoc(module) or "").partition("\n")[0])
