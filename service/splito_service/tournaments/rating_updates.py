"""Ratings are moved after every block, in the background: play does not wait for them. Organisers are told of each."""

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
from splito_service.tournaments.rating_store import Ratings
from splito_service.tournaments.store import Tournaments
from splito_service.webhooks.store import Outbox

TRIES, PAUSE = 20, 0.2
"""How often, and after how many seconds, it is looked whether all is rated: for longer than a killed rater's lease."""

log = logging.getLogger("splito.rater")


class Board(NamedTuple):
    game: str
    players: int


class RatingUpdates:
    """Used in one event loop."""

    def __init__(self, link: Link) -> None:
        self._ratings, self._tournaments, self._announcer = Ratings(link), Tournaments(link), Announcer(Outbox(link))
        self._tasks: dict[Board, asyncio.Task[None]] = {}
        self._again: set[Board] = set()

    def rate_soon(self, kept: StoredTournament) -> None:
        """All that waits on the leaderboard of this tournament, by one task at a time."""
        board = Board(kept.game, kept.players)
        self._again.add(board)
        if board not in self._tasks:
            self._tasks[board] = asyncio.create_task(self._rate_again(board))

    async def rate_rest(self, kept: StoredTournament) -> bool:
        """All that waits there now, whoever does it: others may be at it, and be killed. Whether it is rated."""
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
            pass  # it waits in Redis, and whoever ends a block or a tournament next will see to it
        except Exception:
            log.exception("blocks of %s cannot be rated", board.game)
        finally:
            del self._tasks[board]

    async def _rate(self, board: Board) -> None:
        await self._ratings.rate_waiting(*board, partial(self._tell, {}))

    async def _tell(
        self, known: dict[str, StoredTournament | None], placings: Placings, ratings: Mapping[VersionId, Rating]
    ) -> None:
        """Whoever organises that tournament, if they want to know."""
        tournament_id, _, block = placings.block.partition("/")
        if tournament_id not in known:
            known[tournament_id] = await self._find(tournament_id)
        if (kept := known[tournament_id]) is not None:
            await self._announcer.block_rated(kept, block, placings, ratings)

    async def _find(self, tournament_id: str) -> StoredTournament | None:
        try:
            return await self._tournaments.get(tournament_id)
        except UnknownTournament:
            return None  # it was deleted meanwhile
