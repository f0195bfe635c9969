"""All services of one server process, opened together. A process keeps no state that another process needs."""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import msgspec

from splito_service.bots.consent import Organisers
from splito_service.bots.registry import Registry
from splito_service.bots.store import Bots
from splito_service.http.limits.client_limits import ClientLimits, client_limits
from splito_service.http.services.bots import (
    AskServices,
    BotServices,
    BotTransport,
    CheckServices,
    open_checks,
    open_transport,
)
from splito_service.http.services.foundation import Foundation, open_foundation
from splito_service.http.services.games import PlayedGames
from splito_service.http.services.matches import MatchServices, open_matches
from splito_service.http.services.moderation import ModerationServices
from splito_service.http.services.owners import OwnerServices
from splito_service.http.services.tournaments import LeaderboardServices, TournamentServices, open_tournaments
from splito_service.http.services.webhooks import WebhookServices, open_webhooks
from splito_service.http.shared_values import Shared
from splito_service.moderation.moderator import Moderator
from splito_service.owners.keys import Keys
from splito_service.owners.store import Owners
from splito_service.retention.removal import Removal
from splito_service.retention.sweeper import sweeping
from splito_service.settings import Settings, variable
from splito_service.signing import Signer
from splito_service.storage.health import RedisHealth, watching
from splito_service.tournaments.organiser import Organiser
from splito_service.tournaments.ratings.store import Ratings
from splito_service.webhooks.store import Hooks, Outbox

PRIVATE = variable("allow_private_bots")

log = logging.getLogger("splito.services")


class Services(msgspec.Struct, frozen=True):
    """The services of one server process: a field for each concept."""

    games: PlayedGames
    limits: ClientLimits
    health: RedisHealth
    owners: OwnerServices
    bots: BotServices
    checks: CheckServices
    asks: AskServices
    webhooks: WebhookServices
    tournaments: TournamentServices
    leaderboards: LeaderboardServices
    matches: MatchServices
    moderation: ModerationServices


@asynccontextmanager
async def open_services(settings: Settings, url: str, games: PlayedGames) -> AsyncGenerator[Services]:
    """Open all services at once, also when Redis does not answer yet."""
    _warn_of_private_bots(settings)
    async with (
        open_foundation(settings, url, games) as base,
        watching(base.link) as health,
        sweeping(base.link, settings, games.ids),
    ):
        link, bots, signer, hooks = base.link, Bots(base.link), Signer(base.link), Hooks(base.link)
        private, owners = settings.allow_private_bots, Owners(link, settings)
        organisers = Organisers(settings.organisers)
        organiser = Organiser(link, bots, organisers, allow_private=private)
        registered = BotServices(
            store=bots,
            registry=Registry(bots, signer, base.caller, private, Outbox(link), resolver=base.resolver),
            owners=owners,
            keys=Keys(owners),
            removal=Removal(link, owners, bots, hooks, organiser),
        )
        async with (
            open_transport(base, registered.registry) as transport,
            open_checks(base, registered, transport) as checks,
            open_webhooks(base, hooks, signer, registered) as webhooks,
            open_tournaments(base, organiser, registered, signer) as tournaments,
            open_matches(base, registered, transport) as matches,
        ):
            yield Services(
                games=games,
                limits=client_limits(link, settings),
                health=health,
                owners=OwnerServices(owners, registered.keys, signer, registered.removal),
                bots=registered,
                checks=checks,
                asks=_asks(base, registered, transport),
                webhooks=webhooks,
                tournaments=tournaments,
                leaderboards=LeaderboardServices(games, Ratings(link), bots, Shared()),
                matches=matches,
                moderation=ModerationServices(Moderator(link, owners, bots, organiser, organisers), registered.keys),
            )


def _warn_of_private_bots(settings: Settings) -> None:
    if settings.allow_private_bots and not settings.dev:
        log.warning("%s=1: BOTS MAY HAVE PRIVATE ADDRESSES, AND THE SERVICE CALLS THEM. For development only.", PRIVATE)


def _asks(base: Foundation, bots: BotServices, transport: BotTransport) -> AskServices:
    return AskServices(
        games=base.games,
        store=transport.asks,
        log=transport.log,
        bots=bots.store,
        keys=bots.keys,
        notices=base.notices,
    )
