"""The rules of Splitter, in the order of play: the dice are rolled, all players write both numbers, groups are scored.

The two numbers of a round go into two free cells of the player's sheet that mirror each other; all seats write at the
same time. After 22 rounds every sheet is full, and a group of the number n scores n if it has exactly n cells. The
clauses T1 to T9 are in rules.en.md; the sheets are in sheets.py.
"""

import re
from collections.abc import Iterator, Mapping
from random import Random
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from splito_engine.chance import dice
from splito_engine.errors import IllegalMove, UnknownMove, WrongPlayers
from splito_engine.game import GameInfo, Scores, Seat, check_actors, check_players
from splito_engine.games.splitter.sheets import FREE, NONE, PADS, Cell, Pad, Sheet, SheetName, cell_name, rows_of

INFO = GameInfo(
    id="splitter",
    version="1.0",
    titles={"en": "Splitter", "fr": "Splitter", "de": "Splitter"},
    min_players=1,
    max_players=12,
)
ROUNDS = 22
HEARTS_BONUS = 5

Roll: TypeAlias = tuple[int, int]


class SplitterOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The options of a match."""

    sheet: SheetName = "A"
    """The printed sheet that all players write on."""


class SplitterMove(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A pair of cells, and the number for its left cell; the other number goes into the right cell."""

    row: Annotated[int, Meta(ge=1, le=7)]
    """The row of both cells, from 1 at the top."""
    column: Annotated[int, Meta(ge=1, le=4)]
    """The column of the left cell; the right cell is in column 9 - `column`."""
    left: Annotated[int, Meta(ge=1, le=6)]
    """The number for the left cell, one of the two dice; the right cell gets the other."""


class SplitterState(msgspec.Struct, frozen=True):
    """The state of a match: the current roll, the rolls to come, and all sheets."""

    options: SplitterOptions
    rolls: tuple[Roll, ...]
    """The current roll and the rolls to come; empty if the match is over."""
    sheets: tuple[Sheet, ...]
    """One sheet per seat."""


class SplitterView(msgspec.Struct, frozen=True):
    """The match without the rolls to come; all seats and spectators see the same."""

    seat: Seat | None
    """The seat whose view this is; null for a spectator."""
    players: int
    """Number of seats."""
    options: SplitterOptions
    """Options of the match."""
    rounds_played: int
    """Number of rounds that are written, of 22."""
    roll: Roll | None
    """The two dice that all seats write now; null when the match is over."""
    sheets: tuple[tuple[str, ...], ...]
    """Per seat seven rows of eight characters: `.` no cell, `_` free cell, `1` to `6` written."""


class Group(msgspec.Struct, frozen=True):
    """A largest set of connected cells with the same number (T4). The first cell is the first in reading order."""

    number: int
    cells: tuple[Cell, ...]
    starred: bool
    points: int


def setup(players: int, seed: str, options: SplitterOptions) -> SplitterState:
    """Roll all dice of the match (T1, T2)."""
    check_players(INFO, players)
    numbers = dice(2 * ROUNDS, seed, "splitter")
    rolls = tuple(zip(numbers[::2], numbers[1::2], strict=True))
    return SplitterState(options, rolls, (PADS[options.sheet].blank,) * players)


def actors(state: SplitterState) -> tuple[Seat, ...]:
    """Return all seats until the last round is written (T1)."""
    return tuple(range(len(state.sheets))) if state.rolls else ()


def moves(state: SplitterState, seat: Seat) -> tuple[SplitterMove, ...]:
    """Return the free pairs in reading order; for each, first the die that was rolled first as the left number."""
    if seat not in actors(state):
        return ()
    sheet = state.sheets[seat]
    numbers = tuple(dict.fromkeys(state.rolls[0]))
    return tuple(
        SplitterMove(row, column, left)
        for (row, column), (cell, _) in PADS[state.options.sheet].pairs.items()
        if sheet[cell] == FREE  # its mirror image is then free too, because both are written together
        for left in numbers
    )


def apply(state: SplitterState, moves: Mapping[Seat, SplitterMove]) -> SplitterState:
    """Write the moves of all seats on their sheets and use up the roll (T1)."""
    seats = actors(state)
    check_actors(seats, moves)
    for seat in seats:
        _check_move(state, seat, moves[seat])
    sheets = tuple(_written(state, seat, moves[seat]) for seat in seats)
    return SplitterState(state.options, state.rolls[1:], sheets)


def _check_move(state: SplitterState, seat: Seat, move: SplitterMove) -> None:
    try:
        from_wire(state, move)
    except UnknownMove as error:
        error.seat = seat
        raise
    cells = PADS[state.options.sheet].pairs.get((move.row, move.column))
    if cells is None:
        raise IllegalMove(f"{move_text(move)}: sheet {state.options.sheet} has no such cell", seat=seat)
    if state.sheets[seat][cells[0]] != FREE:
        raise IllegalMove(f"{move_text(move)}: the cell is already written", seat=seat)
    if move.left not in state.rolls[0]:
        first, second = state.rolls[0]
        raise IllegalMove(f"{move_text(move)}: the dice show {first} and {second}", seat=seat, field="left")


def _written(state: SplitterState, seat: Seat, move: SplitterMove) -> Sheet:
    sheet, (first, second) = state.sheets[seat], state.rolls[0]
    left, right = PADS[state.options.sheet].pairs[move.row, move.column]
    other = second if move.left == first else first
    return f"{sheet[:left]}{move.left}{sheet[left + 1 : right]}{other}{sheet[right + 1 :]}"


def view(state: SplitterState, seat: Seat | None) -> SplitterView:
    players = len(state.sheets)
    if seat is not None and seat not in range(players):
        raise WrongPlayers(f"there is no seat {seat} in a match of {players}", seat=seat)
    return SplitterView(
        seat=seat,
        players=players,
        options=state.options,
        rounds_played=ROUNDS - len(state.rolls),
        roll=state.rolls[0] if state.rolls else None,
        sheets=tuple(map(rows_of, state.sheets)),
    )


def imagine(view: SplitterView, rng: Random) -> SplitterState:
    to_come = ((rng.randint(1, 6), rng.randint(1, 6)) for _ in range(view.rounds_played + 1, ROUNDS))
    rolls = () if view.roll is None else (view.roll, *to_come)
    return SplitterState(view.options, rolls, tuple(map("".join, view.sheets)))


def scores(state: SplitterState) -> Scores:
    """Return the points of each seat; there is no tie-breaker (T7)."""
    pad = PADS[state.options.sheet]
    return tuple((sum(group.points for group in groups(pad, sheet)) + hearts(pad, sheet),) for sheet in state.sheets)


def groups(pad: Pad, sheet: Sheet) -> Iterator[Group]:
    """Yield every group of written cells in reading order, whether it scores or not (T4, T5)."""
    seen: set[Cell] = set()
    for cell in pad.cells:
        if cell not in seen and sheet[cell] != FREE:
            group = _group_at(cell, pad, sheet)
            seen.update(group.cells)
            yield group


def _group_at(start: Cell, pad: Pad, sheet: Sheet) -> Group:
    digit, cells = sheet[start], [start]
    for cell in cells:  # the list grows during the loop, until no neighbour is new
        for near in pad.neighbours[cell]:
            if sheet[near] == digit and near not in cells:
                cells.append(near)
    number = int(digit)
    starred = not pad.stars.isdisjoint(cells)
    points = (2 * number if starred else number) if len(cells) == number else 0
    return Group(number, tuple(cells), starred, points)


def hearts(pad: Pad, sheet: Sheet) -> int:
    """Return the bonus for one number in all hearts, whatever their groups score (T6); 0 for a sheet without hearts."""
    written = {sheet[cell] for cell in pad.hearts}
    return HEARTS_BONUS if len(written) == 1 and FREE not in written else 0


def pieces(state: SplitterState) -> list[str]:
    """Return every number that a seat has written or will write: `3:6` is a six of seat 3."""
    to_come = [number for roll in state.rolls for number in roll]
    return [
        f"{seat}:{number}"
        for seat, sheet in enumerate(state.sheets)
        for number in (*sheet.replace(NONE, "").replace(FREE, ""), *to_come)
    ]


def from_wire(_: SplitterState, move: SplitterMove) -> SplitterMove:
    """Return the move. Raise `UnknownMove` if a field is out of range; a cell of the other sheet is only illegal."""
    try:
        return msgspec.convert(msgspec.structs.asdict(move), SplitterMove)  # made in Python, it was never validated
    except (TypeError, msgspec.ValidationError) as error:
        raise UnknownMove(f"{move!r} is not a move of Splitter: {error}", field="move") from None


def move_text(move: SplitterMove) -> str:
    """Return the left cell and its number: `c2=5`."""
    return f"{cell_name(8 * (move.row - 1) + move.column - 1)}={move.left}"


def parse_move(text: str) -> SplitterMove:
    """Return the move of a short form. Raise `UnknownMove`."""
    found = re.fullmatch("([a-g])([1-4])=([1-6])", text)
    if found is None:
        raise UnknownMove(f"{text!r} is not a move: write row, column and number of the left cell, as in c2=5")
    row, column, left = found.groups()
    return SplitterMove("abcdefg".index(row) + 1, int(column), int(left))
