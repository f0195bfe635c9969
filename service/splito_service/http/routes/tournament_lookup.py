"""Tournaments and experiments as the routes find them: whose they are, and who asks."""

from msgspec import UNSET

from splito_service.errors import UnknownTournament, WrongOwner
from splito_service.http.common import AnyRequest
from splito_service.http.context import Context, context_of
from splito_service.http.queries import TournamentsQuery
from splito_service.http.routes.owners import read_key
from splito_service.owners.store import Owner
from splito_service.tournaments.store import Kind, Page, StoredTournament


async def find(context: Context, tournament: str, kind: Kind | None = None) -> StoredTournament:
    """A tournament or an experiment, or only one of that kind; of a game that is played here."""
    kept = await context.tournaments.get(tournament)
    if kept.game not in context.games or kind not in (None, kept.kind):
        raise UnknownTournament(f"there is no {kind or 'tournament'} {tournament!r}", field=kind or "tournament")
    return kept


async def own(request: AnyRequest, tournament: str, kind: Kind) -> StoredTournament:
    """For who organises it. That there is such a one is public, so who may not touch it is told so."""
    holder = await read_key(request, "play")
    kept = await find(context_of(request), tournament, kind)
    if kept.owner != holder.owner:
        raise WrongOwner(f"{kind} {tournament} is somebody else's", field=kind)
    return kept


async def page(context: Context, kind: Kind, query: TournamentsQuery) -> Page:
    def fits(kept: StoredTournament) -> bool:
        wanted = ((query.game, kept.game), (query.state, kept.state), (query.owner, kept.owner))
        return kept.game in context.games and all(one in (UNSET, other) for one, other in wanted)

    return await context.tournaments.page(kind, query.cursor or None, query.limit, fits)


async def owners_of(context: Context, *held: StoredTournament, entrants: bool = False) -> dict[str, Owner]:
    """Of these, and of their bots too."""
    ids = {kept.owner for kept in held}
    if entrants:
        ids |= {entrant.owner for kept in held for entrant in kept.entrants}
    return await context.owners.find(ids - {""})
