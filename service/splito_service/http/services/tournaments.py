"""Services of the routes of tournaments, experiments, results and leaderboards."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import msgspec

from splito_service.bots.store import Bots
from splito_service.http.services.bots import BotServices
from splito_service.http.services.foundation import Foundation
from splito_service.http.services.games import PlayedGames
from splito_service.http.shared_values import Shared
from splito_service.owners.keys import Keys
from splito_service.owners.store import Owners
from splito_service.results.cache import ResultCache
from splito_service.results.schemas import Board
from splito_service.series.keeper import SeriesKeeper
from splito_service.signing import Signer
from splito_service.storage.notices import Notices
from splito_service.tournaments.house_ladders import Ladders, keeping
from splito_service.tournaments.ledger_store import Ledger
from splito_service.tournaments.organiser import Organiser
from splito_service.tournaments.ratings.store import Ratings
from splito_service.tournaments.store import Tournaments
from splito_service.workers.calendar import calendar
from splito_service.workers.scheduler import tending


class TournamentServices(msgspec.Struct, frozen=True):
    """The tournaments and experiments, and their results."""

    games: PlayedGames
    store: Tournaments
    organiser: Organiser
    ledger: Ledger
    results: ResultCache
    bots: Bots
    owners: Owners
    keys: Keys
    notices: Notices
    signer: Signer
    series: SeriesKeeper


class LeaderboardServices(msgspec.Struct, frozen=True):
    """The ratings of all games."""

    games: PlayedGames
    ratings: Ratings
    bots: Bots
    boards: Shared[Board]
    """Leaderboards, by game and number of players."""


@asynccontextmanager
async def open_tournaments(
    base: Foundation, organiser: Organiser, bots: BotServices, signer: Signer
) -> AsyncGenerator[TournamentServices]:
    """Open the tournaments, keep their calendar, queue shifts for waiting blocks, and maintain the house ladders."""
    link, ledger = base.link, Ledger(base.link)
    series = SeriesKeeper(link, organiser, base.games.ids)
    async with (
        ResultCache(ledger, base.settings.results_mb << 20) as results,
        tending(link, base.url),
        calendar(organiser.starter.look, series.look),
        keeping(Ladders(link, organiser, bots.store), base.games.ids, base.settings.house_ladder),
    ):
        yield TournamentServices(
            games=base.games,
            store=Tournaments(link),
            organiser=organiser,
            ledger=ledger,
            results=results,
            bots=bots.store,
            owners=bots.owners,
            keys=bots.keys,
            notices=base.notices,
            signer=signer,
            series=series,
        )
