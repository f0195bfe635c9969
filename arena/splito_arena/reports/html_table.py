"""HTML of a table and of a list of facts, as the report has them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple


class Cells(NamedTuple):
    """A table of the page; the first column is text and names the subject of the row."""

    id: str
    caption: str
    columns: Sequence[str]
    rows: Iterable[Sequence[str]]
    """Rows of cells in HTML."""


def table(cells: Cells) -> str:
    """Return a table that scrolls sideways on a narrow screen."""
    first, *others = cells.columns
    head = f'<th scope="col" class="text">{first}</th>' + "".join(f'<th scope="col">{name}</th>' for name in others)
    body = "\n".join(f"<tr>{''.join(_row(row))}</tr>" for row in cells.rows)
    return (
        f'<div class="wide" role="region" tabindex="0" aria-labelledby="{cells.id}-caption">\n'
        f'<table id="{cells.id}-table"><caption id="{cells.id}-caption">{cells.caption}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def _row(row: Sequence[str]) -> Iterator[str]:
    yield f'<th scope="row" class="text">{row[0]}</th>'
    yield from (f"<td>{cell}</td>" for cell in row[1:])


def listed(texts: Mapping[str, str]) -> str:
    """Return a list of names with texts."""
    rows = "\n".join(f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text in texts.items())
    return f"<dl>\n{rows}\n</dl>"
