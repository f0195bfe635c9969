"""A check of a bot as it is stored."""

from typing import Literal, TypeAlias

import msgspec

State: TypeAlias = Literal["running", "done", "lost"]


class StoredCheck(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    bot: str
    version: str
    """Version of the bot that is checked."""
    quick: bool
    state: State = "running"
    done: int = 0
    total: int = 0
    """Number of steps; 0 while the check waits for its turn."""
    passed: bool | None = None
    """Result of the check; None while it is not known."""
    reason: str | None = None
    """Reason for which the check was lost; None in any other state."""
