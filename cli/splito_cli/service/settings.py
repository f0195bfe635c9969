"""`splito settings`: the settings, which are environment variables, and their values."""

import os
import sys

import msgspec
from rich.table import Table
from rich.text import Text

from splito_cli.arguments import Json
from splito_cli.terminal.screen import plain_table, screen
from splito_service.settings import Line, describe, read_settings

EXAMPLES = ("splito settings", "SPLITO_DURABILITY=always splito settings --json")
NOTHING = "none"


def list_settings(*, json: Json = False) -> None:
    """List the settings: environment variables, with their values, defaults and meanings.

    Passwords are hidden.
    """
    lines = describe(read_settings(os.environ))
    if json:
        sys.stdout.write(msgspec.json.encode(lines).decode() + "\n")
    else:
        screen().print(_table(lines))


def _table(lines: list[Line]) -> Table:
    table = plain_table("setting")
    table.add_column("value", overflow="fold")
    table.add_column("meaning")
    for line in lines:
        table.add_row(line.name, _value(line), Text(line.meaning))
    return table


def _value(line: Line) -> Text:
    if line.value == line.default:
        return Text.assemble(line.value or NOTHING, (" (default)", "dim"))
    return Text.assemble((line.value or NOTHING, "bold"), (f" (default {line.default or NOTHING})", "dim"))
