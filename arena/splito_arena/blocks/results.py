"""Results of the matches of a block."""

import msgspec

from splito_arena.match.places import judged
from splito_engine.game import Scores, Seat
from splito_engine.record import Record


class Result(msgspec.Struct, frozen=True):
    """The result of one match. Everything is in the order of the seats, but `seats` says where each of the bots sat."""

    seats: tuple[Seat, ...]
    scores: Scores
    seconds: tuple[tuple[float, ...], ...]
    """The time of each move, by seat."""
    record: Record | None = None
    faults: tuple[tuple[str, ...], ...] = ()
    """The codes of the faults by seat; empty where the first fault ends the run."""
    replaced: tuple[bool, ...] = ()
    """By seat, whether a house bot played on for the bot."""

    @property
    def judged(self) -> Scores:
        return judged(self.scores, self.replaced) if self.replaced else self.scores


class Block(msgspec.Struct, frozen=True):
    """A balanced set of seatings, each played as a match with its own deal."""

    number: int
    results: tuple[Result, ...]
    """One per seating of the block."""
