"""What travels about asks: those that wait for a bot that polls, its answers, and the log of its owner."""

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
    """What your bot is asked; nothing, if there was nothing in that time."""

    asks: list[Any]
    """The most urgent first. What is not answered soon comes again, with the time that is left: it may have got lost on
    the way. Its `id` is the same then."""


class Answered(msgspec.Struct, frozen=True):
    """The answer is taken, and stands."""

    ask: AskId
    milliseconds_left: Annotated[int, Meta(ge=0)]
    """Of the time for it."""


class FaultInfo(msgspec.Struct, frozen=True):
    """For what an answer was not taken."""

    code: str
    """Stable: for programs."""
    detail: str
    """For a person."""


class AskSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What a log shows of an ask."""

    id: AskId
    match: str
    game: str
    turn: TurnNumber
    seat: Seat
    when: Moment
    """Noted when the first answer had come, or the time was over."""
    elapsed_ms: float
    """How long the bot took, as the arena measured it."""
    fault: FaultInfo | None
    """For what the default move was played, if it was."""


class AskPage(msgspec.Struct, frozen=True):
    """What a bot was asked, the newest first."""

    asks: list[AskSummary]
    next: Id | None
    """The `cursor` of the next page; nothing on the last one."""


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that was not taken, so that the bot could try again."""

    request: str
    response: str
    debug: str | None
    elapsed_ms: float
    fault: FaultInfo | None


class LoggedAsk(msgspec.Struct, frozen=True, kw_only=True):
    """What a bot was asked, and what it answered."""

    id: AskId
    match: str
    game: str
    turn: TurnNumber
    seat: Seat
    when: Moment
    elapsed_ms: float
    fault: FaultInfo | None
    request: str
    """The ask, as it was sent: JSON. To be sent to another bot."""
    response: str
    """What came back; nothing, if nothing did."""
    debug: str | None
    """The note that came with the answer."""
    earlier: list[Tried]
    """What was tried before it, in the same turn."""


@cache
def open_asks(games: tuple[str, ...]) -> Any:
    """`OpenAsks` of these games: an ask of any of them, told apart by `game`."""
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
    }


def _tried(one: Try) -> Tried:
    return Tried(
        request=one.request,
        response=one.response,
        debug=one.debug,
        elapsed_ms=one.elapsed_ms,
        fault=_fault(one.fault),
    )


def _fault(note: FaultNote | None) -> FaultInfo | None:
    return None if note is None else FaultInfo(note.code, note.detail)
