"""What owners and everybody else can ask of the service about experiments: one row per operation."""

from splito_service.http.contract.operations import BODY, EVENTS, Link, Operation
from splito_service.http.contract.owner_operations import KEY
from splito_service.http.contract.tournament_operations import RULES
from splito_service.tournaments.experiment_schemas import (
    Experiment,
    ExperimentOver,
    ExperimentPage,
    ExperimentProgress,
    NewExperiment,
)
from splito_service.tournaments.schemas import StateChange

EXPERIMENT = ("unknown-tournament",)

_MADE = {"experiment": "$response.body#/id"}
_LISTED = {"experiment": "$response.body#/experiments/0/id"}

OF_EXPERIMENTS = (
    Operation(
        id="createExperiment",
        call="POST /v1/experiments",
        summary="Make an experiment",
        description="Is NEW better than OLD? They play pairs of games, in the same seat of the same deal among the same"
        " field. It begins at once, and stops by itself as soon as enough is known. Your key needs the scope `play`.",
        body=NewExperiment,
        status=201,
        answer=Experiment,
        headers=("Location",),
        codes=(*BODY, *KEY, *RULES, "wrong-owner", "not-allowed", "no-room"),
        links=(
            Link("getExperiment", _MADE),
            Link("changeExperimentState", _MADE),
            Link("watchExperiment", _MADE),
            Link("listBlocks", {"tournament": _MADE["experiment"]}),
            Link("getDump", {"tournament": _MADE["experiment"]}),
            Link("deleteExperiment", _MADE),
        ),
    ),
    Operation(
        id="listExperiments",
        call="GET /v1/experiments",
        summary="List experiments",
        description="The newest first, page by page. A page may have fewer than `limit`, even none, and still a"
        " `next`.",
        parameters=("game", "state", "owner", "cursor", "limit"),
        answer=ExperimentPage,
        codes=("bad-request",),
        links=(Link("getExperiment", _LISTED), Link("listExperiments", {"cursor": "$response.body#/next"})),
    ),
    Operation(
        id="getExperiment",
        call="GET /v1/experiments/{experiment}",
        summary="Look at an experiment",
        description="What is asked, and what is known by now: the log-likelihood ratio and its bounds, the estimate and"
        " its interval, and the verdict when there is one.",
        parameters=("experiment",),
        answer=Experiment,
        codes=EXPERIMENT,
        links=(Link("watchExperiment", _MADE),),
    ),
    Operation(
        id="deleteExperiment",
        call="DELETE /v1/experiments/{experiment}",
        summary="Delete an experiment",
        description="With all that was played, once it is over. Yours only.",
        parameters=("experiment",),
        status=204,
        codes=(*KEY, "wrong-owner", *EXPERIMENT, "not-over"),
    ),
    Operation(
        id="changeExperimentState",
        call="PUT /v1/experiments/{experiment}/state",
        summary="Pause, resume or cancel an experiment",
        description="The same again changes nothing. What is over cannot be changed. Yours only.",
        parameters=("experiment",),
        body=StateChange,
        answer=Experiment,
        codes=(*BODY, *KEY, "wrong-owner", *EXPERIMENT, "already-over"),
        links=(Link("getExperiment", _MADE),),
    ),
    Operation(
        id="watchExperiment",
        call="GET /v1/experiments/{experiment}/events",
        summary="Watch an experiment",
        description="Server-sent events: `progress`, at once and then whenever there is some, at most once a second,"
        " and `over`, after which the stream ends. Each says all that is known, so nothing is missed by who comes back"
        " with the last `id` in `Last-Event-ID`. A comment is sent every 15 seconds if nothing else is.",
        parameters=("experiment", "seconds", "Progress-Event-ID"),
        answer=ExperimentProgress,
        media=EVENTS,
        events={"progress": ExperimentProgress, "over": ExperimentOver},
        also={204: "The client has seen the end. A browser does not come back then."},
        codes=("bad-request", *EXPERIMENT),
    ),
)
