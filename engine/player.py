"""How a player is asked for a move. A bot is one function from an `Ask` to one of its moves.

A bot needs no memory of its own to play on: the view is the whole position as its seat may know it, hands that it has
seen included. The seed gives it dice that can be replayed. (Who played what in earlier turns is not in the ask yet.)
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import msgspec

from engine.game import AnyGame, Seat


class Ask(msgspec.Struct, frozen=True):
    game: str
    seat: Seat
    players: int
    view: Any
    moves: Sequence[Any]
    """The legal ones, as on the wire."""
    seed: str


Choose: TypeAlias = Callable[[Ask], Any]


def ask(game: AnyGame, state: object, seat: Seat, players: int, seed: str) -> Ask:
    moves = [game.to_wire(state, move) for move in game.moves(state, seat)]
    return Ask(game.INFO.id, seat, players, game.view(state, seat), moves, seed)
