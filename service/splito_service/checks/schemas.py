"""What travels about checks: that one shall be made, how far it is, and what it has found."""

from typing import Annotated

import msgspec
from msgspec import Meta

from splito_arena.checks import Report
from splito_arena.match.messages import Moment
from splito_service.checks.model import State, StoredCheck
from splito_service.ids import created
from splito_service.schemas import Id


class NewCheck(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A check to be made."""

    quick: bool = False
    """Only tables with as few and as many players as a game can have. For ranked play this is not enough."""


class CheckSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A check of a bot, without its report."""

    id: Id
    bot: Id
    version: str
    """Of the bot, as it was checked."""
    quick: bool
    state: State
    """`lost` if it was cut short, by trouble of the arena's own or by a change of the bot: then another may begin."""
    reason: str | None
    """Why it was lost; null in any other state."""
    started: Moment
    done: Annotated[int, Meta(ge=0)]
    """Steps of it."""
    total: Annotated[int, Meta(ge=0)]
    """How many there are; 0 as long as it waits for its turn."""
    passed: bool | None
    """Nothing as long as it is not known."""


class Check(CheckSummary, frozen=True, kw_only=True):
    """A check of a bot."""

    report: Report | None
    """When it is done."""


class CheckList(msgspec.Struct, frozen=True):
    """The last checks of a bot, the newest first."""

    checks: list[CheckSummary]


def check_summary(kept: StoredCheck) -> CheckSummary:
    return CheckSummary(**msgspec.structs.asdict(kept), started=created(kept.id))


def check_of(kept: StoredCheck, report: Report | None) -> Check:
    return Check(**msgspec.structs.asdict(check_summary(kept)), report=report)
