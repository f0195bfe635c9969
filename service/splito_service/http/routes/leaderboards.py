"""The ratings of a game, for each size of table."""

import asyncio
from functools import partial

from litestar import get
from litestar.params import FromPath
from litestar.types import ASGIApp
from msgspec import UNSET

from splito_arena.blocks.ledger import parts
from splito_arena.stats.online_rating import leaderboard
from splito_service.bots.store import is_registered
from splito_service.errors import UnknownBot
from splito_service.http.common import AnyRequest, json
from splito_service.http.context import Context, context_of
from splito_service.http.queries import BoardQuery, read_query
from splito_service.results.schemas import Board, BoardLine, Leaderboard


@get("/{game:str}/leaderboard")
async def get_leaderboard(request: AnyRequest, game: FromPath[str]) -> ASGIApp:
    context, query = context_of(request), read_query(request, BoardQuery)
    info = context.game(game).INFO
    sizes = range(info.min_players, info.max_players + 1)
    wanted = [size for size in sizes if query.players in (UNSET, size)]
    boards = await asyncio.gather(
        *(context.boards.get(f"{game}:{size}", partial(_board, context, game, size)) for size in wanted)
    )
    return json(Leaderboard(game, [board for board in boards if board.lines or query.players is not UNSET]))


async def _board(context: Context, game: str, players: int) -> Board:
    ratings, faults = await asyncio.gather(context.ratings.table(game, players), context.ratings.faults(game, players))
    rows = leaderboard(ratings)
    names = await asyncio.gather(*(_name(context, parts(row.bot)[0]) for row in rows))
    lines = [
        BoardLine(
            rank=rank,
            bot=row.bot,
            name=name,
            rating=row.rating,
            games=row.games,
            blocks=row.blocks,
            faults=faults.get(row.bot, 0),
            trend=row.trend,
        )
        for rank, (row, name) in enumerate(zip(rows, names, strict=True), 1)
    ]
    return Board(players=players, lines=lines)


async def _name(context: Context, bot: str) -> str | None:
    """Of the house, it is what it is called by."""
    if not is_registered(bot):
        return bot
    try:
        return (await context.bots.get(bot)).name
    except UnknownBot:
        return None
