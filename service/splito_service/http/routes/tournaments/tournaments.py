"""Endpoints of tournaments: create, read, watch and change one, enter and withdraw bots.

All clients may read a tournament. Only its owner may change it and withdraw any bot; owners of bots may enter and
withdraw their own.
"""

from functools import partial
from typing import Any

from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.types import ASGIApp
from msgspec.structs import replace

from splito_service.bots.model import is_registered
from splito_service.errors import WrongOwner
from splito_service.http.access import any_owner, everybody, owner_of
from splito_service.http.answers.progress_stream import watch
from splito_service.http.common import AnyRequest, json, read_body, read_key
from splito_service.http.endpoint import BODY, EVENTS, KEY, Endpoints, Link
from splito_service.http.examples import tournament_results as result_examples
from splito_service.http.examples import tournaments as examples
from splito_service.http.limits.client_limits import client_of, spend_creation
from splito_service.http.queries import ProgressQuery, TournamentsQuery, read_query
from splito_service.http.routes.tournaments.lookup import RULES, TOURNAMENT, find, own, owners_of, page
from splito_service.http.routes.tournaments.standings import standings_of
from splito_service.http.services.tournaments import TournamentServices
from splito_service.ids import milliseconds_of
from splito_service.names import check_title
from splito_service.owners.keys import Holder
from splito_service.results.schemas import TournamentOver, TournamentProgress
from splito_service.tournaments.model import BEFORE, MOST_HELD, OVER, Kind, StoredTournament
from splito_service.tournaments.schemas.progress_events import News
from splito_service.tournaments.schemas.to_schema import tournament_of, tournament_summary
from splito_service.tournaments.schemas.tournaments import (
    LARGE_BODY,
    BlocksChange,
    Estimate,
    NewTournament,
    StateChange,
    TimesChange,
    Tournament,
    TournamentPage,
    new_tournament,
)

ENDPOINTS = Endpoints("Tournaments")

_MADE = {"tournament": "$response.body#/id"}
_LISTED = {"tournament": "$response.body#/tournaments/0/id"}

LEADERS = 10
"""Lines of the placing and of the standings in every event."""


@ENDPOINTS.declare(
    "POST /v1/tournaments",
    id="createTournament",
    summary="Create a tournament",
    description="Begins at once, or at `starts`: bots are entered from `opens` on until then, and the tournament is"
    " cancelled with a reason if it lacks bots. Every game has its own deal; games are played in balanced seatings (a"
    " block)."
    " All deals follow from a secret whose commitment is in the answer; an unranked tournament may be given a `seed`,"
    " with which it can be held again exactly. Bots that are gone by then are left out."
    " For a `ranked` tournament the bots must have passed the checks, and you must be an organiser of this arena."
    f" Bots of others must be open to you (`open_to`). An owner may have at most {MOST_HELD} tournaments and"
    " experiments that are not over. Your key needs the scope `play`, as for all changes of tournaments.",
    body=NewTournament,
    status=201,
    answer=Tournament,
    headers=("Location",),
    links=(
        Link("getTournament", _MADE),
        Link("changeTournamentState", _MADE),
        Link("changeTournamentBlocks", _MADE),
        Link("getStandings", _MADE),
        Link("getCrosstable", _MADE),
        Link("getNeighbours", _MADE),
        Link("listBlocks", _MADE),
        Link("watchTournament", _MADE),
        Link("getDump", _MADE),
        Link("getReport", _MADE),
        Link("deleteTournament", _MADE),
    ),
    errors=(*BODY, *KEY, *RULES, "wrong-owner", "not-allowed", "no-room"),
    access=any_owner(
        "play", "Only organisers hold ranked tournaments; bots of others must be open to the owner (`not-allowed`)."
    ),
    example=examples.create_tournament,
)
async def create_tournament(request: AnyRequest, services: NamedDependency[TournamentServices]) -> ASGIApp:
    holder = await read_key(request, services.keys)
    wanted = await read_body(request, new_tournament(services.games.ids), LARGE_BODY)
    check_title(wanted.name)
    await spend_creation(request.scope)
    kept = await services.organiser.create(holder, wanted)
    return json(await _shown(services, kept, to_holder=True), 201, {"Location": f"/v1/tournaments/{kept.id}"})


@ENDPOINTS.declare(
    "POST /v1/tournaments/dry-run",
    id="estimateTournament",
    summary="Estimate a tournament",
    description="Returns the number of games and an estimate of the duration. The request is checked like a real one,"
    " except for `no-room`, but no tournament is created.",
    body=NewTournament,
    answer=Estimate,
    errors=(*BODY, *KEY, *RULES, "wrong-owner", "not-allowed"),
    access=any_owner("play", "As for `createTournament`."),
    example=examples.estimate_tournament,
)
async def estimate_tournament(request: AnyRequest, services: NamedDependency[TournamentServices]) -> ASGIApp:
    holder = await read_key(request, services.keys)
    wanted = await read_body(request, new_tournament(services.games.ids), LARGE_BODY)
    check_title(wanted.name)
    return json(await services.organiser.dry_run(holder, wanted))


@ENDPOINTS.declare(
    "GET /v1/tournaments",
    id="listTournaments",
    summary="List tournaments",
    description="Returns tournaments, newest first, in pages. A page may have fewer than `limit` entries, even none,"
    " and still a `next`.",
    parameters=("game", "state", "owner", "cursor", "limit"),
    answer=TournamentPage,
    links=(Link("getTournament", _LISTED), Link("listTournaments", {"cursor": "$response.body#/next"})),
    errors=("bad-request",),
    access=everybody(),
    example=examples.list_tournaments,
)
async def list_tournaments(request: AnyRequest, services: NamedDependency[TournamentServices]) -> ASGIApp:
    found = await page(services, "tournament", read_query(request, TournamentsQuery))
    owners = await owners_of(services, *found.tournaments)
    return json(TournamentPage([tournament_summary(kept, owners) for kept in found.tournaments], found.next))


@ENDPOINTS.declare(
    "GET /v1/tournaments/{tournament}",
    id="getTournament",
    summary="Read a tournament",
    description="Returns the settings, the entrants and the progress of a tournament. The secret of the deals is shown"
    " when it is over.",
    parameters=("tournament",),
    answer=Tournament,
    links=(Link("getStandings", _MADE), Link("listBlocks", _MADE), Link("getDump", _MADE)),
    errors=TOURNAMENT,
    access=everybody("Everybody sees the secret of the deals, and a seed, once the tournament is over."),
    example=examples.get_tournament,
)
async def get_tournament(services: NamedDependency[TournamentServices], tournament: FromPath[str]) -> ASGIApp:
    return json(await _shown(services, await find(services, tournament, "tournament")))


@ENDPOINTS.declare(
    "DELETE /v1/tournaments/{tournament}",
    id="deleteTournament",
    summary="Delete a tournament",
    description="Deletes a tournament that is over, with all its games. Its effect on the leaderboard stays. Only for"
    " its owner.",
    parameters=("tournament",),
    status=204,
    errors=(*KEY, "wrong-owner", *TOURNAMENT, "not-over"),
    access=owner_of("play", "wrong-owner"),
)
async def delete_tournament(
    request: AnyRequest, services: NamedDependency[TournamentServices], tournament: FromPath[str]
) -> None:
    await own(request, services, tournament, "tournament")
    await services.store.delete(tournament)


@ENDPOINTS.declare(
    "PUT /v1/tournaments/{tournament}/state",
    id="changeTournamentState",
    summary="Start, pause, resume or cancel a tournament",
    description="A tournament with sign-up may start before its time, unless it lacks bots. Repeating a request"
    " changes nothing. A tournament that is over cannot be changed. Only for its owner.",
    parameters=("tournament",),
    body=StateChange,
    answer=Tournament,
    links=(Link("getTournament", _MADE),),
    errors=(
        *(*BODY, *KEY, "wrong-owner", *TOURNAMENT, "already-over"),
        *("already-begun", "not-begun", "bad-bot", "bad-option", "too-many-games"),
    ),
    access=owner_of("play", "wrong-owner"),
    example=examples.change_tournament_state,
)
async def change_state(
    request: AnyRequest, services: NamedDependency[TournamentServices], tournament: FromPath[str]
) -> ASGIApp:
    await own(request, services, tournament, "tournament")
    wanted: StateChange = await read_body(request, StateChange)
    kept = await services.organiser.set_state(tournament, wanted.state)
    return json(await _shown(services, kept, to_holder=True))


@ENDPOINTS.declare(
    "PUT /v1/tournaments/{tournament}/times",
    id="changeTournamentTimes",
    summary="Change the times of sign-up and start",
    description="Only before the start; the state `running` starts at once. Repeating a request changes nothing. Only"
    " for the owner of the tournament.",
    parameters=("tournament",),
    body=TimesChange,
    answer=Tournament,
    links=(Link("getTournament", _MADE),),
    errors=(*BODY, *KEY, "wrong-owner", *TOURNAMENT, "already-over", "already-begun", "bad-option"),
    access=owner_of("play", "wrong-owner"),
    example=examples.change_tournament_times,
)
async def change_times(
    request: AnyRequest, services: NamedDependency[TournamentServices], tournament: FromPath[str]
) -> ASGIApp:
    await own(request, services, tournament, "tournament")
    wanted: TimesChange = await read_body(request, TimesChange)
    opens = None if wanted.opens is None else milliseconds_of(wanted.opens)
    kept = await services.organiser.set_times(tournament, opens, milliseconds_of(wanted.starts))
    return json(await _shown(services, kept, to_holder=True))


@ENDPOINTS.declare(
    "PUT /v1/tournaments/{tournament}/blocks",
    id="changeTournamentBlocks",
    summary="Raise the number of blocks",
    description="Sets the number of blocks of each table in the current and the later rounds. Repeating a request"
    " changes nothing; a smaller number is refused. Only for the owner of the tournament.",
    parameters=("tournament",),
    body=BlocksChange,
    answer=Tournament,
    links=(Link("getTournament", _MADE),),
    errors=(*BODY, *KEY, "wrong-owner", *TOURNAMENT, "already-over", "too-many-games", "bad-option"),
    access=owner_of("play", "wrong-owner"),
    example=examples.change_tournament_blocks,
)
async def change_blocks(
    request: AnyRequest, services: NamedDependency[TournamentServices], tournament: FromPath[str]
) -> ASGIApp:
    await own(request, services, tournament, "tournament")
    wanted: BlocksChange = await read_body(request, BlocksChange)
    kept = await services.organiser.add_blocks(tournament, wanted.blocks)
    return json(await _shown(services, kept, to_holder=True))


@ENDPOINTS.declare(
    "PUT /v1/tournaments/{tournament}/bots/{bot}",
    id="enterTournament",
    summary="Enter a bot in a tournament",
    description="During the sign-up of any tournament; in a ladder, and where `late` allows it, also afterwards: the"
    " bot plays from the next round on. A bot that had left a ladder or a sign-up comes back. For the owner of the bot,"
    " and for the owner of the tournament if the bot is open to them and its owner has not withdrawn it.",
    parameters=("tournament", "entrant"),
    answer=Tournament,
    links=(Link("leaveTournament", {**_MADE, "bot": "$request.path.bot"}),),
    errors=(
        *(*KEY, *TOURNAMENT, "wrong-owner", "not-allowed", "unknown-bot"),
        *("bad-bot", "not-ready", "already-over", "not-open", "too-many-games", "bad-option", "no-room"),
    ),
    access=owner_of(
        "play",
        "wrong-owner",
        "The owner of the bot, and the owner of the tournament if the bot is open to them (`not-allowed`).",
    ),
    example=examples.enter_tournament,
)
async def enter_tournament(
    request: AnyRequest, services: NamedDependency[TournamentServices], tournament: FromPath[str], bot: FromPath[str]
) -> ASGIApp:
    holder = await _check_entrant(request, services, tournament, bot, "tournament")
    return json(await _shown(services, await services.organiser.enter(tournament, bot, holder.owner)))


@ENDPOINTS.declare(
    "DELETE /v1/tournaments/{tournament}/bots/{bot}",
    id="leaveTournament",
    summary="Withdraw a bot",
    description="Blocks of the bot that are not yet played are skipped. Its past results stay. For the owner of the"
    " bot, and for the owner of the tournament. An experiment from which a bot is withdrawn is cancelled.",
    parameters=("tournament", "entrant"),
    status=204,
    errors=(*KEY, *TOURNAMENT, "wrong-owner", "unknown-bot", "bad-bot", "already-over"),
    access=owner_of("play", "wrong-owner", "The owner of the bot, and the owner of the tournament."),
)
async def leave_tournament(
    request: AnyRequest, services: NamedDependency[TournamentServices], tournament: FromPath[str], bot: FromPath[str]
) -> None:
    """Withdraw a bot from a tournament or an experiment; an experiment without it is cancelled."""
    holder = await _check_entrant(request, services, tournament, bot)
    await services.organiser.withdraw_for(tournament, bot, holder.owner)


@ENDPOINTS.declare(
    "GET /v1/tournaments/{tournament}/events",
    id="watchTournament",
    summary="Watch a tournament",
    description="Sends server-sent events: `progress`, at once and then after each change, at most once a second, and"
    " `over`, after which the stream ends. Each event contains the whole state, so a client that reconnects with the"
    " last `id` in `Last-Event-ID`, as browsers do, misses nothing. A comment is sent every 15 seconds if there is no"
    " event.",
    parameters=("tournament", "seconds", "Progress-Event-ID"),
    answer=TournamentProgress,
    media=EVENTS,
    events={"progress": TournamentProgress, "over": TournamentOver},
    also={204: "The client has seen the end. A browser does not come back then."},
    errors=("bad-request", *TOURNAMENT),
    access=everybody(),
    example=result_examples.watch_tournament,
)
async def watch_tournament(
    request: AnyRequest, services: NamedDependency[TournamentServices], tournament: FromPath[str]
) -> ASGIApp:
    query = read_query(request, ProgressQuery)
    await find(services, tournament, "tournament")
    return watch(
        request,
        services.notices,
        tournament,
        partial(_news, services, tournament, client_of(request.scope)),
        query.seconds,
    )


async def _shown(services: TournamentServices, kept: StoredTournament, *, to_holder: bool = False) -> Any:
    owners = await owners_of(services, kept, entrants=True)
    return tournament_of(kept, owners, await services.organiser.progress(kept.id), to_holder=to_holder)


async def _check_entrant(
    request: AnyRequest, services: TournamentServices, tournament: str, bot: str, kind: Kind | None = None
) -> Holder:
    """Return the key that asks. Raise `WrongOwner` unless it is of the tournament's holder or the bot's owner."""
    holder = await read_key(request, services.keys)
    kept = await find(services, tournament, kind)
    if holder.owner == kept.owner:
        return holder
    if not is_registered(bot) or (await services.bots.get(bot)).owner != holder.owner:
        raise WrongOwner(f"neither bot {bot} nor the {kept.kind} is yours", field="bot")
    return holder


async def _news(services: TournamentServices, tournament: str, client: str) -> News:
    kept = await services.store.get(tournament)
    progress = await services.organiser.progress(tournament)
    kind = TournamentOver if progress.state in OVER else TournamentProgress
    found = await standings_of(services, kept, client)
    official = found.official and replace(found.official, lines=found.official.lines[:LEADERS])
    body = kind(progress=progress, leaders=found.lines[:LEADERS], official=official)
    signing_up = (progress.opens, progress.starts, kept.entrants)
    besides = signing_up if kept.state in BEFORE else progress.waiting
    return News(progress.done, progress.round, progress.state, body, besides)
