"""Pages of commands, before a program prints them: a title, facts, a table, and what to do next."""

from collections.abc import Sequence
from typing import NamedTuple


class Table(NamedTuple):
    heads: tuple[str, ...]
    rows: Sequence[Sequence[str]]


class Page(NamedTuple):
    """The texts of a page. They come from people and services too, so a program makes them printable."""

    title: str
    facts: Sequence[tuple[str, str]] = ()
    table: Table | None = None
    next: str = ""
    """The next step, in one line that may name commands of `splito-bot`."""


class Outcome(NamedTuple):
    """The outcome of a command: the data for `--json`, the page for people, and the exit code."""

    data: object
    page: Page
    code: int = 0


def printable(text: str) -> str:
    """Return the text with blanks in place of control characters and others that do not print."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def plain(page: Page) -> str:
    """Return the page as plain text."""
    parts = [printable(page.title)] if page.title else []
    if page.facts:
        parts.append("\n".join(_aligned([[f"  {name}", value] for name, value in page.facts])))
    if page.table is not None:
        parts.append("\n".join(_aligned([[*page.table.heads], *page.table.rows])))
    if page.next:
        parts.append(f"Next: {printable(page.next)}")
    return "\n\n".join(parts) + "\n"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    clean = [[printable(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in clean) for column in range(len(clean[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in clean]
