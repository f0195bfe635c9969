"""The HTTP service: Litestar with our routes, our problems and our hall.

A process keeps nothing that another could not do without: it may be killed at any instant, and any number of them may
work on one Redis.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from litestar import Litestar, Router
from litestar.config.cors import CORSConfig
from litestar.exceptions import HTTPException

from splito_arena.gc_freeze import spare_collector
from splito_engine.errors import BadSetting, GameError
from splito_engine.registry import games as registered
from splito_service import problems
from splito_service.http.common import MAX_BODY
from splito_service.http.context import open_context
from splito_service.http.routes import (
    asks,
    bots,
    checks,
    docs,
    experiments,
    health,
    leaderboards,
    match_events,
    matches,
    owners,
    tournament_results,
    tournaments,
    webhooks,
)
from splito_service.http.routes import (
    catalogue as games,
)
from splito_service.settings import Settings, variable

API = (
    games.list_games,
    games.list_house,
    games.list_problems,
    games.get_rules,
    games.list_cards,
    matches.tell_methods,
    matches.create_match,
    matches.list_matches,
    matches.tell_match_methods,
    matches.get_match,
    matches.delete_match,
    matches.join_match,
    matches.leave_match,
    matches.seal_move,
    matches.list_turns,
    matches.get_record,
    matches.explain_match,
    match_events.watch_match,
    *owners.TOLD,
    owners.create_owner,
    owners.delete_owner,
    owners.create_key,
    owners.list_keys,
    owners.delete_key,
    owners.get_signing_key,
    *bots.TOLD,
    bots.list_bots,
    bots.create_bot,
    bots.get_bot,
    bots.change_bot,
    bots.delete_bot,
    bots.prove_bot,
    bots.describe_bot,
    bots.rotate_secret,
    bots.settle_secret,
    *checks.TOLD,
    checks.create_check,
    checks.list_checks,
    checks.get_check,
    asks.list_open_asks,
    asks.answer_ask,
    asks.list_asks,
    asks.get_ask,
    *webhooks.TOLD,
    webhooks.list_hooks,
    webhooks.create_hook,
    webhooks.get_hook,
    webhooks.change_hook,
    webhooks.delete_hook,
    webhooks.prove_hook,
    webhooks.rotate_hook_secret,
    webhooks.settle_hook_secret,
    webhooks.list_deliveries,
    webhooks.get_delivery,
    webhooks.create_redelivery,
    *tournaments.TOLD,
    tournaments.create_tournament,
    tournaments.estimate_tournament,
    tournaments.list_tournaments,
    tournaments.get_tournament,
    tournaments.delete_tournament,
    tournaments.change_state,
    tournaments.change_blocks,
    tournaments.enter_tournament,
    tournaments.leave_tournament,
    tournaments.watch_tournament,
    tournament_results.get_standings,
    tournament_results.get_crosstable,
    tournament_results.get_neighbours,
    tournament_results.list_blocks,
    tournament_results.get_block,
    tournament_results.get_dump,
    tournament_results.get_export,
    tournament_results.get_report,
    leaderboards.get_leaderboard,
    *experiments.TOLD,
    experiments.create_experiment,
    experiments.list_experiments,
    experiments.get_experiment,
    experiments.delete_experiment,
    experiments.change_state,
    experiments.watch_experiment,
)

URL = variable("redis_url")

CORS = CORSConfig(
    allow_origins=["*"],
    allow_headers=["Authorization", "Content-Type", "If-None-Match", "Last-Event-ID", "Accept-Language"],
    allow_methods=["GET", "POST", "PUT", "DELETE"],
    expose_headers=["ETag", "Location", "RateLimit", "RateLimit-Policy", "Retry-After", "Content-Language"],
)
"""Any site may have a table of ours: tokens are in a header that its page must add, never in a cookie."""


def create_app(settings: Settings, games: tuple[str, ...] | None = None) -> Litestar:
    """For all registered games, if none are named."""
    url = settings.redis_url
    if url is None:
        raise BadSetting("a process of the service needs to be told of a Redis; `splito serve` does that", field=URL)
    played = games or tuple(registered())

    @asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncGenerator[None]:
        async with open_context(settings, url, played) as context:
            app.state.context = context
            spare_collector()
            yield

    api = Router("/v1", route_handlers=API)
    return Litestar(
        [api, health.get_liveness, health.get_readiness, *docs.routes(played)],
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
