"""Endpoints of experiments: is NEW better than OLD? All clients may read one; only its owner may change it."""

from functools import partial
from typing import Any

from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.types import ASGIApp

from splito_arena.blocks.ledger import slim
from splito_arena.experiments.sequential_test import Reading
from splito_service.http.access import any_owner, everybody, owner_of
from splito_service.http.answers.progress_stream import watch
from splito_service.http.common import AnyRequest, json, read_body, read_key, while_connected
from splito_service.http.endpoint import BODY, EVENTS, KEY, Endpoints, Link
from splito_service.http.examples import experiments as examples
from splito_service.http.limits.client_limits import client_of, spend_creation
from splito_service.http.queries import ProgressQuery, TournamentsQuery, read_query
from splito_service.http.routes.tournaments.lookup import RULES, find, own, owners_of, page
from splito_service.http.services.tournaments import TournamentServices
from splito_service.names import check_title
from splito_service.results.compute import reading_of
from splito_service.tournaments.model import OVER, StoredTournament
from splito_service.tournaments.schemas.experiments import (
    Experiment,
    ExperimentOver,
    ExperimentPage,
    ExperimentProgress,
    NewExperiment,
    asked_of,
    experiment_of,
    experiment_summary,
    new_experiment,
)
from splito_service.tournaments.schemas.progress_events import News
from splito_service.tournaments.schemas.tournaments import StateChange

ENDPOINTS = Endpoints("Experiments")
EXPERIMENT = ("unknown-tournament",)

_MADE = {"experiment": "$response.body#/id"}
_LISTED = {"experiment": "$response.body#/experiments/0/id"}


@ENDPOINTS.declare(
    "POST /v1/experiments",
    id="createExperiment",
    summary="Create an experiment",
    description="Tests if NEW is better than OLD: both play pairs of games, in the same seat of the same deal against"
    " the same field. In both games of a pair, each seat gets the same `seed` for its dice in each turn, so identical"
    " bots that draw all their random numbers from `seed` have a difference of exactly 0. The experiment begins at once"
    " and stops as soon as the result is certain enough. Your key needs the scope `play`.",
    body=NewExperiment,
    status=201,
    answer=Experiment,
    headers=("Location",),
    links=(
        Link("getExperiment", _MADE),
        Link("changeExperimentState", _MADE),
        Link("watchExperiment", _MADE),
        Link("listBlocks", {"tournament": _MADE["experiment"]}),
        Link("getDump", {"tournament": _MADE["experiment"]}),
        Link("deleteExperiment", _MADE),
    ),
    errors=(*BODY, *KEY, *RULES, "wrong-owner", "not-allowed", "no-room"),
    access=any_owner("play", "Bots of others must be open to the owner (`not-allowed`)."),
    example=examples.create_experiment,
)
async def create_experiment(request: AnyRequest, services: NamedDependency[TournamentServices]) -> ASGIApp:
    holder = await read_key(request, services.keys)
    wanted = await read_body(request, new_experiment(services.games.ids))
    check_title(wanted.name)
    await spend_creation(request.scope)
    kept = await services.organiser.create(holder, wanted)
    shown = await _shown(services, kept, await _reading(services, kept, client_of(request.scope)))
    return json(shown, 201, {"Location": f"/v1/experiments/{kept.id}"})


@ENDPOINTS.declare(
    "GET /v1/experiments",
    id="listExperiments",
    summary="List experiments",
    description="Returns experiments, newest first, in pages. A page may have fewer than `limit` entries, even none,"
    " and still a `next`.",
    parameters=("game", "state", "owner", "cursor", "limit"),
    answer=ExperimentPage,
    links=(Link("getExperiment", _LISTED), Link("listExperiments", {"cursor": "$response.body#/next"})),
    errors=("bad-request",),
    access=everybody(),
    example=examples.list_experiments,
)
async def list_experiments(request: AnyRequest, services: NamedDependency[TournamentServices]) -> ASGIApp:
    found = await page(services, "experiment", read_query(request, TournamentsQuery))
    owners = await owners_of(services, *found.tournaments)
    return json(ExperimentPage([experiment_summary(kept, owners) for kept in found.tournaments], found.next))


@ENDPOINTS.declare(
    "GET /v1/experiments/{experiment}",
    id="getExperiment",
    summary="Read an experiment",
    description="Returns the experiment and its results so far: the log-likelihood ratio and its bounds, the estimate"
    " and its interval, and the verdict when there is one.",
    parameters=("experiment",),
    answer=Experiment,
    links=(Link("watchExperiment", _MADE),),
    errors=EXPERIMENT,
    access=everybody(),
    example=examples.get_experiment,
)
async def get_experiment(
    request: AnyRequest, services: NamedDependency[TournamentServices], experiment: FromPath[str]
) -> ASGIApp:
    kept = await find(services, experiment, "experiment")
    read = await while_connected(request, _reading(services, kept, client_of(request.scope)))
    return json(await _shown(services, kept, read))


@ENDPOINTS.declare(
    "DELETE /v1/experiments/{experiment}",
    id="deleteExperiment",
    summary="Delete an experiment",
    description="Deletes an experiment that is over, with all its games. Only for its owner.",
    parameters=("experiment",),
    status=204,
    errors=(*KEY, "wrong-owner", *EXPERIMENT, "not-over"),
    access=owner_of("play", "wrong-owner"),
)
async def delete_experiment(
    request: AnyRequest, services: NamedDependency[TournamentServices], experiment: FromPath[str]
) -> None:
    await own(request, services, experiment, "experiment")
    await services.store.delete(experiment)


@ENDPOINTS.declare(
    "PUT /v1/experiments/{experiment}/state",
    id="changeExperimentState",
    summary="Pause, resume or cancel an experiment",
    description="Repeating a request changes nothing. An experiment that is over cannot be changed. Only for its"
    " owner.",
    parameters=("experiment",),
    body=StateChange,
    answer=Experiment,
    links=(Link("getExperiment", _MADE),),
    errors=(*BODY, *KEY, "wrong-owner", *EXPERIMENT, "already-over"),
    access=owner_of("play", "wrong-owner"),
    example=examples.change_experiment_state,
)
async def change_state(
    request: AnyRequest, services: NamedDependency[TournamentServices], experiment: FromPath[str]
) -> ASGIApp:
    kept = await own(request, services, experiment, "experiment")
    wanted: StateChange = await read_body(request, StateChange)
    read = await _reading(
        services, kept, client_of(request.scope)
    )  # before anything is changed, because it may be refused
    return json(await _shown(services, await services.organiser.set_state(experiment, wanted.state), read))


@ENDPOINTS.declare(
    "GET /v1/experiments/{experiment}/events",
    id="watchExperiment",
    summary="Watch an experiment",
    description="Sends server-sent events: `progress`, at once and then after each change, at most once a second, and"
    " `over`, after which the stream ends. Each event contains the whole state, so a client that reconnects with the"
    " last `id` in `Last-Event-ID` misses nothing. A comment is sent every 15 seconds if there is no event.",
    parameters=("experiment", "seconds", "Progress-Event-ID"),
    answer=ExperimentProgress,
    media=EVENTS,
    events={"progress": ExperimentProgress, "over": ExperimentOver},
    also={204: "The client has seen the end. A browser does not come back then."},
    errors=("bad-request", *EXPERIMENT),
    access=everybody(),
    example=examples.watch_experiment,
)
async def watch_experiment(
    request: AnyRequest, services: NamedDependency[TournamentServices], experiment: FromPath[str]
) -> ASGIApp:
    query = read_query(request, ProgressQuery)
    await find(services, experiment, "experiment")
    return watch(
        request,
        services.notices,
        experiment,
        partial(_news, services, experiment, client_of(request.scope)),
        query.seconds,
    )


async def _shown(services: TournamentServices, kept: StoredTournament, read: Reading) -> Any:
    owners = await owners_of(services, kept, entrants=True)
    return experiment_of(kept, owners, await services.organiser.progress(kept.id), read)


async def _news(services: TournamentServices, experiment: str, client: str) -> News:
    kept = await services.store.get(experiment)
    progress = await services.organiser.progress(experiment)
    kind = ExperimentOver if progress.state in OVER else ExperimentProgress
    body = kind(progress=progress, reading=await _reading(services, kept, client))
    return News(progress.done, progress.round, progress.state, body, progress.waiting)


async def _reading(services: TournamentServices, kept: StoredTournament, client: str) -> Reading:
    return await services.results.made(kept, "reading", partial(reading_of, asked_of(kept)), slim, client)
