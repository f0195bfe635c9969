"""Settings, games and connections that all services of a server process share."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import msgspec

from splito_arena.net.http_client import Caller
from splito_arena.net.resolver import Resolver
from splito_service.http.services.games import PlayedGames
from splito_service.settings import Settings
from splito_service.storage.client import Link
from splito_service.storage.notices import Notices, listening


class Foundation(msgspec.Struct, frozen=True):
    """Settings, games, and the connections to Redis, to the name servers and to bots."""

    settings: Settings
    games: PlayedGames
    link: Link
    url: str
    """Address of Redis."""
    notices: Notices
    resolver: Resolver
    caller: Caller


@asynccontextmanager
async def open_foundation(settings: Settings, url: str, games: PlayedGames) -> AsyncGenerator[Foundation]:
    """Open the connections at once, also when Redis does not answer yet."""
    async with (
        Link(url) as link,
        listening(url) as notices,
        Resolver(settings.nameservers) as resolver,
        Caller() as caller,
    ):
        yield Foundation(
            settings=settings, games=games, link=link, url=url, notices=notices, resolver=resolver, caller=caller
        )
