"""Options, views and moves of the game `splitter`.

Generated from the documents in openapi/ by `make contract`; do not edit.
"""

from typing import Literal

from msgspec import Struct


class SplitterOptions(Struct, frozen=True):
    """The options of a match."""

    sheet: Literal["A", "B"] = "A"
    """The printed sheet that all players write on."""


class SplitterView(Struct, frozen=True, kw_only=True):
    """The match without the rolls to come; all seats and spectators see the same."""

    seat: int | None
    """The seat whose view this is; None for a spectator."""
    players: int
    """Number of seats."""
    options: SplitterOptions
    """Options of the match."""
    rounds_played: int
    """Number of rounds that are written, of 22."""
    roll: tuple[int, int] | None
    """The two dice that all seats write now; None when the match is over."""
    sheets: tuple[tuple[str, ...], ...]
    """Per seat seven rows of eight characters: `.` no cell, `_` free cell, `1` to `6` written."""


class SplitterMove(Struct, frozen=True):
    """A pair of cells, and the number for its left cell; the other number goes into the right cell."""

    row: int
    """The row of both cells, from 1 at the top."""
    column: int
    """The column of the left cell; the right cell is in column 9 - `column`."""
    left: int
    """The number for the left cell, one of the two dice; the right cell gets the other."""
