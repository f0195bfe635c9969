"""How a player is asked for a move. A bot is one function from an `Ask` to one of its moves.

An ask needs no memory: the view holds everything the seat has seen, the seed gives the bot dice that can be replayed.
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
