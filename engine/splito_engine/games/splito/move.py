"""The moves of Splito: a card of the hand, to the left or to the right.

A move is a Struct on the wire, `r4<` or `r4>` in records and terminals, and one byte inside the rules: twice the code
of the card, plus 1 if it goes to the right.
"""

from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Literal, TypeAlias, get_args

import msgspec

from splito_engine.errors import UnknownMove
from splito_engine.games.splito.deck import Card, Deck, find_deck
from splito_engine.games.splito.state import SplitoState

Side: TypeAlias = Literal["left", "right"]
SIDES: tuple[Side, ...] = get_args(Side)


class SplitoMove(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A card of the hand, and the side to which it goes."""

    card: Card
    """Name of a card of the seat's hand: a colour letter and a value as in `r4`, or an Objective as in `moon-red`."""
    side: Side
    """Zone of the seat that the card goes to: its `left` or its `right` zone."""


def to_wire(state: SplitoState, moves: Sequence[int]) -> tuple[SplitoMove, ...]:
    """Return the moves in wire form."""
    written = _written(state.options.deck)
    if len(moves) < 2:  # `itemgetter` returns a tuple for two or more only; it is the fastest way
        return tuple([written[move] for move in moves])
    return itemgetter(*moves)(written)


@lru_cache(maxsize=64)
def _written(deck: str) -> tuple[SplitoMove, ...]:
    """Return every move of the deck, in the order of the inner form."""
    return tuple(SplitoMove(name, side) for name in find_deck(deck).names for side in SIDES)


def from_wire(state: SplitoState, move: SplitoMove) -> int:
    """Return the move as a byte. Raise `UnknownMove` if the deck has no such card."""
    try:
        return _inner(state.options.deck)[move]
    except (KeyError, TypeError):
        raise _unknown(find_deck(state.options.deck), move) from None


@lru_cache(maxsize=64)
def _inner(deck: str) -> dict[SplitoMove, int]:
    return {move: number for number, move in enumerate(_written(deck))}


def move_text(move: SplitoMove) -> str:
    """Return the short form: `r4<` to the left, `r4>` to the right."""
    return move.card + ("<" if move.side == "left" else ">")


def parse_move(text: str) -> SplitoMove:
    """Return the move of a short form. Raise `UnknownMove`."""
    if len(text) > 1 and text[-1] in "<>":
        return SplitoMove(text[:-1], "left" if text[-1] == "<" else "right")
    raise UnknownMove(f"{text!r} is not a move: write a card and a side, as in r4< or moon-red>", field="move")


def _unknown(deck: Deck, move: object) -> UnknownMove:
    """Return the error for a move that was made in Python and never validated, so that its fields may hold anything."""
    if not isinstance(move, SplitoMove) or type(move.card) is not str:
        return UnknownMove(f"{move!r} is not a move of Splito", field="move")
    if move.card not in deck.names:
        return UnknownMove(f"there is no card {move.card!r}", card=move.card, field="card")
    return UnknownMove(f"a side is left or right, not {move.side!r}", card=move.card, field="side")
