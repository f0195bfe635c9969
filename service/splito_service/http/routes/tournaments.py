"""Tournaments: hold one, look at it, watch it, change it, and who takes part.

Everybody may look. Only who organises it may change it, and withdraw any bot; owners may enter and withdraw their own.
"""

from functools import partial
from typing import Any

from litestar import delete, get, post, put
from litestar.params import FromPath
from litestar.types import ASGIApp

from splito_service.bots.store import is_registered
from splito_service.errors import WrongOwner
from splito_service.http.common import AnyRequest, client_of, json, read_body, spend, telling
from splito_service.http.context import Context, context_of
from splito_service.http.queries import ProgressQuery, TournamentsQuery, read_query
from splito_service.http.routes.owners import read_key
from splito_service.http.routes.progress_stream import News, watch
from splito_service.http.routes.tournament_lookup import find, own, owners_of, page
from splito_service.http.routes.tournament_results import standings_of
from splito_service.names import check_title
from splito_service.owners.keys import Holder
from splito_service.results.schemas import TournamentOver, TournamentProgress
from splito_service.tournaments.schemas import LARGE_BODY, BlocksChange, StateChange, TournamentPage, new_tournament
from splito_service.tournaments.store import OVER, Kind, StoredTournament
from splito_service.tournaments.to_schema import tournament_of, tournament_summary

LEADERS = 10
"""Lines of the table that are told with every event."""
TOLD = (
    telling("/tournaments", "GET, OPTIONS, POST"),
    telling("/tournaments/{tournament:str}", "DELETE, GET, OPTIONS"),
    telling("/tournaments/{tournament:str}/blocks", "GET, OPTIONS, PUT"),
    telling("/tournaments/{tournament:str}/bots/{bot:str}", "DELETE, OPTIONS, PUT"),
)


@post("/tournaments")
async def create_tournament(request: AnyRequest) -> ASGIApp:
    context, holder = context_of(request), await read_key(request, "play")
    wanted = await read_body(request, new_tournament(context.games), LARGE_BODY)
    check_title(wanted.name)
    await spend(request, context.creations)
    kept = await context.organiser.create(holder, wanted)
    return json(await _shown(context, kept), 201, {"Location": f"/v1/tournaments/{kept.id}"})


@post("/tournaments/dry-run", status_code=200)
async def estimate_tournament(request: AnyRequest) -> ASGIApp:
    context, holder = context_of(request), await read_key(request, "play")
    wanted = await read_body(request, new_tournament(context.games), LARGE_BODY)
    check_title(wanted.name)
    return json(await context.organiser.dry_run(holder, wanted))


@get("/tournaments")
async def list_tournaments(request: AnyRequest) -> ASGIApp:
    context = context_of(request)
    found = await page(context, "tournament", read_query(request, TournamentsQuery))
    owners = await owners_of(context, *found.tournaments)
    return json(TournamentPage([tournament_summary(kept, owners) for kept in found.tournaments], found.next))


@get("/tournaments/{tournament:str}")
async def get_tournament(request: AnyRequest, tournament: FromPath[str]) -> ASGIApp:
    context = context_of(request)
    return json(await _shown(context, await find(context, tournament, "tournament")))


@delete("/tournaments/{tournament:str}", status_code=204)
async def delete_tournament(request: AnyRequest, tournament: FromPath[str]) -> None:
    await own(request, tournament, "tournament")
    await context_of(request).tournaments.delete(tournament)


@put("/tournaments/{tournament:str}/state")
async def change_state(request: AnyRequest, tournament: FromPath[str]) -> ASGIApp:
    context, _ = context_of(request), await own(request, tournament, "tournament")
    wanted: StateChange = await read_body(request, StateChange)
    return json(await _shown(context, await context.organiser.set_state(tournament, wanted.state)))


@put("/tournaments/{tournament:str}/blocks")
async def change_blocks(request: AnyRequest, tournament: FromPath[str]) -> ASGIApp:
    context, _ = context_of(request), await own(request, tournament, "tournament")
    wanted: BlocksChange = await read_body(request, BlocksChange)
    return json(await _shown(context, await context.organiser.add_blocks(tournament, wanted.blocks)))


@put("/tournaments/{tournament:str}/bots/{bot:str}")
async def enter_tournament(request: AnyRequest, tournament: FromPath[str], bot: FromPath[str]) -> ASGIApp:
    context = context_of(request)
    holder = await _check_entrant(request, tournament, bot, "tournament")
    return json(await _shown(context, await context.organiser.enter(tournament, bot, holder.owner)))


@delete("/tournaments/{tournament:str}/bots/{bot:str}", status_code=204)
async def leave_tournament(request: AnyRequest, tournament: FromPath[str], bot: FromPath[str]) -> None:
    """Withdraw a bot from a tournament or an experiment; an experiment without it is cancelled."""
    holder = await _check_entrant(request, tournament, bot)
    await context_of(request).organiser.withdraw_for(tournament, bot, holder.owner)


@get("/tournaments/{tournament:str}/events")
async def watch_tournament(request: AnyRequest, tournament: FromPath[str]) -> ASGIApp:
    context, query = context_of(request), read_query(request, ProgressQuery)
    await find(context, tournament, "tournament")
    return watch(request, tournament, partial(_news, context, tournament, client_of(request)), query.seconds)


async def _shown(context: Context, kept: StoredTournament) -> Any:
    owners = await owners_of(context, kept, entrants=True)
    return tournament_of(kept, owners, await context.organiser.progress(kept.id))


async def _check_entrant(request: AnyRequest, tournament: str, bot: str, kind: Kind | None = None) -> Holder:
    """Return the key that asks. Raise `WrongOwner` unless it is of the tournament's holder or the bot's owner."""
    context, holder = context_of(request), await read_key(request, "play")
    kept = await find(context, tournament, kind)
    if holder.owner == kept.owner:
        return holder
    if not is_registered(bot) or (await context.bots.get(bot)).owner != holder.owner:
        raise WrongOwner(f"neither bot {bot} nor the {kept.kind} is yours", field="bot")
    return holder


async def _news(context: Context, tournament: str, client: str) -> News:
    kept = await context.tournaments.get(tournament)
    progress = await context.organiser.progress(tournament)
    kind = TournamentOver if progress.state in OVER else TournamentProgress
    body = kind(progress=progress, leaders=(await standings_of(context, kept, client)).lines[:LEADERS])
    return News(progress.done, progress.round, progress.state, body, progress.waiting)
