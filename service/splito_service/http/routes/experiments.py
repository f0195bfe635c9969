"""Experiments: is NEW better than OLD? Everybody may look; only who made one may change it."""

from functools import partial
from typing import Any

from litestar import delete, get, post, put
from litestar.params import FromPath
from litestar.types import ASGIApp

from splito_arena.experiments.sequential_test import Reading
from splito_service.http.common import AnyRequest, client_of, json, read_body, spend, telling, while_connected
from splito_service.http.context import Hall, hall_of
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
from splito_service.tournaments.store import OVER, KeptTournament

TOLD = (
    telling("/experiments", "GET, OPTIONS, POST"),
    telling("/experiments/{experiment:str}", "DELETE, GET, OPTIONS"),
)


@post("/experiments")
async def create_experiment(request: AnyRequest) -> ASGIApp:
    hall, holder = hall_of(request), await read_key(request, "play")
    wanted = await read_body(request, new_experiment(hall.games))
    check_title(wanted.name)
    await spend(request, hall.creations)
    kept = await hall.organiser.create(holder, wanted)
    shown = await _shown(hall, kept, await _reading(hall, kept, client_of(request)))
    return json(shown, 201, {"Location": f"/v1/experiments/{kept.id}"})


@get("/experiments")
async def list_experiments(request: AnyRequest) -> ASGIApp:
    hall = hall_of(request)
    found = await page(hall, "experiment", read_query(request, TournamentsQuery))
    owners = await owners_of(hall, *found.tournaments)
    return json(ExperimentPage([experiment_summary(kept, owners) for kept in found.tournaments], found.next))


@get("/experiments/{experiment:str}")
async def get_experiment(request: AnyRequest, experiment: FromPath[str]) -> ASGIApp:
    hall = hall_of(request)
    kept = await find(hall, experiment, "experiment")
    read = await while_connected(request, _reading(hall, kept, client_of(request)))
    return json(await _shown(hall, kept, read))


@delete("/experiments/{experiment:str}", status_code=204)
async def delete_experiment(request: AnyRequest, experiment: FromPath[str]) -> None:
    await own(request, experiment, "experiment")
    await hall_of(request).tournaments.delete(experiment)


@put("/experiments/{experiment:str}/state")
async def change_state(request: AnyRequest, experiment: FromPath[str]) -> ASGIApp:
    hall, kept = hall_of(request), await own(request, experiment, "experiment")
    wanted: StateChange = await read_body(request, StateChange)
    read = await _reading(hall, kept, client_of(request))  # before anything is changed, because it may be refused
    return json(await _shown(hall, await hall.organiser.set_state(experiment, wanted.state), read))


@get("/experiments/{experiment:str}/events")
async def watch_experiment(request: AnyRequest, experiment: FromPath[str]) -> ASGIApp:
    hall, query = hall_of(request), read_query(request, ProgressQuery)
    await find(hall, experiment, "experiment")
    return watch(request, experiment, partial(_news, hall, experiment, client_of(request)), query.seconds)


async def _shown(hall: Hall, kept: KeptTournament, read: Reading) -> Any:
    owners = await owners_of(hall, kept, entrants=True)
    return experiment_of(kept, owners, await hall.organiser.progress(kept.id), read)


async def _news(hall: Hall, experiment: str, client: str) -> News:
    kept = await hall.tournaments.get(experiment)
    progress = await hall.organiser.progress(experiment)
    kind = ExperimentOver if progress.state in OVER else ExperimentProgress
    body = kind(progress=progress, reading=await _reading(hall, kept, client))
    return News(progress.done, progress.round, progress.state, body, progress.waiting)


async def _reading(hall: Hall, kept: KeptTournament, client: str) -> Reading:
    return await hall.published.made(kept, "reading", partial(reading_of, asked_of(kept)), slim, client)
