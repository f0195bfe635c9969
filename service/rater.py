"""Ratings are moved after every block, in the background: play does not wait for them."""

import asyncio
import logging
from typing import NamedTuple

from service.errors import Unavailable, UnknownBlock, UnknownTournament
from service.herald import Herald
from service.store.hooks import Outbox
from service.store.ledger import Ledger
from service.store.link import Link
from service.store.ratings import Ratings
from service.store.tournaments import KeptTournament, Tournaments

log = logging.getLogger("splito.rater")


class Board(NamedTuple):
    game: str
    players: int


class Rater:
    """Used in one event loop."""

    def __init__(self, link: Link) -> None:
        self._ratings, self._ledger, self._tournaments = Ratings(link), Ledger(link), Tournaments(link)
        self._outbox = Outbox(link)
        self._herald = Herald(self._outbox)
        self._tasks: dict[Board, asyncio.Task[None]] = {}
        self._again: set[Board] = set()

    def rate_soon(self, kept: KeptTournament) -> None:
        """All that waits on the leaderboard of this tournament, by one task at a time."""
        board = Board(kept.game, kept.players)
        self._again.add(board)
        if board not in self._tasks:
            self._tasks[board] = asyncio.create_task(self._rate(board))

    async def _rate(self, board: Board) -> None:
        try:
            while board in self._again:
                self._again.discard(board)
                for name in await self._ratings.rate_waiting(*board):
                    await self._tell(board, name)
        except Unavailable:
            pass  # it waits in Redis, and whoever ends a block or a tournament next will see to it
        except Exception:
            log.exception("blocks of %s cannot be rated", board.game)
        finally:
            del self._tasks[board]

    async def _tell(self, board: Board, name: str) -> None:
        """Whoever organises that tournament, if they want to know."""
        tournament_id, _, block = name.partition("/")
        try:
            kept = await self._tournaments.get(tournament_id)
            if await self._outbox.wanted(kept.owner, "block.rated"):
                ratings = await self._ratings.table(*board)
                await self._herald.block_rated(kept, await self._ledger.entry(tournament_id, block), ratings)
        except (UnknownTournament, UnknownBlock):
            pass  # a ladder has forgotten it already
