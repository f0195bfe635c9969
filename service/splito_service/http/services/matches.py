"""Services of the routes of matches."""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import msgspec

from splito_arena.bots.subprocess import BotProcesses
from splito_engine.errors import UnknownMatch
from splito_service.bots.ask_claims import Claims
from splito_service.bots.consent import Organisers
from splito_service.bots.players import BotPlayers
from splito_service.http.services.bots import BotServices, BotTransport
from splito_service.http.services.foundation import Foundation
from splito_service.http.services.games import PlayedGames
from splito_service.ids import ID_PATTERN
from splito_service.matches.autoplay import Autoplay, attending
from splito_service.matches.bot_turns import BotTurns
from splito_service.matches.client_keys import Clients
from splito_service.matches.model import StoredMatch
from splito_service.matches.seat_tokens import Tokens
from splito_service.matches.store import Matches
from splito_service.owners.keys import Keys
from splito_service.storage.notices import Notices

ID = re.compile(ID_PATTERN)


class MatchServices(msgspec.Struct, frozen=True):
    """The store of matches, the seat tokens, and the bots that play in matches."""

    games: PlayedGames
    store: Matches
    tokens: Tokens
    notices: Notices
    autoplay: Autoplay
    bot_turns: BotTurns
    keys: Keys
    organisers: Organisers
    clients: Clients
    bot_matches: int
    """Number of running matches among bots alone that one client may have."""

    async def find(self, game: str, match_id: str) -> StoredMatch:
        """Return a match. Raise `UnknownGame` or `UnknownMatch` if there is none."""
        self.games.find(game)
        if ID.fullmatch(match_id):
            kept = await self.store.get(match_id)
            if kept.deal.game == game:
                return kept
        raise UnknownMatch(f"there is no match {match_id!r} of {game}", field="match")


@asynccontextmanager
async def open_matches(base: Foundation, bots: BotServices, transport: BotTransport) -> AsyncGenerator[MatchServices]:
    """Open the matches, and play the turns of the bots in them."""
    link, players = base.link, BotPlayers(bots.registry, transport.desk)
    store, turns = (
        Matches(link, base.settings),
        BotTurns(bots.store, players, Claims(link), transport.log, bots.registry.conduct),
    )
    async with BotProcesses() as house, attending(store, house, turns) as autoplay:
        yield MatchServices(
            games=base.games,
            store=store,
            tokens=Tokens(link),
            notices=base.notices,
            autoplay=autoplay,
            bot_turns=turns,
            keys=bots.keys,
            organisers=Organisers(base.settings.organisers),
            clients=Clients(link),
            bot_matches=base.settings.bot_matches,
        )
