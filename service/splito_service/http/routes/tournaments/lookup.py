"""Lookup of tournaments and experiments for the routes, with the check of their owner."""

from msgspec import UNSET

from splito_service.errors import UnknownTournament, WrongOwner
from splito_service.http.common import AnyRequest, read_key
from splito_service.http.queries import TournamentsQuery
from splito_service.http.services.tournaments import TournamentServices
from splito_service.owners.model import Owner
from splito_service.tournaments.model import Kind, StoredTournament
from splito_service.tournaments.store import Page

TOURNAMENT = ("unknown-tournament",)
RULES = ("bad-name", "bad-bot", "bad-option", "not-ready", "too-many-games")
"""Codes of the problems of a new tournament or experiment."""


async def find(services: TournamentServices, tournament: str, kind: Kind | None = None) -> StoredTournament:
    """Return a tournament or experiment of a game that is played here. Raise `UnknownTournament` if there is none."""
    kept = await services.store.get(tournament)
    if kept.game not in services.games.ids or kind not in (None, kept.kind):
        raise UnknownTournament(f"there is no {kind or 'tournament'} {tournament!r}", field=kind or "tournament")
    return kept


async def own(request: AnyRequest, services: TournamentServices, tournament: str, kind: Kind) -> StoredTournament:
    """Return a tournament or experiment of the key's owner. Raise `WrongOwner` for others, which all may read."""
    holder = await read_key(request, services.keys)
    kept = await find(services, tournament, kind)
    if kept.owner != holder.owner:
        raise WrongOwner(f"{kind} {tournament} belongs to another owner", field=kind)
    return kept


async def page(services: TournamentServices, kind: Kind, query: TournamentsQuery) -> Page:
    def fits(kept: StoredTournament) -> bool:
        wanted = ((query.game, kept.game), (query.state, kept.state), (query.owner, kept.owner))
        return kept.game in services.games.ids and all(one in (UNSET, other) for one, other in wanted)

    return await services.store.page(kind, query.cursor or None, query.limit, fits)


async def owners_of(services: TournamentServices, *held: StoredTournament, entrants: bool = False) -> dict[str, Owner]:
    """Return the owners of these tournaments, and of their bots if `entrants`, by id."""
    ids = {kept.owner for kept in held}
    if entrants:
        ids |= {entrant.owner for kept in held for entrant in kept.entrants}
    return await services.owners.find(ids - {""})
