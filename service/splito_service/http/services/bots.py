"""Services of the routes of registered bots, of their checks and of their asks."""

from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager

import msgspec

from splito_service.bots.ask_log import Log
from splito_service.bots.ask_store import Asks
from splito_service.bots.pull import Desk, open_desk
from splito_service.bots.registry import Registry, sweeping
from splito_service.bots.store import Bots
from splito_service.checks.runner import CheckRunner, examining, scope_of_checks
from splito_service.checks.store import Checks
from splito_service.http.services.foundation import Foundation
from splito_service.http.services.games import PlayedGames
from splito_service.owners.keys import Keys
from splito_service.owners.store import Owners
from splito_service.retention.removal import Removal
from splito_service.storage.notices import Notices


class BotServices(msgspec.Struct, frozen=True):
    """The registered bots and their owners."""

    store: Bots
    registry: Registry
    owners: Owners
    keys: Keys
    removal: Removal


class CheckServices(msgspec.Struct, frozen=True):
    """The checks of registered bots."""

    bots: BotServices
    store: Checks
    runner: CheckRunner


class AskServices(msgspec.Struct, frozen=True):
    """The asks that wait for pull bots, and the log of asks."""

    games: PlayedGames
    store: Asks
    log: Log
    bots: Bots
    keys: Keys
    notices: Notices


class BotTransport(msgspec.Struct, frozen=True):
    """The asks of pull bots, and the log of the asks of all registered bots."""

    asks: Asks
    desk: Desk
    log: Log


@asynccontextmanager
async def open_transport(base: Foundation, registry: Registry) -> AsyncGenerator[BotTransport]:
    """Open the asks of pull bots, and run the health checks of push bots."""
    asks = Asks(base.link)
    async with (
        aclosing(Log(base.link)) as log,
        open_desk(asks, base.notices) as desk,
        sweeping(registry, base.settings.health_seconds),
    ):
        yield BotTransport(asks=asks, desk=desk, log=log)


@asynccontextmanager
async def open_checks(base: Foundation, bots: BotServices, transport: BotTransport) -> AsyncGenerator[CheckServices]:
    """Open the checks, and run those that wait."""
    store, scope = Checks(base.link), scope_of_checks(base.settings, base.games.ids)
    async with examining(bots.store, store, bots.registry, transport.desk, scope) as runner:
        yield CheckServices(bots=bots, store=store, runner=runner)
