"""Query parameters of the endpoints. An unknown parameter is refused, as an unknown field of a body is."""

from typing import Annotated, Any, TypeAlias, TypeVar
from urllib.parse import parse_qsl

import msgspec
from litestar import Request
from msgspec import UNSET, Meta, UnsetType

from splito_arena.blocks.ledger import BLOCK_PATTERN
from splito_engine.game import Language
from splito_service.errors import BadRequest
from splito_service.ids import ID_PATTERN
from splito_service.matches.model import NOT_BEGUN, Status
from splito_service.tournaments.model import State

PAGE = 20
MOST = 100
"""Largest number of entries on a page."""
LONGEST = 30
"""Longest wait of a request in seconds."""
HOUR = 3600
LAST = 999_999
"""The largest number of a turn that an event can have."""

Turn: TypeAlias = Annotated[int, Meta(ge=NOT_BEGUN, le=LAST)]


class Query(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class MatchesQuery(Query, frozen=True):
    status: Status = "running"
    players: Annotated[int, Meta(ge=1)] | UnsetType = UNSET
    cursor: Annotated[str, Meta(pattern=ID_PATTERN)] | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=MOST)] = PAGE


class BotsQuery(Query, frozen=True):
    owner: Annotated[str, Meta(pattern=ID_PATTERN)] | UnsetType = UNSET
    cursor: Annotated[str, Meta(pattern=ID_PATTERN)] | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=MOST)] = PAGE


class MatchQuery(Query, frozen=True):
    after: Turn | UnsetType = UNSET
    wait: Annotated[int, Meta(ge=0, le=LONGEST)] = 0


class AsksQuery(Query, frozen=True):
    bot: Annotated[str, Meta(pattern=ID_PATTERN)]
    wait: Annotated[int, Meta(ge=0, le=LONGEST)] = 0
    limit: Annotated[int, Meta(ge=1, le=MOST)] = PAGE


class LogQuery(Query, frozen=True):
    cursor: Annotated[str, Meta(pattern=ID_PATTERN)] | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=MOST)] = PAGE


class EventsQuery(Query, frozen=True):
    after: Turn = NOT_BEGUN
    seconds: Annotated[int, Meta(ge=0, le=HOUR)] = HOUR


class TournamentsQuery(Query, frozen=True):
    """Query of the lists of tournaments and of experiments."""

    game: Annotated[str, Meta(min_length=1, max_length=64)] | UnsetType = UNSET
    state: State | UnsetType = UNSET
    owner: Annotated[str, Meta(pattern=ID_PATTERN)] | UnsetType = UNSET
    cursor: Annotated[str, Meta(pattern=ID_PATTERN)] | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=MOST)] = PAGE


class SeriesQuery(Query, frozen=True):
    owner: Annotated[str, Meta(pattern=ID_PATTERN)] | UnsetType = UNSET
    cursor: Annotated[str, Meta(pattern=ID_PATTERN)] | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=MOST)] = PAGE


class BlocksQuery(Query, frozen=True):
    after_block: Annotated[str, Meta(pattern=BLOCK_PATTERN)] | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=MOST)] = PAGE


class ProgressQuery(Query, frozen=True):
    seconds: Annotated[int, Meta(ge=0, le=HOUR)] = HOUR


class BoardQuery(Query, frozen=True):
    players: Annotated[int, Meta(ge=1)] | UnsetType = UNSET


class TextQuery(Query, frozen=True):
    lang: Language | UnsetType = UNSET


QueryT = TypeVar("QueryT", bound=Query)


def read_query(request: Request[Any, Any, Any], kind: type[QueryT]) -> QueryT:
    raw: bytes = request.scope["query_string"]
    pairs = parse_qsl(raw.decode("latin-1"), keep_blank_values=True) if raw else []
    values: dict[str, Any] = dict(pairs)
    if len(values) < len(pairs):
        raise BadRequest("a parameter is given twice", field="query")
    try:
        return msgspec.convert(values, kind, strict=False)  # all values of a query are texts
    except msgspec.ValidationError as error:
        raise BadRequest(f"the query cannot be read: {error}", field="query") from None
