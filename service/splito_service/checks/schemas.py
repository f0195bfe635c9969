"""Request and response schemas of checks: start a check, read its progress and its report."""

from typing import Annotated

import msgspec
from msgspec import Meta

from splito_arena.checks import Report
from splito_arena.match.messages import Moment
from splito_service.checks.model import State, StoredCheck
from splito_service.ids import created
from splito_service.schemas import Id


class NewCheck(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Request to start a check."""

    quick: bool = False
    """True to play only tables with the fewest and the most players of a game.

    A quick check is not enough for ranked play.
    """


class CheckSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A check of a bot, without its report."""

    id: Id
    bot: Id
    version: str
    """Version of the bot that was checked."""
    quick: bool
    state: State
    """`lost` if the check was stopped by trouble of the arena or by a change of the bot.

    You can start another check then.
    """
    reason: str | None
    """Reason for which the check was lost; null in any other state."""
    started: Moment
    done: Annotated[int, Meta(ge=0)]
    """Number of finished steps."""
    total: Annotated[int, Meta(ge=0)]
    """Number of steps; 0 while the check waits for its turn."""
    passed: bool | None
    """Result of the check; null while it is not known."""


class Check(CheckSummary, frozen=True, kw_only=True):
    """A check of a bot, with its report."""

    report: Report | None
    """Report of the check; null until it is done."""


class CheckList(msgspec.Struct, frozen=True):
    """The last checks of a bot, newest first."""

    checks: list[CheckSummary]


def check_summary(kept: StoredCheck) -> CheckSummary:
    return CheckSummary(**msgspec.structs.asdict(kept), started=created(kept.id))


def check_of(kept: StoredCheck, report: Report | None) -> Check:
    return Check(**msgspec.structs.asdict(check_summary(kept)), report=report)
