"""An ask in the log of a bot."""

from typing import NamedTuple

import msgspec

from splito_arena.faults import FaultNote


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """What an ask was about, and how it went in the end."""

    match: str
    game: str
    turn: int
    seat: int
    elapsed_ms: float
    fault: FaultNote | None


class Try(msgspec.Struct, frozen=True, kw_only=True):
    request: str
    response: str
    debug: str | None
    elapsed_ms: float
    fault: FaultNote | None


class Logged(NamedTuple):
    id: str
    """Of the row: it begins with its time, and sorts by it."""
    ask: str
    row: Row
    tries: tuple[Try, ...] = ()
    """In order, if they were asked for."""
