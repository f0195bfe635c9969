"""HTML of the official placing, the first table of the report."""

from html import escape

from splito_arena.formats import Placing, PlacingLine
from splito_arena.reports.about import State, places, placing_caption, placing_columns
from splito_arena.reports.html_table import Cells, table


def placing_section(placing: Placing, state: State | None) -> str:
    """Return the section of the official placing, with a star at the winner."""
    caption = escape(placing_caption(placing, state))
    columns = placing_columns(placing)
    figures = [*zip(*columns.values(), strict=True)] or [()] * len(placing.lines)
    rows = (
        (_placed(place, line, placing), escape(line.reason), *map(escape, cells))
        for (place, line), cells in zip(places(placing), figures, strict=True)
    )
    shown = table(Cells("placing", caption, ("Bot", "Reason", *columns), rows))
    return f'<section aria-labelledby="placing-title"><h2 id="placing-title">Placing</h2>\n{shown}</section>'


def _placed(place: str, line: PlacingLine, placing: Placing) -> str:
    star = "★ " if line.bot in placing.winners else ""
    name = escape(line.name)
    return f'{place}. {star}<span class="name" title="{name}">{name}</span>'
