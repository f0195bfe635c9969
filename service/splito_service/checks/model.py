"""A check of a bot as it is stored."""

from typing import Literal, TypeAlias

import msgspec

State: TypeAlias = Literal["running", "done", "lost"]


class StoredCheck(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    bot: str
    version: str
    """Of the bot."""
    quick: bool
    state: State = "running"
    done: int = 0
    total: int = 0
    """Steps; 0 as long as it waits for its turn."""
    passed: bool | None = None
    """Nothing as long as it is not known."""
    reason: str | None = None
    """Why it was lost."""
