"""The HTTP service: its routes by concept, its error handlers and its services.

A process keeps no state that another process needs: it may be killed at any instant, and any number of processes may
work on one Redis.
"""

from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from litestar import Litestar, Request, Router
from litestar.di import Provide
from litestar.exceptions import HTTPException

from splito_arena.gc_freeze import spare_collector
from splito_engine.errors import BadSetting, GameError
from splito_engine.registry import games as registered
from splito_service import problems
from splito_service.http.common import MAX_BODY
from splito_service.http.contract.document import contract
from splito_service.http.cors import CORS
from splito_service.http.endpoint import Endpoints, handlers_of
from splito_service.http.routes import catalogue, docs, health, moderation, owners, webhooks
from splito_service.http.routes.bots import asks, bots, checks
from splito_service.http.routes.matches import events, matches, records, seats
from splito_service.http.routes.tournaments import experiments, leaderboards, results, series, tournaments
from splito_service.http.services.games import PlayedGames
from splito_service.http.services.opened import open_services
from splito_service.settings import Settings, variable

API: Mapping[str, tuple[Endpoints, ...]] = {
    "games": (catalogue.ENDPOINTS,),
    "owners": (owners.ENDPOINTS,),
    "bots": (bots.ENDPOINTS,),
    "checks": (checks.ENDPOINTS,),
    "asks": (asks.ENDPOINTS,),
    "webhooks": (webhooks.ENDPOINTS,),
    "tournaments": (tournaments.ENDPOINTS, results.ENDPOINTS, series.ENDPOINTS, experiments.ENDPOINTS),
    "leaderboards": (leaderboards.ENDPOINTS,),
    "matches": (matches.ENDPOINTS, seats.ENDPOINTS, events.ENDPOINTS, records.ENDPOINTS),
    "moderation": (moderation.ENDPOINTS,),
    "health": (health.ENDPOINTS,),
}
"""The endpoints of each concept, by the field of `Services` that their handlers receive as `services`."""

ENDPOINTS = tuple(row for groups in API.values() for group in groups for row in group.rows)

URL = variable("redis_url")


def create_app(settings: Settings, games: tuple[str, ...] | None = None) -> Litestar:
    """Return the application for these games; for all registered games if none are named. Raise `BadSetting`."""
    url = settings.redis_url
    if url is None:
        raise BadSetting(
            f"a process of the service needs the address of a Redis in {URL}; `splito serve` sets it", field=URL
        )
    played = PlayedGames(games or tuple(registered()))

    @asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncGenerator[None]:
        async with open_services(settings, url, played) as services:
            app.state.services = services
            spare_collector()
            yield

    return Litestar(
        [*_routers(), *docs.routes(partial(contract, played.ids, ENDPOINTS))],
        lifespan=[lifespan],
        exception_handlers={
            GameError: problems.on_game_error,
            HTTPException: problems.on_http_error,
            Exception: problems.on_exception,
        },
        cors_config=CORS,
        openapi_config=None,
        request_max_body_size=MAX_BODY,
        logging_config=None,
    )


def _routers() -> Iterator[Router]:
    for concept, groups in API.items():
        services = Provide(_provider(concept), sync_to_thread=False)
        yield Router("/", route_handlers=[*handlers_of(groups)], dependencies={"services": services})


def _provider(concept: str) -> Callable[..., Any]:
    """Return the dependency of a concept's handlers.

    There is one for each handler, because Litestar resolves several of them in a task group, which takes 0.15 ms.
    """

    def provide(request: Request[Any, Any, Any]) -> Any:
        return getattr(request.app.state.services, concept)

    return provide
