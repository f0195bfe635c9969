"""Endpoints of series: tournaments that are created again and again by a rule."""

from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.types import ASGIApp
from msgspec import UNSET

from splito_service.http.access import any_owner, everybody, owner_of
from splito_service.http.common import AnyRequest, json, read_body, read_key
from splito_service.http.endpoint import BODY, KEY, Endpoints, Link
from splito_service.http.examples import series as examples
from splito_service.http.limits.client_limits import spend_creation
from splito_service.http.queries import SeriesQuery, read_query
from splito_service.http.routes.tournaments.lookup import RULES
from splito_service.http.services.tournaments import TournamentServices
from splito_service.names import check_title
from splito_service.series.model import MOST_SERIES, StoredSeries
from splito_service.series.schemas import NewSeries, Series, SeriesPage, new_series, series_of
from splito_service.tournaments.schemas.tournaments import LARGE_BODY

ENDPOINTS = Endpoints("Tournaments")
SERIES = ("unknown-series",)
_MADE = {"series": "$response.body#/id"}


@ENDPOINTS.declare(
    "POST /v1/series",
    id="createSeries",
    summary="Create a series of tournaments",
    description="A tournament is created by the rule again and again, each with its sign-up. Starts that are missed"
    f" while the service is down are not made up. An owner may have at most {MOST_SERIES} series. Your key needs the"
    " scope `play`.",
    body=NewSeries,
    status=201,
    answer=Series,
    headers=("Location",),
    links=(Link("getSeries", _MADE), Link("deleteSeries", _MADE)),
    errors=(*BODY, *KEY, *RULES, "wrong-owner", "not-allowed", "no-room"),
    access=any_owner("play", "As for `createTournament`."),
    example=examples.create_series,
)
async def create_series(request: AnyRequest, services: NamedDependency[TournamentServices]) -> ASGIApp:
    holder = await read_key(request, services.keys)
    wanted = await _read(request, services)
    await spend_creation(request.scope)
    kept = await services.series.create(holder, wanted)
    return json(await _shown(services, kept), 201, {"Location": f"/v1/series/{kept.id}"})


@ENDPOINTS.declare(
    "GET /v1/series",
    id="listSeries",
    summary="List series of tournaments",
    description="Returns series, newest first, in pages, with their next starts.",
    parameters=("owner", "cursor", "limit"),
    answer=SeriesPage,
    links=(Link("listSeries", {"cursor": "$response.body#/next"}),),
    errors=("bad-request",),
    access=everybody(),
    example=examples.list_series,
)
async def list_series(request: AnyRequest, services: NamedDependency[TournamentServices]) -> ASGIApp:
    query = read_query(request, SeriesQuery)

    def fits(kept: StoredSeries) -> bool:
        return kept.game in services.games.ids and query.owner in (UNSET, kept.owner)

    page = await services.series.store.page(query.cursor or None, query.limit, fits)
    owners = await services.owners.find({kept.owner for kept in page.series})
    return json(SeriesPage([series_of(kept, owners) for kept in page.series], page.next))


@ENDPOINTS.declare(
    "GET /v1/series/{series}",
    id="getSeries",
    summary="Read a series",
    description="Returns the settings of a series, its next start and its last tournament.",
    parameters=("series",),
    answer=Series,
    errors=SERIES,
    access=everybody(),
    example=examples.get_series,
)
async def get_series(services: NamedDependency[TournamentServices], series: FromPath[str]) -> ASGIApp:
    return json(await _shown(services, await services.series.store.get(series)))


@ENDPOINTS.declare(
    "PUT /v1/series/{series}",
    id="changeSeries",
    summary="Change, pause or resume a series",
    description="Sets all settings; tournaments that have been created stay as they are. Repeating a request changes"
    " nothing. Only for its owner.",
    parameters=("series",),
    body=NewSeries,
    answer=Series,
    errors=(*BODY, *KEY, *RULES, *SERIES, "wrong-owner", "not-allowed"),
    access=owner_of("play", "wrong-owner"),
    example=examples.create_series,
)
async def change_series(
    request: AnyRequest, services: NamedDependency[TournamentServices], series: FromPath[str]
) -> ASGIApp:
    holder = await read_key(request, services.keys)
    await services.series.owned(series, holder)
    wanted = await _read(request, services)
    return json(await _shown(services, await services.series.change(series, holder, wanted)))


@ENDPOINTS.declare(
    "DELETE /v1/series/{series}",
    id="deleteSeries",
    summary="Delete a series",
    description="No further tournament is created; those that have been created stay. Only for its owner.",
    parameters=("series",),
    status=204,
    errors=(*KEY, *SERIES, "wrong-owner"),
    access=owner_of("play", "wrong-owner"),
)
async def delete_series(
    request: AnyRequest, services: NamedDependency[TournamentServices], series: FromPath[str]
) -> None:
    holder = await read_key(request, services.keys)
    await services.series.delete(series, holder)


async def _read(request: AnyRequest, services: TournamentServices) -> NewSeries:
    wanted = await read_body(request, new_series(services.games.ids), LARGE_BODY)
    check_title(wanted.tournament.name)
    return wanted


async def _shown(services: TournamentServices, kept: StoredSeries) -> Series:
    return series_of(kept, await services.owners.find({kept.owner}))
