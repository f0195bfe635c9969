"""Experiments: is NEW better than OLD? Everybody may look; only who made one may change it."""

from functools import partial
from typing import Any

from litestar import delete, get, post, put
from litestar.params import FromPath
from litestar.types import ASGIApp

from splito_arena.experiments.sequential_test import Reading
from splito_service.http.common import AnyRequest, client_of, json, read_body, spend, telling, while_connected
from splito_service.http.context import Context, context_of
from splito_service.http.queries import ProgressQuery, TournamentsQuery, read_query
from splito_service.http.routes.owners import read_key
from splito_service.http.routes.progress_stream import News, watch
from splito_service.http.routes.tournament_lookup import find, own, owners_of, page
from splito_service.names import check_title
from splito_service.results.compute import reading_of, slim
from splito_service.tournaments.experiment_schemas import (
    ExperimentOver,
    ExperimentPage,
    ExperimentProgress,
    asked_of,
    experiment_of,
    experiment_summary,
    new_experiment,
)
from splito_service.tournaments.schemas import StateChange
from splito_service.tournaments.store import OVER, StoredTournament

TOLD = (
    telling("/experiments", "GET, OPTIONS, POST"),
    telling("/experiments/{experiment:str}", "DELETE, GET, OPTIONS"),
)


@post("/experiments")
async def create_experiment(request: AnyRequest) -> ASGIApp:
    context, holder = context_of(request), await read_key(request, "play")
    wanted = await read_body(request, new_experiment(context.games))
    check_title(wanted.name)
    await spend(request, context.creations)
    kept = await context.organiser.create(holder, wanted)
    shown = await _shown(context, kept, await _reading(context, kept, client_of(request)))
    return json(shown, 201, {"Location": f"/v1/experiments/{kept.id}"})


@get("/experiments")
async def list_experiments(request: AnyRequest) -> ASGIApp:
    context = context_of(request)
    found = await page(context, "experiment", read_query(request, TournamentsQuery))
    owners = await owners_of(context, *found.tournaments)
    return json(ExperimentPage([experiment_summary(kept, owners) for kept in found.tournaments], found.next))


@get("/experiments/{experiment:str}")
async def get_experiment(request: AnyRequest, experiment: FromPath[str]) -> ASGIApp:
    context = context_of(request)
    kept = await find(context, experiment, "experiment")
    read = await while_connected(request, _reading(context, kept, client_of(request)))
    return json(await _shown(context, kept, read))


@delete("/experiments/{experiment:str}", status_code=204)
async def delete_experiment(request: AnyRequest, experiment: FromPath[str]) -> None:
    await own(request, experiment, "experiment")
    await context_of(request).tournaments.delete(experiment)


@put("/experiments/{experiment:str}/state")
async def change_state(request: AnyRequest, experiment: FromPath[str]) -> ASGIApp:
    context, kept = context_of(request), await own(request, experiment, "experiment")
    wanted: StateChange = await read_body(request, StateChange)
    read = await _reading(context, kept, client_of(request))  # before anything is changed, because it may be refused
    return json(await _shown(context, await context.organiser.set_state(experiment, wanted.state), read))


@get("/experiments/{experiment:str}/events")
async def watch_experiment(request: AnyRequest, experiment: FromPath[str]) -> ASGIApp:
    context, query = context_of(request), read_query(request, ProgressQuery)
    await find(context, experiment, "experiment")
    return watch(request, experiment, partial(_news, context, experiment, client_of(request)), query.seconds)


async def _shown(context: Context, kept: StoredTournament, read: Reading) -> Any:
    owners = await owners_of(context, kept, entrants=True)
    return experiment_of(kept, owners, await context.organiser.progress(kept.id), read)


async def _news(context: Context, experiment: str, client: str) -> News:
    kept = await context.tournaments.get(experiment)
    progress = await context.organiser.progress(experiment)
    kind = ExperimentOver if progress.state in OVER else ExperimentProgress
    body = kind(progress=progress, reading=await _reading(context, kept, client))
    return News(progress.done, progress.round, progress.state, body, progress.waiting)


async def _reading(context: Context, kept: StoredTournament, client: str) -> Reading:
    return await context.published.made(kept, "reading", partial(reading_of, asked_of(kept)), slim, client)
