"""Pages of the SDK's account as this program prints them."""

import sys

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from splito_bot.account import page as pages
from splito_bot.account.session import encoded
from splito_bot.account.trouble import of_splito
from splito_cli.terminal.screen import printable, wide_screen


def show(outcome: pages.Outcome, *, json: bool) -> int:
    """Print the outcome of a command, and return the exit code."""
    if json:
        sys.stdout.write(encoded(outcome.data) + "\n")
    else:
        wide_screen().print(page_of(outcome.page))
    return outcome.code


def page_of(page: pages.Page) -> RenderableType:
    """Return the title, the facts, the table and the next step of a page."""
    parts: list[RenderableType] = [Text(printable(page.title), "bold")] if page.title else []
    if page.facts:
        parts.append(Padding(_facts(page), (0, 0, 0, 2), expand=False))
    if page.table is not None:
        parts.append(_table(page.table))
    if page.next:
        parts.append(next_step(page.next))
    return Group(*(line for part in parts for line in (part, Text())))


def next_step(text: str) -> Text:
    """Return the line that says what to do next."""
    return Text.assemble(("Next: ", "dim"), printable(of_splito(text)))


def _facts(page: pages.Page) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    for name, value in page.facts:
        grid.add_row(Text(name, "dim"), Text(printable(value), overflow="fold"))
    return grid


def _table(table: pages.Table) -> Table:
    """Return a table of texts from the service; none of them is read as markup or controls the terminal."""
    shown = Table(*table.heads, box=None, padding=(0, 2, 0, 0), header_style="dim")
    for cells in table.rows:
        shown.add_row(*(Text(printable(cell), overflow="fold") for cell in cells))
    return shown
