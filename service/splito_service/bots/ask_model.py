"""An ask in the log of a bot."""

from typing import NamedTuple

import msgspec

from splito_arena.faults import FaultNote


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the log: the subject of an ask and its outcome."""

    match: str
    game: str
    turn: int
    seat: int
    elapsed_ms: float
    fault: FaultNote | None
    status: int | None = None
    """HTTP status of the response; None if none arrived, for a pull bot, and in rows from before statuses were kept."""


class Try(msgspec.Struct, frozen=True, kw_only=True):
    request: str
    response: str
    debug: str | None
    elapsed_ms: float
    fault: FaultNote | None
    status: int | None = None


class Logged(NamedTuple):
    id: str
    """Id of the row. It begins with the time of the ask and sorts by it."""
    ask: str
    row: Row
    tries: tuple[Try, ...] = ()
    """The tries in order; empty if the caller did not request them."""
