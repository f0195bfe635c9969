"""Splitter: all players write the same dice, mirrored, to form groups of the right size."""

from typing import Literal

from msgspec import Struct

from splito_bot.game import Game
from splito_bot.messages import Seat


class SplitterOptions(Struct, frozen=True):
    sheet: Literal["A", "B"] = "A"
    """The printed sheet that everybody writes on."""


class SplitterMove(Struct, frozen=True):
    """One number goes to the left cell of a pair, the other die to its mirror image. A double has but one `left`."""

    row: int
    """1 to 7."""
    column: int
    """1 to 4, of the left cell; the right one is in column 9 - `column`."""
    left: int
    """1 to 6."""


class SplitterView(Struct, frozen=True):
    """Everything but the rolls to come; so all seats, and spectators, see the same."""

    seat: Seat | None
    players: int
    options: SplitterOptions
    rounds_played: int
    roll: tuple[int, int] | None
    """The two dice as they fell; None when the match is over."""
    sheets: tuple[tuple[str, ...], ...]
    """Per seat seven rows of eight characters: `.` no cell, `_` free cell, `1` to `6` written."""


SPLITTER: Game[SplitterOptions, SplitterView, SplitterMove] = Game(
    "splitter", SplitterOptions, SplitterView, SplitterMove
)
