"""Rating updates in the background after every block, because play does not wait for them, with events to the owner."""

import asyncio
import logging
from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from splito_arena.blocks.ledger import VersionId
from splito_arena.blocks.placings import Placings
from splito_arena.stats.online_rating import Rating
from splito_service.errors import Unavailable, UnknownTournament
from splito_service.storage.client import Link
from splito_service.tournaments.announce import Announcer
from splito_service.tournaments.model import StoredTournament
from splito_service.tournaments.ratings.store import Ratings
from splito_service.tournaments.store import Tournaments
from splito_service.webhooks.store import Outbox

TRIES, PAUSE = 20, 0.2
"""Number of checks, and seconds between them, that all is rated: longer than the lease of a killed rater."""

log = logging.getLogger("splito.rater")


class Board(NamedTuple):
    game: str
    players: int


class RatingUpdates:
    """The background task of rating updates. Used in one event loop."""

    def __init__(self, link: Link) -> None:
        self._ratings, self._tournaments, self._announcer = Ratings(link), Tournaments(link), Announcer(Outbox(link))
        self._tasks: dict[Board, asyncio.Task[None]] = {}
        self._again: set[Board] = set()

    def rate_soon(self, kept: StoredTournament) -> None:
        """Rate all waiting blocks of this tournament's leaderboard, in one task at a time."""
        board = Board(kept.game, kept.players)
        self._again.add(board)
        if board not in self._tasks:
            self._tasks[board] = asyncio.create_task(self._rate_again(board))

    async def rate_rest(self, kept: StoredTournament) -> bool:
        """Rate all waiting blocks, or wait until another rater has done it. Return True if all are rated."""
        board = Board(kept.game, kept.players)
        rated, waiting = await self._ratings.counts(*board)
        goal = rated + waiting
        for _ in range(TRIES):
            await self._rate(board)
            rated, _ = await self._ratings.counts(*board)
            if rated >= goal:
                return True
            await asyncio.sleep(PAUSE)
        return False

    async def _rate_again(self, board: Board) -> None:
        try:
            while board in self._again:
                self._again.discard(board)
                await self._rate(board)
        except Unavailable:
            pass  # the blocks wait in Redis until a worker ends the next block or tournament
        except Exception:
            log.exception("blocks of %s cannot be rated", board.game)
        finally:
            del self._tasks[board]

    async def _rate(self, board: Board) -> None:
        await self._ratings.rate_waiting(*board, partial(self._tell, {}))

    async def _tell(
        self, known: dict[str, StoredTournament | None], placings: Placings, ratings: Mapping[VersionId, Rating]
    ) -> None:
        """Announce the ratings of a block to the owner of the tournament."""
        tournament_id, _, block = placings.block.partition("/")
        if tournament_id not in known:
            known[tournament_id] = await self._find(tournament_id)
        if (kept := known[tournament_id]) is not None:
            await self._announcer.block_rated(kept, block, placings, ratings)

    async def _find(self, tournament_id: str) -> StoredTournament | None:
        try:
            return await self._tournaments.get(tournament_id)
        except UnknownTournament:
            return None  # the tournament was deleted
