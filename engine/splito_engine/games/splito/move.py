"""A move: a card of the hand, to the left or to the right.

On the wire it is a Struct, in records and terminals `r4<` or `r4>`, and inside the rules one byte: twice the card's
code, plus 1 if it goes to the right.
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
    card: Card
    side: Side


def to_wire(state: SplitoState, moves: Sequence[int]) -> tuple[SplitoMove, ...]:
    written = _written(state.options.deck)
    if len(moves) < 2:  # of two and more `itemgetter` makes a tuple, and does so faster than anything else
        return tuple([written[move] for move in moves])
    return itemgetter(*moves)(written)


@lru_cache(maxsize=64)
def _written(deck: str) -> tuple[SplitoMove, ...]:
    """Every move that there is, by its inner form."""
    return tuple(SplitoMove(name, side) for name in find_deck(deck).names for side in SIDES)


def from_wire(state: SplitoState, move: SplitoMove) -> int:
    try:
        return _inner(state.options.deck)[move]
    except (KeyError, TypeError):
        raise _unknown(find_deck(state.options.deck), move) from None


@lru_cache(maxsize=64)
def _inner(deck: str) -> dict[SplitoMove, int]:
    return {move: number for number, move in enumerate(_written(deck))}


def move_text(move: SplitoMove) -> str:
    """`r4<` to the left, `r4>` to the right."""
    return move.card + ("<" if move.side == "left" else ">")


def parse_move(text: str) -> SplitoMove:
    if len(text) > 1 and text[-1] in "<>":
        return SplitoMove(text[:-1], "left" if text[-1] == "<" else "right")
    raise UnknownMove(f"{text!r} is not a move: write a card and a side, as in r4< or moon-red>", field="move")


def _unknown(deck: Deck, move: object) -> UnknownMove:
    """It was made in Python and never validated, so anything may be in it."""
    if not isinstance(move, SplitoMove) or type(move.card) is not str:
        return UnknownMove(f"{move!r} is no move of Splito", field="move")
    if move.card not in deck.names:
        return UnknownMove(f"there is no card {move.card!r}", card=move.card, field="card")
    return UnknownMove(f"a side is left or right, not {move.side!r}", card=move.card, field="side")
