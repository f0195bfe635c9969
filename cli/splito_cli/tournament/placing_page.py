"""The official placing of a tournament as a table: the first table of every page, with a star at the winner."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from splito_arena.formats.placing import RULES
from splito_bot.ranked import Placing, PlacingLine
from splito_cli.terminal.screen import printable

PROVISIONAL = "Provisional: the tournament has not finished."


def placing_page(official: Placing, most: int | None = None) -> RenderableType:
    """Return the placing with the rule that decides it; the first `most` lines, or all."""
    parts: list[RenderableType] = [_table(official, most)] if official.lines else []
    if official.note is not None:
        parts.append(Text(printable(official.note), "yellow"))
    if official.lines:
        parts.append(Text(_rule(official), "dim"))
    return Group(*parts)


def _table(official: Placing, most: int | None) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("place", justify="right", no_wrap=True)
    table.add_column("bot", no_wrap=True)
    table.add_column("reason")
    for line in official.lines[:most]:
        table.add_row(_place(official, line), _name(official, line), printable(line.reason))
    return table


def _place(official: Placing, line: PlacingLine) -> str:
    """Return the place; `2=` if several bots share it."""
    return f"{line.place}{'=' if sum(other.place == line.place for other in official.lines) > 1 else ''}"


def _name(official: Placing, line: PlacingLine) -> Text:
    name = printable(line.name)
    return Text(f"★ {name}", "bold") if line.bot in official.winners else Text(f"  {name}")


def _rule(official: Placing) -> str:
    """Return what decides; a newer service may have rules that this program does not know."""
    rules: dict[str, str] = {**RULES}
    decided = f"Decided {rules[official.rule]}." if official.rule in rules else ""
    return decided if official.final else f"{decided} {PROVISIONAL}".strip()
