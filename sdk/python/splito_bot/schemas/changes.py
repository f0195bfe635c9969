"""Changes and estimates of a tournament.

Generated from the documents in openapi/ by `make contract`; do not edit.
"""

from datetime import datetime
from typing import Literal

from msgspec import Struct


class StateChange(Struct, frozen=True):
    """Request to change the state of a tournament or experiment."""

    state: Literal["cancelled", "paused", "running"]
    """`paused` plays the blocks that have begun to their end and no others, until it is `running` again; `cancelled` is
    final. Blocks that were played count in any case. `running` starts a tournament before its time.
    """


class TimesChange(Struct, frozen=True):
    """Request to change the times of a tournament that has not begun."""

    starts: datetime
    """Time at which play begins and sign-up ends."""
    opens: datetime | None = None
    """Time at which sign-up begins; None to leave it as it is. A later time than now closes sign-up until then."""


class BlocksChange(Struct, frozen=True):
    """Request to change the number of blocks."""

    blocks: int
    """Number of blocks of each table of a round, in all. It can grow, but never shrink."""


class Estimate(Struct, frozen=True, kw_only=True):
    """The estimated size of a tournament; for a ladder, of each round."""

    rounds: int
    tables: int
    blocks: int
    games: int
    seconds: float | None
    """Estimated duration in seconds, from the recent speed of these bots; None if it is not known."""
    opens: datetime | None = None
    """Time at which sign-up would begin; None if the tournament would begin at once."""
    starts: datetime | None = None
    """Time at which play would begin; None if the tournament would begin at once."""
    lacks: str | None = None
    """Reason why it would be cancelled at its start if no other bot entered; None if it would begin."""
