"""The two printed sheets as drawings (T3), and tables about them that are computed at import.

A cell is a position in reading order: 0 is a1, 7 is a8, 8 is b1. A player's sheet is a text of 56 positions: `.` is no
cell, `_` a free cell, `1` to `6` a written cell.
"""

from typing import Literal, TypeAlias

import msgspec

Cell: TypeAlias = int
Sheet: TypeAlias = str
SheetName: TypeAlias = Literal["A", "B"]

ROWS, COLUMNS = 7, 8
NONE, FREE = ".", "_"

PICTURES: dict[SheetName, str] = {
    "A": """
        . . o o|o o . .
        . o o o|o o o .
        o o o o|o o o o
        * o o o|o o o *
        o o o o|o o o o
        . o o o|o o o .
        . . o o|o o . .
    """,
    "B": """
        o o o .|. o h o
        o o o o|o o o o
        . h o o|o o o .
        . o o .|. o o .
        . o o o|h o o .
        o o o o|o o o o
        o * o .|. o * o
    """,
}
"""`.` is no cell, `o` a cell, `*` a star, `h` a heart; the line is the centre line."""


class Pad(msgspec.Struct, frozen=True):
    """A printed sheet: its cells in reading order, pairs, neighbours, stars and hearts."""

    blank: Sheet
    cells: tuple[Cell, ...]
    pairs: dict[tuple[int, int], tuple[Cell, Cell]]
    """The two mirrored cells, by row and column of the left one, both counted from 1."""
    neighbours: dict[Cell, tuple[Cell, ...]]
    """The cells that share an edge with this one."""
    stars: frozenset[Cell]
    hearts: tuple[Cell, ...]


def cell_name(cell: Cell) -> str:
    """Return row letter and column of a cell, as in `c2`."""
    row, column = divmod(cell, COLUMNS)
    return f"{chr(ord('a') + row)}{column + 1}"


def rows_of(sheet: Sheet) -> tuple[str, ...]:
    """Return the seven rows of a sheet."""
    return tuple(sheet[start : start + COLUMNS] for start in range(0, ROWS * COLUMNS, COLUMNS))


def _print(picture: str) -> Pad:
    marks = "".join(mark for mark in picture if mark in ".o*h")
    cells = tuple(cell for cell, mark in enumerate(marks) if mark != NONE)
    return Pad(
        blank="".join(NONE if mark == NONE else FREE for mark in marks),
        cells=cells,
        pairs=dict(_pair(cell) for cell in cells if cell % COLUMNS < COLUMNS // 2),
        neighbours={cell: tuple(other for other in cells if _distance(cell, other) == 1) for cell in cells},
        stars=frozenset(cell for cell in cells if marks[cell] == "*"),
        hearts=tuple(cell for cell in cells if marks[cell] == "h"),
    )


def _pair(left: Cell) -> tuple[tuple[int, int], tuple[Cell, Cell]]:
    row, column = divmod(left, COLUMNS)
    return (row + 1, column + 1), (left, row * COLUMNS + COLUMNS - 1 - column)


def _distance(one: Cell, other: Cell) -> int:
    (row, column), (other_row, other_column) = divmod(one, COLUMNS), divmod(other, COLUMNS)
    return abs(row - other_row) + abs(column - other_column)


PADS: dict[SheetName, Pad] = {name: _print(picture) for name, picture in PICTURES.items()}
