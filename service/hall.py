"""Everything that a request may need, in one process: the way to Redis, and who attends to the tables."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from litestar import Request

from engine.errors import UnknownGame
from engine.game import AnyGame
from engine.registry import find_game
from service.attendant import Attendant, attending
from service.house import House
from service.limits import Limits, Quota
from service.settings import Settings
from service.store.link import Link
from service.store.matches import Matches
from service.store.notices import Notices, listening
from service.tokens import Tokens

KEY = "splito.hall"


class Hall(msgspec.Struct, frozen=True):
    games: tuple[str, ...]
    """Whose matches are played here."""
    link: Link
    matches: Matches
    tokens: Tokens
    notices: Notices
    attendant: Attendant
    limits: Limits
    requests: Quota
    creations: Quota
    behind_proxy: bool

    def game(self, game_id: str) -> AnyGame:
        if game_id not in self.games:
            raise UnknownGame(f"no game {game_id!r}; there are: {', '.join(self.games)}", field="game")
        return find_game(game_id)


@asynccontextmanager
async def open_hall(settings: Settings, url: str, games: tuple[str, ...]) -> AsyncGenerator[Hall]:
    """At once, also when Redis does not answer yet."""
    async with Link(url) as link, House() as house, listening(url) as notices:
        matches = Matches(link)
        async with attending(matches, house) as attendant:
            yield Hall(
                games=games,
                link=link,
                matches=matches,
                tokens=Tokens(link),
                notices=notices,
                attendant=attendant,
                limits=Limits(link),
                requests=Quota("requests", settings.rate),
                creations=Quota("creations", settings.create_rate),
                behind_proxy=settings.behind_proxy,
            )


def hall_of(request: Request[Any, Any, Any]) -> Hall:
    """Asked for several times in a request, so what was found is left in its scope: a look there takes no time."""
    scope: Any = request.scope
    hall = scope.get(KEY)
    if hall is None:
        hall = scope[KEY] = request.app.state.hall
    return hall
