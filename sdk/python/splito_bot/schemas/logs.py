"""The log of the asks of a bot.

Generated from the documents in openapi/ by `make contract`; do not edit.
"""

from datetime import datetime

from msgspec import Struct


class FaultInfo(Struct, frozen=True):
    """The reason for which the arena rejected an answer."""

    code: str
    """Stable code of the fault, for programs."""
    detail: str
    """Explanation of the fault, for people."""


class AskSummary(Struct, frozen=True, kw_only=True):
    """An ask as the log lists it."""

    id: str
    match: str
    game: str
    turn: int
    seat: int
    when: datetime
    """The time at which the first answer arrived or the time limit ended."""
    elapsed_ms: float
    """Milliseconds that the bot took, measured by the arena."""
    fault: FaultInfo | None
    """The fault for which the default move was played; None if the answer was accepted."""
    status: int | None
    """HTTP status of the response; None if none arrived, and for a pull bot."""


class AskPage(Struct, frozen=True):
    """A page of the log of a bot's asks, newest first."""

    asks: list[AskSummary]
    next: str | None
    """The `cursor` of the next page; None on the last page."""
