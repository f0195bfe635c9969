"""Splitter: write the roll where the sheet is then worth most, by tables learnt in self-play.

A sheet is worth what its six numbers are worth, plus the hope for the hearts (sheet B). A number is worth what each of
its groups may still score: that depends on how many cells the group misses, on how many free cells at its edge it can
grow into, and on the room behind them. It is corrected by what all groups of the number miss together and how many free
cells would help one of them, and by how many are spoilt: there the number would make a group too large. The nearer the
end, the less hope, so each stage of the match has tables of its own; those of a full sheet are its points.

The tables in splitter_weights.json were learnt by TD(lambda) over the sheets after a move. A program played 400,000
matches alone on each sheet, every second one with noise in its choices, and after each moved the entries it had used
towards what came of them: lambda 0.7, by half of the error at first and by a hundredth at last.

Sets of cells are whole numbers with nine bits a row: shifts by 1 and 9 reach the neighbours, and the ninth bit, which
is never a cell, keeps the rows apart.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple, TypeAlias, TypeVar

import msgspec

from splito_engine.games.splitter.rules import SplitterMove
from splito_engine.games.splitter.sheets import COLUMNS, FREE, NONE, PADS, Cell, SheetName
from splito_engine.player import Ask

Cells: TypeAlias = int
"""A set of cells, as bits."""
Millipoints: TypeAlias = int
T = TypeVar("T")

NUMBERS = range(1, 7)
STRIDE = COLUMNS + 1
STAGE = (0, 1, 2, 3, 3, 4, 4, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7)
"""Which tables are right, by the pairs of cells that are still free."""


class Tables(msgspec.Struct, frozen=True):
    """One stage of the match. The last entry of a list is also for everything larger."""

    group: list[list[list[Millipoints]]]
    """For each point that a group may score: by cells missing, free cells at its edge, and free cells behind those."""
    worth: list[list[list[Millipoints]]]
    """What the group is worth besides: by stars covered, number - 1, and cells missing."""
    need: list[list[list[Millipoints]]]
    """By number - 1, cells missing in all its groups, and free cells where it would help one of them."""
    spoilt: list[list[Millipoints]]
    """By number - 1, and free cells where it would make a group too large."""
    hearts: list[Millipoints]
    """By how many hearts are written, as long as they have the same number."""


class Paper(msgspec.Struct, frozen=True, eq=False):
    """What is printed on a sheet, and what things on it are worth."""

    stars: Cells
    hearts: Cells
    stages: list[Tables]


class Sheet(NamedTuple):
    written: tuple[Cells, ...]
    """By number; nothing is in the first."""
    free: Cells


class Group(NamedTuple):
    cells: Cells
    size: int
    edge: Cells
    """The free cells beside it."""


def choose(ask: Ask) -> SplitterMove:
    view = ask.view
    sheet, paper = _read(view.sheets[ask.seat]), PAPERS[view.options.sheet]
    return max(ask.moves, key=lambda move: _value(paper, _write(sheet, move, sum(view.roll) - move.left)))


def _value(paper: Paper, sheet: Sheet) -> Millipoints:
    numbers = sum(_number_value(paper, number, sheet.written[number], sheet.free) for number in NUMBERS)
    return numbers + _hearts_value(paper, sheet)


def _hearts_value(paper: Paper, sheet: Sheet) -> Millipoints:
    in_hearts = [hearts for cells in sheet.written if (hearts := cells & paper.hearts)]
    return _tables(paper, sheet.free).hearts[in_hearts[0].bit_count()] if len(in_hearts) == 1 else 0


@lru_cache(maxsize=4096)
def _number_value(paper: Paper, number: int, cells: Cells, free: Cells) -> Millipoints:
    """Remembered, because a move changes two numbers at most."""
    groups, tables = _groups(cells, free), _tables(paper, free)
    spoilt = _spoilt(number, groups)
    open_cells = free & ~spoilt
    value, missing, welcome = _at(tables.spoilt[number - 1], spoilt.bit_count()), 0, 0
    for group in groups:
        if group.size <= number:
            missing += number - group.size
            welcome |= group.edge & open_cells
            value += _group_value(paper, tables, number, group, open_cells)
    return value + _at(_at(tables.need[number - 1], missing), welcome.bit_count())


def _group_value(paper: Paper, tables: Tables, number: int, group: Group, open_cells: Cells) -> Millipoints:
    missing, starred = number - group.size, bool(group.cells & paper.stars)
    edge = group.edge & open_cells if missing else group.edge
    reach = edge
    for _ in range(min(missing, 3) - 1):
        reach |= _around(reach) & open_cells
    hope = _at(_at(tables.group[missing], edge.bit_count()), (reach & ~edge).bit_count())
    return number * (1 + starred) * hope + tables.worth[starred][number - 1][missing]


def _spoilt(number: int, groups: Sequence[Group]) -> Cells:
    """The free cells where the number would make a group too large, alone or by joining several."""
    spoilt = seen = shared = 0
    for group in groups:
        shared |= seen & group.edge
        seen |= group.edge
        if group.size >= number:
            spoilt |= group.edge
    for cell in _each(shared & ~spoilt):
        if sum(group.size for group in groups if group.edge & cell) >= number:
            spoilt |= cell
    return spoilt


def _groups(cells: Cells, free: Cells) -> list[Group]:
    """The connected parts of a number's cells."""
    groups: list[Group] = []
    while cells:
        group, before = cells & -cells, 0
        while group != before:
            before, group = group, group | _around(group) & cells
        groups.append(Group(group, group.bit_count(), _around(group) & free))
        cells &= ~group
    return groups


def _each(cells: Cells) -> Iterator[Cells]:
    while cells:
        yield cells & -cells
        cells &= cells - 1


def _around(cells: Cells) -> Cells:
    return cells << 1 | cells >> 1 | cells << STRIDE | cells >> STRIDE


def _tables(paper: Paper, free: Cells) -> Tables:
    return paper.stages[STAGE[free.bit_count() // 2]]


def _at(entries: Sequence[T], index: int) -> T:
    return entries[index] if index < len(entries) else entries[-1]


def _bit(row: int, column: int) -> Cells:
    return 1 << STRIDE * row + column


def _read(rows: Sequence[str]) -> Sheet:
    written = [0] * 7
    free = 0
    for row, text in enumerate(rows):
        for column, mark in enumerate(text):
            if mark == FREE:
                free |= _bit(row, column)
            elif mark != NONE:
                written[int(mark)] |= _bit(row, column)
    return Sheet(tuple(written), free)


def _write(sheet: Sheet, move: SplitterMove, right: int) -> Sheet:
    """The sheet after the move, with the number `right` in the right cell."""
    sheet = _with(sheet, move.left, _bit(move.row - 1, move.column - 1))
    return _with(sheet, right, _bit(move.row - 1, COLUMNS - move.column))


def _with(sheet: Sheet, number: int, cells: Cells) -> Sheet:
    written = sheet.written
    return Sheet((*written[:number], written[number] | cells, *written[number + 1 :]), sheet.free & ~cells)


def _bits(marked: Iterable[Cell]) -> Cells:
    return sum(_bit(*divmod(cell, COLUMNS)) for cell in marked)


def _learnt() -> dict[SheetName, list[Tables]]:
    text = files("splito_house.planner").joinpath("splitter_weights.json").read_bytes()
    return msgspec.json.decode(text, type=dict[SheetName, list[Tables]])


FULL = Tables(
    group=[[[1000]], *[[[0]]] * 5],
    worth=[[[0] * 6] * 6] * 2,
    need=[[[0]]] * 6,
    spoilt=[[0]] * 6,
    hearts=[0, 0, 0, 5000],
)
"""A full sheet: complete groups score their points (T4, T5), three equal hearts score 5 (T6)."""

PAPERS: dict[SheetName, Paper] = {
    sheet: Paper(_bits(PADS[sheet].stars), _bits(PADS[sheet].hearts), [FULL, *learnt])
    for sheet, learnt in _learnt().items()
}
