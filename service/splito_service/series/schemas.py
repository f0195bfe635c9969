"""Request and response schemas of series. They contain a request for a tournament, so they depend on the games."""

from collections.abc import Mapping
from functools import cache
from types import new_class
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

from splito_arena.match.messages import Moment
from splito_arena.recurrence import Rule
from splito_service.ids import moment
from splito_service.owners.model import Owner
from splito_service.owners.schemas import OwnerInfo
from splito_service.schemas import Count, Id
from splito_service.series.model import StoredSeries
from splito_service.tournaments.schemas.to_schema import owner_info
from splito_service.tournaments.schemas.tournaments import new_tournament

SeriesState: TypeAlias = Literal["active", "paused", "ended"]


class NewSeries(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A series: a tournament without times, and the rule by which such a tournament is created again and again."""

    tournament: Any
    """The tournament, without `opens` and `starts`."""
    rule: Rule
    """When the tournaments start."""
    sign_up_minutes: Annotated[int, Meta(ge=1, le=43_200)] = 60
    """Minutes from the begin of sign-up, when the tournament is created, to its start."""
    count: Annotated[int, Meta(ge=1, le=1000)] = 52
    """Number of starts after which the series ends."""
    until: Moment | None = None
    """Time after which no tournament starts; null without one."""
    paused: bool = False
    """True if no tournament is created for the time being."""


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """A series of tournaments."""

    id: Id
    name: str
    """Name of its tournaments."""
    game: str
    owner: OwnerInfo | None
    state: SeriesState
    done: Count
    """Number of starts so far, with those for which no tournament could be created."""
    opens: Moment | None
    """Begin of the next sign-up; null if there is none."""
    next: Moment | None
    """Next start; null if there is none."""
    last: Id | None
    """Id of the last tournament; null if there is none yet."""
    problem: str | None
    """Reason why the last start has no tournament; null if it has one."""
    settings: Any
    """The settings, as the owner has sent them."""


class SeriesPage(msgspec.Struct, frozen=True):
    """A page of series, newest first."""

    series: Any
    next: Id | None
    """The `cursor` of the next page; null on the last page."""


@cache
def new_series(games: tuple[str, ...]) -> Any:
    """Return the type `NewSeries` for these games."""
    return _with_field(NewSeries, "tournament", new_tournament(games))


@cache
def series(games: tuple[str, ...]) -> Any:
    return _with_field(Series, "settings", new_series(games))


@cache
def series_page(games: tuple[str, ...]) -> Any:
    return _with_field(SeriesPage, "series", list[series(games)])


def _with_field(base: type, field: str, kind: Any) -> Any:
    """Return a type of the same name in which a field has this type."""
    namespace = {"__doc__": base.__doc__, "__module__": __name__, "__annotations__": {field: kind}}
    return new_class(base.__name__, (base,), {"frozen": True}, lambda body: body.update(namespace))


def series_of(kept: StoredSeries, owners: Mapping[str, Owner]) -> Series:
    state: SeriesState = "paused" if kept.paused else "ended" if kept.next_ms is None else "active"
    return Series(
        id=kept.id,
        name=kept.name,
        game=kept.game,
        owner=owner_info(kept.owner, owners),
        state=state,
        done=kept.done,
        opens=None if kept.due_ms is None else moment(kept.due_ms),
        next=None if kept.next_ms is None else moment(kept.next_ms),
        last=kept.last,
        problem=kept.problem,
        settings=kept.settings,
    )
