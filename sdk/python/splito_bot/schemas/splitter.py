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
    players: int
    options: SplitterOptions
    rounds_played: int
    roll: tuple[int, int] | None
    """The two dice as they fell; None when the match is over."""
    sheets: tuple[tuple[str, ...], ...]
    """Per seat seven rows of eight characters: `.` no cell, `_` free cell, `1` to `6` written."""


class SplitterMove(Struct, frozen=True):
    """A pair of cells, and the number for its left cell; the other number goes into the right cell."""

    row: int
    column: int
    """The column of the left cell; the right cell is in column 9 - `column`."""
    left: int
