"""Request and response schemas of asks: the open asks of pull bots, their answers, and the log for the owner."""

from functools import cache
from types import new_class
from typing import Annotated, Any, Union

import msgspec
from msgspec import Meta

from splito_arena.faults import FaultNote
from splito_arena.match.messages import AskId, Moment, messages_of
from splito_engine.game import Seat
from splito_engine.registry import find_game
from splito_service.bots.ask_model import Logged, Try
from splito_service.ids import created
from splito_service.schemas import Id, TurnNumber


class OpenAsks(msgspec.Struct, frozen=True):
    """The open asks of your bot; empty if no ask arrived during the wait."""

    asks: list[Any]
    """The asks, the most urgent first.

    An ask without an answer is handed out again soon, with the same `id` and the time that is left, because the first
    copy may have been lost on the way.
    """


class Answered(msgspec.Struct, frozen=True):
    """The arena has accepted the answer. It cannot be changed any more."""

    ask: AskId
    milliseconds_left: Annotated[int, Meta(ge=0)]
    """Milliseconds that were left to answer."""


class FaultInfo(msgspec.Struct, frozen=True):
    """The reason for which the arena rejected an answer."""

    code: str
    """Stable code of the fault, for programs."""
    detail: str
    """Explanation of the fault, for people."""


class AskSummary(msgspec.Struct, frozen=True, kw_only=True):
    """An ask as the log lists it."""

    id: AskId
    match: str
    game: str
    turn: TurnNumber
    seat: Seat
    when: Moment
    """The time at which the first answer arrived or the time limit ended."""
    elapsed_ms: float
    """Milliseconds that the bot took, measured by the arena."""
    fault: FaultInfo | None
    """The fault for which the default move was played; null if the answer was accepted."""
    status: int | None
    """HTTP status of the response; null if none arrived, and for a pull bot."""


class AskPage(msgspec.Struct, frozen=True):
    """A page of the log of a bot's asks, newest first."""

    asks: list[AskSummary]
    next: Id | None
    """The `cursor` of the next page; null on the last page."""


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """A rejected answer, after which the bot could try again."""

    request: str
    response: str
    debug: str | None
    elapsed_ms: float
    fault: FaultInfo | None
    status: int | None


class LoggedAsk(msgspec.Struct, frozen=True, kw_only=True):
    """An ask of the log with its request, its response and the earlier tries."""

    id: AskId
    match: str
    game: str
    turn: TurnNumber
    seat: Seat
    when: Moment
    elapsed_ms: float
    fault: FaultInfo | None
    status: int | None
    request: str
    """The request as the arena sent it, in JSON. You can send it to another bot."""
    response: str
    """The response of the bot; empty if none arrived. With another status than 200 it is cut after 4,096 bytes, and its
    control characters are escaped.
    """
    debug: str | None
    """The debug note that the bot sent with its answer; null without one."""
    earlier: list[Tried]
    """The rejected answers before this one, in the same turn."""


@cache
def open_asks(games: tuple[str, ...]) -> Any:
    """Return the type `OpenAsks` for these games: a list of asks of any of them, tagged by `game`."""
    kinds: Any = tuple(messages_of(find_game(game)).Ask for game in games)
    namespace = {"__doc__": OpenAsks.__doc__, "__module__": __name__, "__annotations__": {"asks": list[Union[kinds]]}}  # noqa: UP007 (made at run time)
    return new_class("OpenAsks", (OpenAsks,), {"frozen": True}, lambda body: body.update(namespace))


def summary_of(logged: Logged) -> AskSummary:
    return AskSummary(**_fields(logged))


def logged_of(logged: Logged) -> LoggedAsk:
    *earlier, last = logged.tries
    return LoggedAsk(
        **_fields(logged),
        request=last.request,
        response=last.response,
        debug=last.debug,
        earlier=[_tried(one) for one in earlier],
    )


def _fields(logged: Logged) -> dict[str, Any]:
    row = logged.row
    return {
        "id": logged.ask,
        "match": row.match,
        "game": row.game,
        "turn": row.turn,
        "seat": row.seat,
        "when": created(logged.id),
        "elapsed_ms": row.elapsed_ms,
        "fault": _fault(row.fault),
        "status": row.status,
    }


def _tried(one: Try) -> Tried:
    return Tried(
        request=one.request,
        response=one.response,
        debug=one.debug,
        elapsed_ms=one.elapsed_ms,
        fault=_fault(one.fault),
        status=one.status,
    )


def _fault(note: FaultNote | None) -> FaultInfo | None:
    return None if note is None else FaultInfo(note.code, note.detail)
