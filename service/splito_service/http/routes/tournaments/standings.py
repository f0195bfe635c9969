"""Standings of a tournament, and the pairs of bots suspected of collusion, for several routes."""

from collections.abc import Sequence
from functools import partial

import msgspec

from splito_arena.blocks.ledger import slim
from splito_arena.formats import Placing
from splito_arena.stats.collusion import Suspicion
from splito_service.http.services.tournaments import TournamentServices
from splito_service.results import compute
from splito_service.results.schemas import Standings
from splito_service.tournaments.model import StoredTournament
from splito_service.tournaments.past_rounds import BY_PLACES


async def standings_of(services: TournamentServices, kept: StoredTournament, client: str) -> Standings:
    """Return the official placing and the ratings of a tournament."""
    make = partial(compute.standings_of, kept.id, names_by_bot(kept))
    found = await services.results.made(kept, "standings", make, slim, client)
    official = await services.organiser.placing(kept, found.lines)
    groups = [list(tied) for tied in official.groups] if official.final and official.lines else None
    return msgspec.structs.replace(found, placing=groups, official=official)


async def placing_of(services: TournamentServices, kept: StoredTournament, client: str) -> Placing:
    """Return the official placing of a tournament, without the fit of ratings if the format does not need it."""
    if isinstance(kept.format, BY_PLACES):
        return await services.organiser.placing(kept, [])
    return await services.organiser.placing(kept, (await standings_of(services, kept, client)).lines)


async def suspected(services: TournamentServices, kept: StoredTournament, client: str) -> Sequence[Suspicion]:
    """Return the pairs of bots that were looked at for collusion. All games are played again for it."""
    return await services.results.made(kept, "suspicions", compute.suspicions_of, compute.evidence_of, client)


def names_by_bot(kept: StoredTournament) -> dict[str, str]:
    """Return the names of the entrants by bot."""
    return {entrant.bot: entrant.name for entrant in kept.entrants}
