"""Results of the matches of a block."""

import msgspec

from splito_arena.match.places import judged
from splito_engine.game import Scores, Seat
from splito_engine.record import Record


class Result(msgspec.Struct, frozen=True):
    """The result of one match, in the order of the seats, except `seats`, which holds the seat of each bot."""

    seats: tuple[Seat, ...]
    scores: Scores
    seconds: tuple[tuple[float, ...], ...]
    """Seconds of each move, for each seat."""
    record: Record | None = None
    faults: tuple[tuple[str, ...], ...] = ()
    """Fault codes for each seat; empty where the first fault ends the run."""
    replaced: tuple[bool, ...] = ()
    """True for each seat for which a house bot played on."""

    @property
    def judged(self) -> Scores:
        return judged(self.scores, self.replaced) if self.replaced else self.scores


class Block(msgspec.Struct, frozen=True):
    """A balanced set of seatings, each played as a match with its own deal."""

    number: int
    results: tuple[Result, ...]
    """Results, one per seating of the block."""
