"""The moves of *Split it!*: cut the row, remove a zone, bet on one, put a joker on a column.

`ALL_MOVES` lists every move that can be legal in some position.
"""

from itertools import combinations
from typing import TypeAlias

import msgspec

from splito_engine.errors import UnknownMove
from splito_engine.games.splitit.deck import NUMBERS, ZONES, Zone

LONGEST_ROW = 9


class SplititSplit(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="split"):
    """Two dividers: white is `row[:left]`, pink `row[left:right]`, black `row[right:]`."""

    left: int
    """Number of cards before the first divider: the size of the white zone."""
    right: int
    """Number of cards before the second divider: the white and the pink zone together."""


class SplititRemove(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="remove"):
    """Discard a whole zone; for two players only."""

    zone: Zone
    """The zone whose cards are discarded."""


class SplititBet(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="bet"):
    """Bet on a zone. The only seat that bets on a zone wins its cards; a zone with several bets goes to no seat."""

    zone: Zone
    """The zone that the seat bets on. It must hold cards."""


class SplititPlace(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="place"):
    """Put one joker on the player's column of that number."""

    column: int
    """Number of the column, from 1 to 10. The seat must have a number card in it."""


SplititMove: TypeAlias = SplititSplit | SplititRemove | SplititBet | SplititPlace


def _splits(length: int) -> tuple[SplititSplit, ...]:
    """Return the splits of a row: three zones with at least one card each; of two cards two zones (I3, I7)."""
    if length == 2:
        return SplititSplit(1, 2), SplititSplit(0, 1)
    return tuple(SplititSplit(left, right) for left, right in combinations(range(1, length), 2))


SPLITS = {length: _splits(length) for length in range(2, LONGEST_ROW + 1)}
ALL_MOVES: tuple[SplititMove, ...] = (
    *dict.fromkeys(split for splits in SPLITS.values() for split in splits),
    *map(SplititRemove, ZONES),
    *map(SplititBet, ZONES),
    *map(SplititPlace, NUMBERS),
)


def move_text(move: SplititMove) -> str:
    """Return the short form: `2|5` splits, `-pink` removes, `pink` bets, `J8` places a joker on column 8."""
    match move:
        case SplititSplit():
            return f"{move.left}|{move.right}"
        case SplititRemove():
            return f"-{move.zone}"
        case SplititBet():
            return move.zone
        case SplititPlace():
            return f"J{move.column}"


_BY_TEXT = {move_text(move): move for move in ALL_MOVES}


def parse_move(text: str) -> SplititMove:
    """Return the move of a short form. Raise `UnknownMove`."""
    try:
        return _BY_TEXT[text]
    except KeyError:
        raise UnknownMove(f"{text!r} is not a move: 2|5 splits, -pink removes, pink bets, J8 places a joker") from None


def from_wire(_: object, move: SplititMove) -> SplititMove:
    """Return the equal move of `ALL_MOVES`, because a move made in Python was never validated. Raise `UnknownMove`."""
    try:
        return ALL_MOVES[ALL_MOVES.index(move)]
    except ValueError:
        raise UnknownMove(f"{move!r} is not a move of Split it!", field="move") from None
