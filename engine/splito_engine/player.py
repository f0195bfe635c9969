"""The question to a bot and its answer. A bot is a function from an `Ask` to one of its legal moves, or to an `Answer`.

A bot needs no memory of its own: the view is the whole position as its seat may know it, hands that it has seen
included, and the ask holds the moves of all earlier turns. The seed gives the bot random numbers that can be replayed.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import msgspec

from splito_engine.game import AnyGame, Seat
from splito_engine.match import Turn

MAX_DEBUG = 1024
"""Bytes of the debug note that a bot may send to its owner with a move."""


class Revealed(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The move of one seat in a revealed turn, and the nudge it said."""

    seat: Seat
    move: Any
    nudge: str | None = None


class PastTurn(msgspec.Struct, frozen=True):
    """A turn that was revealed."""

    turn: int
    moves: list[Revealed]
    """The moves of the actors, in the order of their seats."""


class Time(msgspec.Struct, frozen=True, gc=False):
    """The clock of a bot. Thinking time beyond `turn_ms` is charged to the bank."""

    allowed_ms: int
    """Milliseconds from the moment the ask is sent: `turn_ms` and the rest of the bank."""
    turn_ms: int
    """Milliseconds of each turn that are free of charge."""
    bank_ms: int
    """Milliseconds left in the bank for the rest of the match."""


class Cost(msgspec.Struct, frozen=True, gc=False):
    """The time that the seat's last turn cost, as the arena measured it."""

    elapsed_ms: float
    """Milliseconds from the first byte of the ask to the last byte of the answer."""
    charged_ms: int
    """Milliseconds taken from the bank."""
    outcome: str
    """`ok`, or the kind of fault for which the default move was played."""


class Rejection(msgspec.Struct, frozen=True, gc=False):
    """The reason why the bot's previous answer to this turn was refused. The clock keeps running meanwhile."""

    code: str
    """Code of the fault, as in the table of faults."""
    detail: str
    """Description of the mistake in the answer, for people."""


class Ask(msgspec.Struct, frozen=True, gc=False):
    """The question to a bot: choose one of `moves`."""

    game: str
    seat: Seat
    players: int
    view: Any
    moves: Sequence[Any]
    """The legal moves in wire form; the first is the default move."""
    seed: str
    match: str = ""
    turn: int = 0
    nudges: Sequence[str] = ()
    """The nudges that may be said with the move."""
    turns: tuple[Turn, ...] = ()
    time: Time | None = None
    """The clock; None if the bot may think without limit."""
    last: Cost | None = None
    rejected: Rejection | None = None

    @property
    def history(self) -> list[PastTurn]:
        """Return the revealed turns in wire form."""
        return [past_turn(number, turn) for number, turn in enumerate(self.turns)]


class Answer(msgspec.Struct, frozen=True, gc=False):
    """The answer of a bot that adds a nudge or a debug note to its move."""

    move: Any
    nudge: str | None = None
    debug: str | None = None
    """A note in the bot's log; only the owner of the bot can read it."""


Choose: TypeAlias = Callable[[Ask], Any]


def ask(game: AnyGame, state: object, seat: Seat, players: int, seed: str) -> Ask:
    """Return the question to the bot in that seat."""
    moves = [*game.to_wire(state, game.moves(state, seat))]
    return Ask(game.INFO.id, seat, players, game.view(state, seat), moves, seed)


def past_turn(number: int, turn: Turn) -> PastTurn:
    """Return a revealed turn in wire form."""
    return PastTurn(number, [Revealed(seat, move, turn.talk.get(seat)) for seat, move in turn.moves.items()])
