"""Finished games of a block, as statistics read them, and the results of blocks that are played locally."""

from typing import Protocol

import msgspec

from splito_arena.blocks.seatings import Seating
from splito_engine.game import Scores
from splito_engine.record import Record


class FinishedGame(Protocol):
    """Protocol of a finished game: the `Result` of a local block, or the `Game` of a ledger entry.

    All values are in the order of the seats.
    """

    @property
    def seating(self) -> Seating: ...

    @property
    def scores(self) -> Scores: ...

    @property
    def faults(self) -> tuple[tuple[str, ...], ...]: ...

    @property
    def replaced(self) -> tuple[bool, ...]: ...


class Result(msgspec.Struct, frozen=True):
    """The result of one local match, in the order of the seats."""

    seating: Seating
    """Number of the bot in each seat."""
    scores: Scores
    seconds: tuple[tuple[float, ...], ...]
    """Seconds of each move, for each seat."""
    faults: tuple[tuple[str, ...], ...]
    """Fault codes in the order of the turns, for each seat."""
    replaced: tuple[bool, ...]
    """True for each seat for which a house bot played on."""
    record: Record | None = None


class Block(msgspec.Struct, frozen=True):
    """A balanced set of seatings, each played as a match with its own deal."""

    number: int
    results: tuple[Result, ...]
    """Results, one per seating of the block."""
