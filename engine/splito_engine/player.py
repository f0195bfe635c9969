"""How a player is asked for a move. A bot is one function from an `Ask` to one of its moves, or to an `Answer`.

A bot needs no memory of its own to play on: the view is the whole position as its seat may know it, hands that it has
seen included, and what everybody played in earlier turns is there too. The seed gives it dice that can be replayed.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import msgspec

from splito_engine.game import AnyGame, Seat
from splito_engine.match import Turn

MAX_DEBUG = 1024
"""Bytes of a note for the bot's owner."""


class Revealed(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """What one seat did in a turn, and what it said."""

    seat: Seat
    move: Any
    nudge: str | None = None


class PastTurn(msgspec.Struct, frozen=True):
    """A turn that was revealed."""

    turn: int
    moves: list[Revealed]
    """Of those who had to act, in the order of their seats."""


class Time(msgspec.Struct, frozen=True, gc=False):
    """How long a bot may think. What a turn takes beyond `turn_ms` is charged to the bank."""

    allowed_ms: int
    """From the moment the ask is sent: `turn_ms` and all that is left in the bank."""
    turn_ms: int
    bank_ms: int
    """What is left in it for the rest of the match."""


class Cost(msgspec.Struct, frozen=True, gc=False):
    """What the seat's last turn cost, as the arena measured it."""

    elapsed_ms: float
    charged_ms: int
    """Taken from the bank."""
    outcome: str
    """`ok`, or the kind of the fault for which the default move was played."""


class Rejection(msgspec.Struct, frozen=True, gc=False):
    """Why the answer before this ask was not taken. The time goes on as if it had never come."""

    code: str
    detail: str


class Ask(msgspec.Struct, frozen=True, gc=False):
    game: str
    seat: Seat
    players: int
    view: Any
    moves: Sequence[Any]
    """The legal ones, as on the wire; the first is the default move."""
    seed: str
    match: str = ""
    turn: int = 0
    nudges: Sequence[str] = ()
    """What may be said with the move."""
    turns: tuple[Turn, ...] = ()
    time: Time | None = None
    """None: for as long as it likes."""
    last: Cost | None = None
    rejected: Rejection | None = None

    @property
    def history(self) -> list[PastTurn]:
        """What was revealed so far, as it is on the wire."""
        return [past_turn(number, turn) for number, turn in enumerate(self.turns)]


class Answer(msgspec.Struct, frozen=True, gc=False):
    """What a bot returns that has more to say than a move."""

    move: Any
    nudge: str | None = None
    debug: str | None = None
    """A note for the bot's owner, who finds it in the log; nobody else sees it."""


Choose: TypeAlias = Callable[[Ask], Any]


def ask(game: AnyGame, state: object, seat: Seat, players: int, seed: str) -> Ask:
    moves = [*game.to_wire(state, game.moves(state, seat))]
    return Ask(game.INFO.id, seat, players, game.view(state, seat), moves, seed)


def past_turn(number: int, turn: Turn) -> PastTurn:
    return PastTurn(number, [Revealed(seat, move, turn.talk.get(seat)) for seat, move in turn.moves.items()])
