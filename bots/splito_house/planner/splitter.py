"""The strategy of `planner` for Splitter: writes the roll where the sheet then has the highest value in learnt tables.

The value of a sheet is the sum of the values of its six numbers, plus the expected bonus for the hearts (sheet B). The
value of a number is the sum of the expected points of its groups. These depend on the number of cells that a group
misses, on the free cells at its edge, and on the free cells behind those. The sum is corrected by the cells that all
groups of the number miss together, by the free cells that would help one of them, and by the spoilt cells, in which the
number would make a group too large. Expected points fall towards the end, so each stage of the match has its own
tables; the tables of a full sheet give its points.

The tables in splitter_weights.json were learnt by TD(lambda) over the sheets after a move. A program played 400,000
solo matches on each sheet, every second one with noise in its choices. After each match it moved the used entries
towards the result: lambda 0.7, by half of the error at first and by a hundredth at the end.

Sets of cells are integers with nine bits per row: shifts by 1 and 9 reach the neighbours, and the ninth bit, which is
never a cell, separates the rows.
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
"""The stage of the match, by the number of free pairs of cells."""


class Tables(msgspec.Struct, frozen=True):
    """The tables of one stage of the match. The last entry of a list is also used for all larger indices."""

    group: list[list[list[Millipoints]]]
    """Per point that a group may score: by missing cells, free cells at its edge, and free cells behind those."""
    worth: list[list[list[Millipoints]]]
    """Additional value of a group: by stars covered, number - 1, and missing cells."""
    need: list[list[list[Millipoints]]]
    """Correction by number - 1, missing cells of all its groups, and free cells that would help one of them."""
    spoilt: list[list[Millipoints]]
    """Correction by number - 1, and free cells in which it would make a group too large."""
    hearts: list[Millipoints]
    """Value by the number of written hearts, if they all have the same number."""


class Paper(msgspec.Struct, frozen=True, eq=False):
    """The stars and hearts of a printed sheet, and the tables of its stages."""

    stars: Cells
    hearts: Cells
    stages: list[Tables]


class Sheet(NamedTuple):
    """The written and the free cells of a player's sheet."""

    written: tuple[Cells, ...]
    """Written cells by number; the first entry is empty."""
    free: Cells


class Group(NamedTuple):
    """A group of connected cells with the same number."""

    cells: Cells
    size: int
    edge: Cells
    """The free cells beside the group."""


def choose(ask: Ask) -> SplitterMove:
    """Return the move after which the sheet has the highest value."""
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
    """Return the value of a number. Results are cached, because a move changes at most two numbers."""
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
    """Return the free cells in which the number would make a group too large, alone or by joining several."""
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
    """Return the groups of a number's cells."""
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
    """Return the sheet after the move, with the number `right` in the right cell."""
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
"""The tables of a full sheet: complete groups score their points (T4, T5), three equal hearts score 5 (T6)."""

PAPERS: dict[SheetName, Paper] = {
    sheet: Paper(_bits(PADS[sheet].stars), _bits(PADS[sheet].hearts), [FULL, *learnt])
    for sheet, learnt in _learnt().items()
}
