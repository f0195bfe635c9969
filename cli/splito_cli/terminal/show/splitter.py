"""The terminal look of Splitter: the own sheet with its rows and columns named, the dice, and the moves row by row."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from splito_cli.terminal.screen import headline
from splito_cli.terminal.show.plain import move, nudge
from splito_cli.terminal.show.scene import Extra, Scene, numbered, scores_line
from splito_cli.terminal.show.words import SPLITTER
from splito_cli.terminal.words import CommandWords
from splito_engine.game import Seat
from splito_engine.games.splitter import INFO, SplitterView, solo_title
from splito_engine.games.splitter.rules import ROUNDS, groups
from splito_engine.games.splitter.sheets import COLUMNS, FREE, NONE, PADS, Cell, Pad

__all__ = ["EXTRAS", "closing", "move", "moves", "nudge", "refusal", "table"]

DICE = " ⚀⚁⚂⚃⚄⚅"


def table(scene: Scene) -> RenderableType:
    view: SplitterView = scene.view
    words, number = SPLITTER[scene.language], min(view.rounds_played + 1, ROUNDS)
    facts = words.round.format(number=number, last=ROUNDS), words.sheet.format(sheet=view.options.sheet)
    lines: list[RenderableType] = [
        headline(INFO.titles[scene.language], *facts),
        Text(),
        _sheet(view, view.seat or 0),
        Text(),
    ]
    if view.roll is not None:
        first, second = view.roll
        roll = words.roll.format(first=first, second=second)
        lines.append(Text.assemble(words.dice, (f"{DICE[first]} {DICE[second]}  {roll}", "bold")))
    return Group(*lines, scores_line(scene))


def moves(scene: Scene, texts: Sequence[str]) -> RenderableType:  # noqa: ARG001 (the signature of `Show.moves`)
    grid = Table.grid(padding=(0, 2, 0, 0))
    for _, row in groupby(enumerate(texts, 1), key=lambda choice: choice[1][0]):
        grid.add_row(*(numbered(number, text) for number, text in row))
    return grid


def closing(scene: Scene) -> str | None:
    """Return the title of a person who plays alone (T9)."""
    points, *_ = scene.scores[0]
    title = solo_title(points, scene.language)
    return None if len(scene.scores) > 1 else SPLITTER[scene.language].title.format(title=title)


def refusal(scene: Scene, text: str) -> str | None:
    """Return why the move, as in `c2=5`, is not legal: no such cell, a written cell, or another roll."""
    view: SplitterView = scene.view
    words, cell = SPLITTER[scene.language], view.sheets[view.seat or 0]["abcdefg".index(text[0])][int(text[1]) - 1]
    if cell == NONE:
        return words.no_cell.format(text=text, sheet=view.options.sheet)
    if cell != FREE:
        return words.written.format(text=text)
    if view.roll is not None and int(text[3]) not in view.roll:
        return words.not_rolled.format(text=text, first=view.roll[0], second=view.roll[1])
    return None


def _sheets(scene: Scene) -> RenderableType:
    view: SplitterView = scene.view
    named = [Group(Text(name, "bold"), _sheet(view, seat)) for seat, name in enumerate(scene.names)]
    return Columns([Padding(sheet, (0, 2, 1, 0)) for sheet in named])


EXTRAS: Mapping[str, Extra] = {
    "sheets": Extra(
        {
            "en": CommandWords("sheets", "the sheets of all players"),
            "fr": CommandWords("fiches", "les fiches de tout le monde"),
            "de": CommandWords("blätter", "die Blätter aller"),
        },
        _sheets,
    )
}


def _sheet(view: SplitterView, seat: Seat) -> Table:
    """Draw the sheet of a seat; numbers of groups that score as they stand are bold and underlined."""
    pad, sheet = PADS[view.options.sheet], "".join(view.sheets[seat])
    scoring = {cell for group in groups(pad, sheet) if group.points for cell in group.cells}
    grid = Table.grid(padding=(0, 1, 0, 0))
    half = COLUMNS // 2
    grid.add_row("", *_with_line([Text(str(column + 1), "dim") for column in range(COLUMNS)], half))
    for row, letter in enumerate("abcdefg"):
        cells = [_cell(pad, sheet[cell], cell, cell in scoring) for cell in range(row * COLUMNS, (row + 1) * COLUMNS)]
        grid.add_row(Text(f"  {letter}", "dim"), *_with_line(cells, half))
    return grid


def _with_line(cells: list[Text], half: int) -> list[Text]:
    return [*cells[:half], Text("│", "dim"), *cells[half:]]


def _cell(pad: Pad, digit: str, cell: Cell, scores: bool) -> Text:
    """Draw a cell: `·` if it is free; a star or a heart printed in it stays visible beside its number."""
    if digit == NONE:
        return Text("  ")
    mark = ("★", "yellow") if cell in pad.stars else ("♥", "red") if cell in pad.hearts else (" ", "")
    number = ("·", "dim") if digit == FREE else (digit, "bold underline green" if scores else "")
    return Text.assemble(number, mark)
